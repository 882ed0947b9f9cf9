// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

extension MergeMove {
    /// Moves every lot of the merged customer, debts too; each keeps its sale, its price, its date
    /// and its end. What is set aside stays so, from the same lots.
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
        moved.createdAt = lot.createdAt
        try transaction.add(moved)
        return moved
    }

    func take(
        _ amount: Int64, _ lot: LotRecord, by transfer: TransferRecord
    ) throws {
        try transaction.take(
            amount, fromLot: lot.lotID, of: lot.account.accountID, by: transfer.transferID)
    }

    func act(_ kind: TransferKind) -> WalletAct {
        WalletAct(kind, .operation(merge.mergeID), reason: merge.reason)
    }

    private func account(
        _ customer: UniqueID, _ environment: AppStoreEnvironment, _ balance: BalanceRecord
    ) -> AccountRecord {
        AccountRecord(policy.app, environment, customer, balance.unit, balance.kind)
    }

    func wallet(
        of customer: UniqueID, in environment: AppStoreEnvironment
    ) throws -> Wallet {
        try Wallet(transaction, policy, environment, of: customer, at: now)
    }
}

// MARK: Holds

extension MergeMove {
    /// A hold on its way, and the lots that its units went back to.
    struct MovingHold {
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
    func releaseMovedHolds(
        in environment: AppStoreEnvironment
    ) throws -> [MovingHold] {
        let wallet = try wallet(of: merge.target, in: environment)
        let holds = try transaction.openHolds(movedBy: merge, in: environment).filter { hold in
            try !wallet.lots(of: hold).contains {
                try transaction.isCredit($0, settledSince: merge)
            }
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
    func takeOn(
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
