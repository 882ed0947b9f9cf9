// SPDX-License-Identifier: Apache-2.0

/// The kinds of published changes that this version makes; the raw value is stable.
package enum EventType: String, CaseIterable, Sendable {
    /// Goods were granted; the game server owes them to the player.
    case purchaseFulfilled = "purchase.fulfilled"

    /// A genuine purchase cannot be delivered yet.
    case purchaseParked = "purchase.parked"

    /// A refund took goods of a purchase back, or ended its rights.
    case grantReversed = "grant.reversed"

    /// A refund, or a part of it, was undone.
    case grantRestored = "grant.restored"

    /// A right began, ended or moved without new goods.
    case entitlementChanged = "entitlement.changed"

    /// An order is in another state, and no event about its purchase tells it.
    case orderChanged = "order.changed"

    /// A balance changed otherwise than by a sale: spent, credited, set aside, given back, run out.
    case walletChanged = "wallet.changed"

    /// Something needs a person. It belongs to no customer and has no sequence.
    case operatorAlarm = "operator.alarm"

    /// Rights of a purchase came to a customer, or left one, without a new purchase.
    case ownershipChanged = "ownership.changed"

    /// A customer came up for what is another's, for the first time.
    case ownershipConflict = "ownership.conflict"
}
