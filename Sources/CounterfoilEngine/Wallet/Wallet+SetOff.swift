// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// What debts are paid from.
extension Wallet {
    /// Pays debts of the unit from what was paid for, the oldest first.
    ///
    /// - Parameters:
    ///   - limit: The most that is paid.
    ///   - lot: The only lot that pays; all of them, if nil.
    mutating func payDebt(
        _ unit: UnitID, upTo limit: Int64 = .max, from lot: LotRecord? = nil, for act: WalletAct
    ) throws {
        var (left, lot) = (limit, lot)
        for debt in try transaction.debts(on: account(unit, .debt), areOpen: true) {
            let amount = min(debt.remaining, left, lot?.remaining ?? balance(unit, .paid))
            guard amount > 0 else { return }
            let sources =
                try lot.map { [Consumption.Step(lot: $0, amount: amount)] }
                ?? plan(amount, of: unit, on: [.paid])
            try pay(debt, from: sources, for: act)
            lot?.remaining -= amount
            left -= amount
        }
    }

    /// When units left the wallet that come back now.
    struct Departure: Hashable {
        /// How many events the customer had before; nil where they left another customer's wallet.
        let sequence: Int64?
        let at: Instant

        /// Whether a debt came to be before the units left. The order of one customer's events says so,
        /// whatever clocks showed; between customers who were merged only time can.
        func isBehind(_ debt: LotRecord) -> Bool {
            guard let sequence, let own = debt.sequence else { return debt.createdAt < at }
            return own < sequence
        }
    }

    /// Pays debts of the unit that are not older than the departure of what comes back, from all that can
    /// be spent of it, paid for or not. What was written off of them is owed again as far as it can be
    /// paid.
    ///
    /// Had the units been there, the refunds that made the debts would have taken them, and nothing would
    /// have been written off. So the order in which refunds and reversals become known does not matter,
    /// and nobody can spend units beside a debt that they caused. Older debts are what they would have
    /// been.
    mutating func setOffDebt(
        _ unit: UnitID, since departure: Departure, for act: WalletAct
    ) throws {
        guard hasAccount(unit, .debt) else { return }
        for var debt in try transaction.debts(on: account(unit, .debt), areOpen: false)
        where !departure.isBehind(debt) {
            let means = available(unit)
            guard means > 0 else { return }
            if means > debt.remaining {
                debt.remaining += try reopen(debt, upTo: means - debt.remaining, for: act)
            }
            let amount = min(debt.remaining, means)
            guard amount > 0 else { continue }
            try pay(debt, from: try plan(amount, of: unit, on: [.paid, .bonus]), for: act)
        }
    }

    /// Pays of one debt what the steps take, with a transfer for each account, so that it is known what
    /// each payment paid.
    private mutating func pay(
        _ debt: LotRecord, from sources: [Consumption.Step], for act: WalletAct
    ) throws {
        for kind in [AccountKind.paid, .bonus] {
            let own = sources.filter { $0.lot.account.kind == kind }
            guard own.amount > 0 else { continue }
            let transfer = try move(
                own.amount, of: debt.account.unit, kind, .debt,
                "debt:\(debt.lotID):\(kind.rawValue)", for: act)
            for source in own { try take(source, by: transfer) }
            try take(Consumption.Step(lot: debt, amount: own.amount), by: transfer)
        }
    }

    /// Undoes write-offs of a debt.
    ///
    /// - Returns: How much of it is owed again.
    private mutating func reopen(
        _ debt: LotRecord, upTo limit: Int64, for act: WalletAct
    ) throws -> Int64 {
        let uses = try transaction.lotUses(of: debt.lotID)
        var left = limit
        for (use, kind, _) in uses
        where use.amount > 0 && kind == TransferKind.writeOff.rawValue && left > 0 {
            let undone = uses.filter { $0.corrects == use.transferID }
                .reduce(0) { $0 - $1.use.amount }
            let amount = min(use.amount - undone, left)
            guard amount > 0 else { continue }
            let unit = debt.account.unit
            let act = WalletAct(.reversal, act.origin)
            var transfer = act.transfer(
                act.transferID("reopen:\(use.transferID)"), amount, from: account(unit, .debt),
                to: account(unit, .writtenOff), at: now)
            transfer.corrects = use.transferID
            try book(transfer)
            try take(Consumption.Step(lot: debt, amount: -amount), by: transfer)
            left -= amount
        }
        return limit - left
    }
}
