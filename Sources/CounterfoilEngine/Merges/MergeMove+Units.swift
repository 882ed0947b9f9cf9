// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

extension MergeMove {
    /// Moves every lot of the merged customer, debts too; each keeps its sale, its price and its end. What
    /// is set aside stays so, from the same lots.
    func moveUnits() throws {
        for environment in environments {
            let holds = try releaseHolds(in: environment)
            let moved = try moveUnits(in: environment)
            try takeOn(holds, at: merge.target, in: environment, from: moved)
        }
    }

    /// Moves what is in the merged customer's wallet of one environment; a reversal may have put something
    /// there since.
    ///
    /// - Returns: What was made of each lot.
    @discardableResult
    func moveUnits(in environment: AppStoreEnvironment) throws -> [UniqueID: LotRecord] {
        var moved: [UniqueID: LotRecord] = [:]
        let balances = try transaction.balances(policy.app, environment, merge.source)
        for balance in balances where balance.amount != 0 {
            guard balance.kind.hasLots else { throw LedgerError.lotsMissing }
            let from = account(merge.source, environment, balance)
            let to = account(merge.target, environment, balance)
            let lots = try transaction.openLots(
                of: from, after: nil, limit: Int64(Limits.mergedRows) + 1)
            guard moved.count + lots.count <= Limits.mergedRows else {
                throw MergeRefusal.tooLarge
            }
            for lot in lots { moved[lot.lotID] = try move(lot, from, to) }
        }
        return moved
    }

    private func move(
        _ lot: LotRecord, _ from: AccountRecord, _ to: AccountRecord
    ) throws -> LotRecord {
        let isDebt = from.kind == .debt
        let number = try transaction.lotUses(of: lot.lotID).count
        let act = act(.merge)
        let transfer = act.transfer(
            act.transferID("lot:\(lot.lotID):\(number)"), lot.remaining, from: isDebt ? to : from,
            to: isDebt ? from : to, at: now)
        try transaction.post(transfer, opening: [to])
        try take(lot.remaining, lot, by: transfer)
        var moved = LotRecord(transfer, on: to)
        moved.sale = lot.sale
        moved.price = lot.price(of: lot.remaining)
        moved.expiresAt = lot.expiresAt
        try transaction.add(moved)
        return moved
    }

    /// Gives the merged customer back what it brought.
    func returnUnits() throws {
        for environment in environments {
            let holds = try releaseMovedHolds(in: environment)
            var returned: [UniqueID: LotRecord] = [:]
            var owed: [UnitID: Int64] = [:]
            let balances = try transaction.balances(policy.app, environment, merge.source)
            for balance in balances where balance.kind.hasLots {
                let own = account(merge.source, environment, balance)
                let theirs = account(merge.target, environment, balance)
                for lot in try closedLots(of: own) {
                    for brought in try broughtLots(of: lot, to: theirs)
                    where try !isSettled(brought) {
                        returned[brought.lotID] = lot
                        if own.kind == .debt {
                            try returnDebt(brought, to: lot)
                        } else {
                            owed[balance.unit, default: 0] += try returnUnits(
                                of: brought, to: lot)
                        }
                    }
                }
            }
            try takeOn(holds, at: merge.source, in: environment, from: returned)
            try pay(owed, in: environment)
        }
    }

    /// What is open of a debt goes back; what the target paid of it stays paid.
    private func returnDebt(_ brought: LotRecord, to lot: LotRecord) throws {
        guard brought.remaining > 0 else { return }
        let transfer = returning(
            brought, "open", brought.remaining, from: lot.account, to: brought.account)
        try transaction.post(transfer, opening: [])
        try take(brought.remaining, brought, by: transfer)
        try take(-brought.remaining, lot, by: transfer)
    }

    /// What ran out meanwhile is gone for both; what was spent is owed by the target. Of a sale that was
    /// refunded meanwhile only what is left goes back, since the refund has taken or charged the rest.
    ///
    /// - Returns: How much the target owes for it.
    private func returnUnits(of brought: LotRecord, to lot: LotRecord) throws -> Int64 {
        let due =
            try isRefunded(brought) ? brought.remaining : brought.amount - expired(of: brought)
        let there = min(brought.remaining, due)
        if there > 0 {
            let transfer = returning(
                brought, "there", there, from: brought.account, to: lot.account)
            try transaction.post(transfer, opening: [])
            try take(there, brought, by: transfer)
            try take(-there, lot, by: transfer)
        }
        guard due > there else { return 0 }
        let debt = AccountRecord(
            policy.app, lot.account.environment, merge.target, lot.account.unit, .debt)
        let transfer = returning(brought, "owed", due - there, from: debt, to: lot.account)
        try transaction.post(transfer, opening: [debt])
        try transaction.add(LotRecord(transfer, on: debt))
        try take(there - due, lot, by: transfer)
        return due - there
    }

    /// How much of a lot ran out, also where later merges had brought it.
    private func expired(of lot: LotRecord) throws -> Int64 {
        try transaction.lotUses(of: lot.lotID).reduce(0) { sum, entry in
            let (use, kind, _) = entry
            switch TransferKind(rawValue: kind) {
            case .expiry: return sum + use.amount
            case .merge where use.amount > 0:
                guard let transfer = try transaction.transfer(use.transferID),
                    let moved = try transaction.lot(use.transferID, of: transfer.to)
                else { throw LedgerError.noSuchTransfer }
                return try sum + expired(of: moved)
            default: return sum
            }
        }
    }

