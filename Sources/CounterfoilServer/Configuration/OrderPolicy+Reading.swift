// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine

extension OrderPolicy {
    /// Reads the member `orders` of an app; whatever is missing has its default.
    init(_ value: JSONValue, path: String, findings: DocumentFindings) {
        var reader = ObjectReader(value, path: path, findings: findings)
        let scope = reader.choice("token_scope", TokenScope.self, isRequired: false)
        let open = reader.integer("open_hours", in: Limits.orderHours, isRequired: false)
        let pending = reader.integer("pending_hours", in: Limits.orderHours, isRequired: false)
        reader.finish()
        let standard = OrderPolicy()
        self.init(
            tokenScope: scope ?? standard.tokenScope,
            openFor: open.map { .seconds($0 * 3600) } ?? standard.openFor,
            pendingFor: pending.map { .seconds($0 * 3600) } ?? standard.pendingFor)
    }
}
