// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine

extension WalletPolicy {
    /// Reads the member `wallet` of an app; every fault is reported.
    init(_ value: JSONValue, path: String, findings: DocumentFindings) {
        var reader = ObjectReader(value, path: path, findings: findings)
        let order = reader.choice("consumption_order", ConsumptionOrder.self, isRequired: false)
        let paysDebt = reader.bool("purchases_pay_debt", isRequired: false)
        let blocks = reader.bool("debt_blocks_spending", isRequired: false)
        reader.finish()
        self.init(
            order: order ?? .bonusFirst, purchasesPayDebt: paysDebt ?? true,
            debtBlocksSpending: blocks ?? false)
    }
}
