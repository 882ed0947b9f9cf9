// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine

extension OwnershipPolicy {
    /// Reads an app's `ownership`; faults are reported.
    init(_ value: JSONValue, path: String, findings: DocumentFindings) {
        var reader = ObjectReader(value, path: path, findings: findings)
        let nonConsumable = reader.choice("non_consumable", Answer.self, isRequired: false)
        reader.finish()
        self.init(nonConsumable: nonConsumable ?? .keep)
    }
}
