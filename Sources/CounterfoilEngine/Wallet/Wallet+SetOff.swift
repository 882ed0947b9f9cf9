// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

extension Wallet {
    /// Pays debts of the unit from all that can be spent of it, paid for or not.
    ///
    /// For units that come back when a refund is undone: had they been there, the refunds that made the
    /// debts would have taken them. So the order in which refunds and reversals become known does not
    /// matter, and nobody can spend units beside a debt that they caused.
    mutating func setOffDebt(_ unit: UnitID, for act: WalletAct) throws {
        let means = min(available(unit), owed(unit))
        guard means > 0 else { return }
        for debt in try plan(means, of: unit, on: [.debt]) {
            let sources = try plan(debt.amount, of: unit, on: [.paid, .bonus])
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
