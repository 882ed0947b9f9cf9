// SPDX-License-Identifier: Apache-2.0

/// What an app's owner decided about wallets.
package struct WalletPolicy: Hashable, Sendable {
    /// Which units go first when a customer spends, and after the sale's own when goods are taken back.
    package var order: ConsumptionOrder

    /// Whether what is bought later pays a debt before the customer can spend it.
    package var purchasesPayDebt: Bool

    /// Whether a customer who owes some of a unit can spend none of it.
    package var debtBlocksSpending: Bool

    package init(
        order: ConsumptionOrder = .bonusFirst, purchasesPayDebt: Bool = true,
        debtBlocksSpending: Bool = false
    ) {
        self.order = order
        self.purchasesPayDebt = purchasesPayDebt
        self.debtBlocksSpending = debtBlocksSpending
    }
}
