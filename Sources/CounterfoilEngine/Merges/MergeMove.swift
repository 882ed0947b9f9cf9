// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// What moves between two customers that become one, or are parted, in all environments.
struct MergeMove {
    let merge: MergeRecord
    let policy: AppPolicy
    let transaction: any WriteTransaction
    let epoch: UniqueID
    let now: Instant

    /// Environments in which anything may be, in the order of locks.
    private var environments: [AppStoreEnvironment] {
        policy.deliverFrom.keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// Locks the sales that give the customer rights, and the wallets of both; between the two, as in all
    /// transactions, come orders.
    func lock(
        salesOf customer: UniqueID, moving orders: () throws -> Void
    ) throws -> [SaleReference] {
        let sales = try salesWithRights(of: customer)
        guard sales.count <= Limits.mergedRows else { throw MergeRefusal.tooLarge }
        for sale in sales { try transaction.lock(.sale(sale)) }
        try orders()
        for environment in environments {
            for key in [merge.source, merge.target].sorted() {
                try transaction.lockWallet(policy.app, environment, key)
            }
        }
        guard try salesWithRights(of: customer) == sales else {
            throw DatabaseError(.busy, "the customer bought something just now")
        }
        return sales
    }

    private func salesWithRights(of customer: UniqueID) throws -> [SaleReference] {
        try environments.flatMap { environment in
            let periods = try transaction.entitlementPeriods(policy.app, environment, customer)
            return Set(periods.map(\.sale)).sorted().map {
                SaleReference(app: policy.app, environment: environment, key: $0)
            }
        }
    }

    /// Gives the rights of the sales to whoever their owners are now.
    func lay(_ sales: [SaleReference]) throws {
        for sale in sales { try RightHolders.lay(sale, in: transaction) }
    }

    /// Closes the merged customer's wallets, or opens them again.
    func close(_ isClosed: Bool) throws {
        for environment in environments {
            try transaction.close(isClosed, wallet: merge.source, policy.app, environment)
        }
    }

    /// Tells both customers' readers, wherever the merged one ever had anything.
    func publish(_ cause: String) throws {
        let data: JSONValue = [
            "merge_id": .string(merge.mergeID.description), "transfer_id": .null,
            "from_customer_id": .optional(try transaction.customerID(from(cause))?.rawValue),
            "to_customer_id": .optional(try transaction.customerID(to(cause))?.rawValue),
            "cause": .string(cause),
        ]
        for environment in environments {
            guard try transaction.sequence(policy.app, environment, merge.source) > 0 else {
                continue
            }
            for customer in [merge.source, merge.target].sorted() {
                try Publisher(transaction: transaction, epoch: epoch, now: now).publish(
                    EventDraft(
                        id: DerivedID.digest([
                            cause, merge.mergeID.description, environment.rawValue,
                            customer.description,
                        ]),
                        type: .ownershipChanged, app: policy.app, environment: environment,
                        customer: customer, data: data))
            }
        }
    }

    private func from(_ cause: String) -> UniqueID {
        cause == "merge" ? merge.source : merge.target
    }

    private func to(_ cause: String) -> UniqueID {
        cause == "merge" ? merge.target : merge.source
    }
}

// MARK: Units

extension MergeMove {
    /// Moves every lot of the merged customer, debts too; each keeps its sale, its price and its end.
    func moveUnits() throws {
        for environment in environments { try moveUnits(in: environment) }
    }

    /// Moves what is in the merged customer's wallet of one environment; a reversal may have put something
    /// there since.
    func moveUnits(in environment: AppStoreEnvironment) throws {
        var count = 0
        let balances = try transaction.balances(policy.app, environment, merge.source)
        for balance in balances where balance.amount != 0 {
            guard balance.kind.hasLots else { throw MergeRefusal.unitsHeld }
            let from = account(merge.source, environment, balance)
            let to = account(merge.target, environment, balance)
            let lots = try transaction.openLots(
                of: from, after: nil, limit: Int64(Limits.mergedRows) + 1)
            count += lots.count
            guard count <= Limits.mergedRows else { throw MergeRefusal.tooLarge }
            for lot in lots { try move(lot, from, to) }
        }
    }

    private func move(_ lot: LotRecord, _ from: AccountRecord, _ to: AccountRecord) throws {
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
    }

    /// Gives the merged customer back what it brought.
    func returnUnits() throws {
        for environment in environments {
            let balances = try transaction.balances(policy.app, environment, merge.source)
            for balance in balances where balance.kind.hasLots {
                let own = account(merge.source, environment, balance)
                let theirs = account(merge.target, environment, balance)
                for lot in try closedLots(of: own) {
                    for brought in try broughtLots(of: lot, to: theirs)
                    where try !isSettled(brought) {
                        if own.kind == .debt {
                            try returnDebt(brought, to: lot)
                        } else {
                            try returnUnits(of: brought, to: lot)
                        }
                    }
                }
            }
            try payDebts(in: environment)
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
    private func returnUnits(of brought: LotRecord, to lot: LotRecord) throws {
        let expired = try transaction.lotUses(of: brought.lotID)
            .filter { $0.kind == TransferKind.expiry.rawValue }
            .reduce(0) { $0 + $1.use.amount }
        let due =
            try isRefunded(brought) ? brought.remaining : brought.amount - expired
        let there = min(brought.remaining, due)
        if there > 0 {
            let transfer = returning(
                brought, "there", there, from: brought.account, to: lot.account)
            try transaction.post(transfer, opening: [])
            try take(there, brought, by: transfer)
            try take(-there, lot, by: transfer)
        }
        guard due > there else { return }
        let debt = AccountRecord(
            policy.app, lot.account.environment, merge.target, lot.account.unit, .debt)
        let transfer = returning(brought, "owed", due - there, from: debt, to: lot.account)
        try transaction.post(transfer, opening: [debt])
        try transaction.add(LotRecord(transfer, on: debt))
        try take(there - due, lot, by: transfer)
    }

    /// Whether it is a credit that has made a purchase smaller since; that came to the target.
    private func isSettled(_ lot: LotRecord) throws -> Bool {
        guard let key = lot.sale else { return false }
        return try transaction.isCredit(key, settledSince: merge.mergeID)
    }

    private func isRefunded(_ lot: LotRecord) throws -> Bool {
        guard let key = lot.sale else { return false }
        let sale = SaleReference(
            app: policy.app, environment: lot.account.environment, key: key)
        return try transaction.refunds(of: sale).last?.revocationDate != nil
    }

    /// The target pays at once what it can, if the app's policy pays debts.
    private func payDebts(in environment: AppStoreEnvironment) throws {
        guard policy.wallet.purchasesPayDebt else { return }
        var wallet = try Wallet(transaction, policy, environment, of: merge.target, at: now)
        let balances = try transaction.balances(policy.app, environment, merge.target)
        for balance in balances where balance.kind == .debt && balance.amount < 0 {
            try wallet.payDebt(
                balance.unit, for: WalletAct(.debtPayment, .operation(merge.mergeID)))
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
}
