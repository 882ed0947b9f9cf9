// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

extension Wallet {
    /// Pays debts of the unit that are not older than `start`, from all that can be spent of it, paid
    /// for or not.
    ///
    /// For units that come back after they were away since then, refunded or set aside: had they been
    /// there, the refunds that made the debts would have taken them. So the order in which refunds and
    /// reversals become known does not matter, and nobody can spend units beside a debt that they
    /// caused. Older debts are what they would have been.
    mutating func setOffDebt(_ unit: UnitID, since start: Instant, for act: WalletAct) throws {
        var means = available(unit)
        guard means > 0, owed(unit) > 0 else { return }
        for debt in try plan(owed(unit), of: unit, on: [.debt])
        where debt.lot.createdAt >= start && means > 0 {
            let amount = min(debt.amount, means)
            means -= amount
            let sources = try plan(amount, of: unit, on: [.paid, .bonus])
            for kind in [AccountKind.paid, .bonus] {
                let own = sources.filter { $0.lot.account.kind == kind }
                guard own.amount > 0 else { continue }
                let transfer = try move(
                    own.amount, of: unit, kind, .debt,
                    "set_off:\(debt.lot.lotID):\(kind.rawValue)", for: act)
                for source in own { try take(source, by: transfer) }
                try take(Consumption.Step(lot: debt.lot, amount: own.amount), by: transfer)
            }
        }
    }
}
