// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

extension Wallet {
    /// Spends units in the order of the policy.
    ///
    /// - Throws: ``WalletRefusal`` if there is not enough, or a debt is in the way.
    mutating func spend(_ amount: Int64, of unit: UnitID, for act: WalletAct) throws {
        try expire(unit)
        try take(try spendable(amount, of: unit), of: unit, to: .spent, for: act)
    }

    /// The lots that would be spent.
    func spendable(_ amount: Int64, of unit: UnitID) throws -> [Consumption.Step] {
        precondition(amount > 0, "nobody spends nothing")
        if policy.debtBlocksSpending, owed(unit) > 0 {
            throw WalletRefusal.debtBlocksSpending(unit, owed: owed(unit))
        }
        guard available(unit) >= amount else {
            throw WalletRefusal.insufficientBalance(
                unit, available: available(unit), wanted: amount)
        }
        let steps = try plan(amount, of: unit, on: [.paid, .bonus])
        guard steps.amount == amount else { throw LedgerError.lotsMissing }
        return steps
    }

    /// Lets the bonus lots of a unit run out whose time has come, each by a transfer of its own.
    ///
    /// Whoever spends does so first; a job does it for those who do not come.
    ///
    /// - Returns: How much ran out.
    @discardableResult
    mutating func expire(_ unit: UnitID) throws -> Int64 {
        var expired: Int64 = 0
        while balance(unit, .bonus) > 0 {
            let lots = try transaction.expiredLots(
                of: account(unit, .bonus), at: now, limit: Limits.lotPage)
            for lot in lots {
                // Units may come back to a lot that ran out before, and run out again.
                let number = try transaction.lotUses(of: lot.lotID).count
                let act = WalletAct(
                    .expiry, .operation(DerivedID.ofOperation(lot.lotID, "expiry:\(number)")))
                try take(
                    [.init(lot: lot, amount: lot.remaining)], of: unit, to: .expired, for: act)
                expired += lot.remaining
            }
            if lots.count < Limits.lotPage { break }
        }
        return expired
    }
}
