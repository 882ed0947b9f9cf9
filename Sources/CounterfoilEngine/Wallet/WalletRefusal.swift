// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilStore

/// Why a wallet did not do what it was asked; nothing was changed.
package enum WalletRefusal: Error, Hashable, Sendable {
    /// The catalogue has no such unit.
    case unknownUnit(UnitID)

    /// The game counts what is left of the unit (decision 8).
    case heldByGame(UnitID)

    /// There is less than what is wanted; what is held does not count.
    case insufficientBalance(UnitID, available: Int64, wanted: Int64)

    /// The customer owes some of the unit, and the policy lets nobody spend who does.
    case debtBlocksSpending(UnitID, owed: Int64)

    /// The customer would have more than the catalogue allows.
    case aboveMaximum(UnitID, maximum: Int64, balance: Int64, wanted: Int64)

    case unknownHold

    /// The hold was posted, voided or ran out before.
    case holdIsOver(HoldState)

    /// More is to be posted than is held.
    case aboveHold(held: Int64, wanted: Int64)

    /// The transaction that a credit would stand for has given its goods already.
    case alreadyGranted(TransactionID)

    /// The transaction that a credit would stand for was refunded, so nothing is to be stood in for.
    case alreadyRefunded(TransactionID)

    /// The order that a credit would stand for is not there, or is another customer's.
    case unknownOrder
}
