// SPDX-License-Identifier: Apache-2.0

/// What an app's owner decided for the case that a second customer comes up for a purchase.
///
/// On one device several customers may log in one after the other, and all of them restore what its
/// Apple ID once bought.
package struct OwnershipPolicy: Hashable, Sendable {
    package enum Answer: String, CaseIterable, Sendable {
        /// The owner stays; the other one is refused.
        case keep

        /// The rights go to whoever proved the purchase last. What is in a wallet stays there.
        case transfer

        /// Both have the rights.
        case share
    }

    package let nonConsumable: Answer

    package init(nonConsumable: Answer = .keep) {
        self.nonConsumable = nonConsumable
    }

    /// The answer for a product of the type. What is used up belongs to one customer for good.
    func answer(for type: SaleType) -> Answer {
        switch type {
        case .nonConsumable: nonConsumable
        case .consumable, .nonRenewing, .autoRenewable: .keep
        }
    }
}