    /// Whether it is a credit that has made a purchase smaller since; that came to the target.
    private func isSettled(_ lot: LotRecord) throws -> Bool {
        guard let key = lot.sale else { return false }
        return try transaction.isCredit(key, settledSince: merge)
    }

    private func isRefunded(_ lot: LotRecord) throws -> Bool {
        guard let key = lot.sale else { return false }
        let sale = SaleReference(
            app: policy.app, environment: lot.account.environment, key: key)
        return try transaction.refunds(of: sale).last?.revocationDate != nil
    }

    /// The target pays at once what it can of what it owes by this, if the app's policy pays debts.
    private func pay(
        _ owed: [UnitID: Int64], in environment: AppStoreEnvironment
    ) throws {
        guard policy.wallet.purchasesPayDebt else { return }
        var wallet = try wallet(of: merge.target, in: environment)
        for (unit, amount) in owed.sorted(by: { $0.key < $1.key }) where amount > 0 {
            try wallet.payDebt(
                unit, upTo: amount, for: WalletAct(.debtPayment, .operation(merge.mergeID)))
        }
    }

    /// What this merge made of a lot.
    private func broughtLots(
        of lot: LotRecord, to account: AccountRecord
    ) throws -> [LotRecord] {
        try transaction.lotUses(of: lot.lotID).compactMap { use, kind, _ -> LotRecord? in
            guard kind == TransferKind.merge.rawValue, use.amount > 0,
                try transaction.transfer(use.transferID)?.operationID == merge.mergeID
            else { return nil }
            return try transaction.lot(use.transferID, of: account)
        }
    }

    private func closedLots(of account: AccountRecord) throws -> [LotRecord] {
        let lots = try transaction.closedLots(of: account, limit: Int64(Limits.mergedRows) * 8)
        guard lots.count < Limits.mergedRows * 8 else { throw MergeRefusal.tooLarge }
        return lots
    }

    private func take(
        _ amount: Int64, _ lot: LotRecord, by transfer: TransferRecord
    ) throws {
        try transaction.take(
            amount, fromLot: lot.lotID, of: lot.account.accountID, by: transfer.transferID)
    }

    private func act(_ kind: TransferKind) -> WalletAct {
        WalletAct(kind, .operation(merge.mergeID), reason: merge.reason)
    }

    private func returning(
        _ brought: LotRecord, _ part: String, _ amount: Int64, from: AccountRecord,
        to: AccountRecord
    ) -> TransferRecord {
        let act = act(.mergeUndone)
        var transfer = act.transfer(
            act.transferID("\(part):\(brought.lotID)"), amount, from: from, to: to, at: now)
        transfer.corrects = brought.lotID
        return transfer
    }

    private func account(
        _ customer: UniqueID, _ environment: AppStoreEnvironment, _ balance: BalanceRecord
    ) -> AccountRecord {
        AccountRecord(policy.app, environment, customer, balance.unit, balance.kind)
    }

    private func wallet(
        of customer: UniqueID, in environment: AppStoreEnvironment
    ) throws -> Wallet {
        try Wallet(transaction, policy, environment, of: customer, at: now)
    }
}

// MARK: Holds

extension MergeMove {
    /// A hold on its way, and the lots that its units went back to.
    private struct MovingHold {
        let hold: HoldRecord
        let steps: [Consumption.Step]
    }

    private func releaseHolds(in environment: AppStoreEnvironment) throws -> [MovingHold] {
        let holds = try transaction.openHolds(
            policy.app, environment, of: merge.source, limit: Int64(Limits.mergedRows) + 1)
        guard holds.count <= Limits.mergedRows else { throw MergeRefusal.tooLarge }
        for hold in holds { try transaction.add(hold, movedBy: merge) }
        return try release(holds, at: merge.source, in: environment)
    }

    /// Those that hold units which stay with the target stay too.
    private func releaseMovedHolds(
        in environment: AppStoreEnvironment
    ) throws -> [MovingHold] {
        let wallet = try wallet(of: merge.target, in: environment)
        let holds = try transaction.openHolds(movedBy: merge, in: environment).filter { hold in
            try !wallet.lots(of: hold).contains { try isSettled($0) }
        }
        return try release(holds, at: merge.target, in: environment)
    }

    private func release(
        _ holds: [HoldRecord], at customer: UniqueID, in environment: AppStoreEnvironment
    ) throws -> [MovingHold] {
        var wallet = try wallet(of: customer, in: environment)
        return try holds.map { hold in
            MovingHold(
                hold: hold,
                steps: try wallet.release(
                    hold, for: operation(of: hold, at: customer), reason: merge.reason))
        }
    }

    /// Sets the units aside again, from what was made of the lots that they went back to.
    private func takeOn(
        _ holds: [MovingHold], at customer: UniqueID, in environment: AppStoreEnvironment,
        from lots: [UniqueID: LotRecord]
    ) throws {
        guard !holds.isEmpty else { return }
        var wallet = try wallet(of: customer, in: environment)
        for moving in holds {
            let steps = try moving.steps.map { step in
                guard let lot = lots[step.lot.lotID] else { throw LedgerError.lotsMissing }
                return Consumption.Step(lot: lot, amount: step.amount)
            }
            try wallet.takeOn(
                moving.hold, from: steps, for: operation(of: moving.hold, at: customer),
                reason: merge.reason)
        }
    }

    /// What moves a hold's units in a customer's wallet: as it leaves it, and as it comes to it.
    private func operation(of hold: HoldRecord, at customer: UniqueID) -> UniqueID {
        DerivedID.ofOperation(merge.mergeID, "hold:\(hold.holdID):\(hold.reservedBy):\(customer)")
    }
}
