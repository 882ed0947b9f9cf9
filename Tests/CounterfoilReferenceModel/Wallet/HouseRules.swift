// SPDX-License-Identifier: Apache-2.0

/// What the shop's owner decided about wallets.
package struct HouseRules: Hashable, Sendable {
    /// What goes first when somebody spends.
    package enum Order: Int, CaseIterable, Sendable {
        case bonusFirst, paidFirst, oldestFirst
    }

    package let order: Order
    package let purchasesPayDebt: Bool
    package let debtBlocksSpending: Bool

    /// Up to which balance credits may fill a wallet.
    package let maximum: Int64

    /// How long a bonus lasts, in milliseconds.
    package let bonusLasts: Int64

    /// Below which price (thousandths) a refund's shortfall is written off.
    package let writesOffBelow: Int64

    package init(
        order: Order, purchasesPayDebt: Bool, debtBlocksSpending: Bool, maximum: Int64,
        bonusLasts: Int64, writesOffBelow: Int64
    ) {
        self.order = order
        self.purchasesPayDebt = purchasesPayDebt
        self.debtBlocksSpending = debtBlocksSpending
        self.maximum = maximum
        self.bonusLasts = bonusLasts
        self.writesOffBelow = writesOffBelow
    }
}

/// What a game's server asks of a wallet.
package struct WalletRequest: Hashable, Sendable {
    package enum Wish: Hashable, Sendable {
        case spend(Int64)

        /// The transaction or the order is the purchase that it stands in for.
        case credit(
            paid: Int64, bonus: Int64, expires: Int64?, transaction: String?, order: String?)
        case reserve(Int64)

        /// Spends a hold, or as much of it as is named.
        case post(hold: String, Int64?)
        case void(hold: String)
    }

    /// Why nothing was done.
    package enum Refusal: String, Sendable {
        case insufficient, debtBlocks, aboveMaximum, unknownHold, holdIsOver, aboveHold
        case alreadyGranted, alreadyRefunded, unknownOrder
    }

    /// What the server knows it by; the books show it as the reference.
    package let name: String
    package let environment: String
    package let customer: String
    package let unit: String
    package let wish: Wish

    package init(
        name: String, environment: String, customer: String, unit: String, wish: Wish
    ) {
        self.name = name
        self.environment = environment
        self.customer = customer
        self.unit = unit
        self.wish = wish
    }
}
