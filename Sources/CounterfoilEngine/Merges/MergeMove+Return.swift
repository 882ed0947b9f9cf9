// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// What goes back when customers are parted.
extension MergeMove {
    /// Gives the merged customer back what it brought.
    func returnUnits() throws {
        let keys = Set(try transaction.allKeys(of: merge.source))
        for environment in environments {
            let holds = try releaseMovedHolds(in: environment)
            let brought = try transaction.moves(by: merge, in: environment).map {
                try BroughtLot($0.transfer, from: $0.source, by: merge, in: transaction)
            }.filter { !$0.isSettled }
            var charges = try charges(for: brought, besides: keys)
            var owed: [UnitID: Int64] = [:]
            for brought in brought {
                owed[brought.lot.account.unit, default: 0] += try giveBack(brought, &charges)
            }
            try takeOn(
                holds, at: merge.source, in: environment,
                from: Dictionary(uniqueKeysWithValues: brought.map { ($0.lot.lotID, $0.source) }))
            try pay(owed, in: environment, by: merge.mergeID)
        }
    }

    /// Gives back what of a lot of a sale has become the merged customer's again after the parting, since
    /// what had taken it is undone.
    func returnLate(_ brought: BroughtLot) throws {
        guard !brought.isSettled, brought.lot.account.kind != .debt else { return }
        var charges: [Charge: Int64] = [:]
        let owed = try giveBack(brought, &charges)
        try pay(
            [brought.lot.account.unit: owed], in: brought.lot.account.environment,
            by: DerivedID.ofOperation(
                merge.mergeID, "late:\(brought.lot.lotID):\(brought.returned)"))
    }

    /// - Returns: How much the target owes for it.
    private func giveBack(
        _ brought: BroughtLot, _ charges: inout [Charge: Int64]
    ) throws -> Int64 {
        guard brought.lot.account.kind == .debt else {
            return try returnUnits(of: brought, &charges)
        }
        try returnDebt(brought)
        return 0
    }

    /// What is open of a debt goes back; what the target paid of it stays paid.
    private func returnDebt(_ brought: BroughtLot) throws {
        let (lot, source) = (brought.lot, brought.source)
        guard lot.remaining > 0 else { return }
        let transfer = returning(
            brought, "open", lot.remaining, from: source.account, to: lot.account)
        try transaction.post(transfer, opening: [])
        try take(lot.remaining, lot, by: transfer)
        try take(-lot.remaining, source, by: transfer)
    }

    /// What ran out meanwhile is gone for both; what was spent is owed by the target. What refunds of the
    /// sale took meanwhile, from this lot or in place of it, they have taken.
    ///
    /// - Returns: How much the target owes for it.
    private func returnUnits(
        of brought: BroughtLot, _ charges: inout [Charge: Int64]
    ) throws -> Int64 {
        let (lot, source) = (brought.lot, brought.source)
        var due = lot.amount - brought.fate.expired - brought.fate.refunded - brought.returned
        if let charge = Charge(brought) {
            let charged = min(charges[charge] ?? 0, brought.spent)
            charges[charge]? -= charged
            due -= charged
        }
        let there = min(lot.remaining, due)
        if there > 0 {
            let transfer = returning(brought, "there", there, from: lot.account, to: source.account)
            try transaction.post(transfer, opening: [])
            try take(there, lot, by: transfer)
            try take(-there, source, by: transfer)
        }
        guard due > max(there, 0) else { return 0 }
        let owed = due - max(there, 0)
        let debt = AccountRecord(
            policy.app, lot.account.environment, merge.target, lot.account.unit, .debt)
        let transfer = returning(brought, "owed", owed, from: debt, to: source.account)
        try transaction.post(transfer, opening: [debt])
        try transaction.add(LotRecord(transfer, on: debt))
        try take(-owed, source, by: transfer)
        return owed
    }

    /// What refunds of a sale took of a unit.
    private struct Charge: Hashable {
        let sale: SaleReference
        let unit: UnitID

        init?(_ brought: BroughtLot) {
            guard let sale = brought.sale else { return nil }
            self.sale = sale
            unit = brought.lot.account.unit
        }
    }

    /// What refunds of the sales took since the merge from elsewhere than what was brought, or made debts
    /// of: that much of what was spent the target has paid for.
    ///
    /// - Parameter keys: Those of the merged customer, which was charged before the merge only.
    private func charges(
        for brought: [BroughtLot], besides keys: Set<UniqueID>
    ) throws -> [Charge: Int64] {
        var charges: [Charge: Int64] = [:]
        for (charge, lots) in Dictionary(grouping: brought, by: { Charge($0) }) {
            guard let charge else { continue }
            let open = try transaction.laterGrants(of: charge.sale).firstOpenRevision
            var total: Int64 = 0
            for id in try transaction.refundTransfers(of: charge.sale, since: open) {
                guard let transfer = try transaction.transfer(id) else {
                    throw LedgerError.noSuchTransfer
                }
                guard transfer.unit == charge.unit, transfer.createdAt >= merge.createdAt,
                    let customer = transfer.from.customer, !keys.contains(customer)
                else { continue }
                total += transfer.amount
            }
            charges[charge] = max(0, total - lots.reduce(0) { $0 + $1.fate.refunded })
        }
        return charges
    }

    /// The target pays at once what it can of what it owes by this, if the app's policy pays debts.
    private func pay(
        _ owed: [UnitID: Int64], in environment: AppStoreEnvironment, by operation: UniqueID
    ) throws {
        guard policy.wallet.purchasesPayDebt else { return }
        var wallet = try wallet(of: merge.target, in: environment)
        for (unit, amount) in owed.sorted(by: { $0.key < $1.key }) where amount > 0 {
            try wallet.payDebt(
                unit, upTo: amount, for: WalletAct(.debtPayment, .operation(operation)))
        }
    }

    private func returning(
        _ brought: BroughtLot, _ part: String, _ amount: Int64, from: AccountRecord,
        to: AccountRecord
    ) -> TransferRecord {
        let act = act(.mergeUndone)
        // Of a lot something may be given back again, once more has come to it.
        let id = act.transferID("\(part):\(brought.lot.lotID):\(brought.returned)")
        var transfer = act.transfer(id, amount, from: from, to: to, at: now)
        transfer.corrects = brought.lot.lotID
        return transfer
    }
}
