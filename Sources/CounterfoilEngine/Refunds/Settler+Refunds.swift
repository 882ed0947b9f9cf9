// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// What a refund does to a sale that had given goods (docs/refunds.md).
extension Settler {
    /// Brings the goods of a sale in line with what is known of its refund. The sale is locked; doing it
    /// again changes nothing.
    ///
    /// - Parameter family: As settling loaded it, with the transaction in its newest form.
    func settleRefund(
        of sale: SaleRecord, _ type: SaleType, in family: [TransactionRecord]
    ) throws {
        guard var grant = try transaction.grant(sale.reference, revision: 0),
            let frozen = grant.frozenGoods, !frozen.isEmpty, let receiver = grant.customer,
            let record = family.first(where: { $0.transactionID == grant.transactionID })
        else { return }
        let revoked = try revoked(with: record, in: family, type, of: sale.reference)
        guard !revoked.isEmpty || sale.revision > 0 else { return }
        let revisions = try transaction.laterGrants(of: sale.reference)
        let credits = try transaction.credits(of: sale.reference)
        let share = RefundShare(of: revoked)
        let goods = RefundedGoods(
            frozen: frozen + CreditOffset.goods(of: credits), quantity: grant.quantity,
            revisions: revisions.map { $0.frozenGoods ?? [] }, share: share)
        let change = goods.change
        var periods = try transaction.entitlementPeriods(of: sale.reference)
            .filter { $0.isRevoked == goods.rightsStand }
        let price = try priceChange(of: sale.reference, record, grant, share)
        guard
            !change.isEmpty || !periods.isEmpty
                || price.change.map({ $0.amountMilli != 0 }) ?? false
        else { return }

        // The rights may have moved on, or be shared; and the customer may be one with another now.
        let customer = try transaction.current(receiver)
        let holders = Set(periods.map(\.customer))
        let touched = try lockWallets(
            of: grant, credits, revisions, goods, and: holders.union([customer, receiver]))
        grant.customer = customer
        let others = try touched.subtracting([customer]).sorted().map {
            try Wallet(transaction, policy, sale.reference.environment, of: $0, at: now)
        }
        let revision = sale.revision + 1
        try transaction.setRevision(revision, of: sale.reference)
        let shortfalls = try moveGoods(goods, of: grant, credits, revisions, as: revision)
        for place in periods.indices { periods[place].isRevoked = !goods.rightsStand }
        try lay(periods, of: sale.reference)
        let changed = changedGrant(
            grant, revision, change.map(\.json) + rights(periods),
            of: revoked.largestRefund ?? record)
        try transaction.save(changed)
        let refund = RefundRecord(
            sale: sale.reference, revision: revision, customer: customer,
            transactionID: changed.transactionID,
            revocationDate: revoked.compactMap { $0.revocation?.value.date }.min(),
            isOfMoney: share.map { !$0.isOfAccessOnly } ?? false, price: price.change,
            createdAt: now)
        try transaction.insert(refund)
        let owed = try settleShortfalls(shortfalls, of: refund, refunded: price.refunded)
        let isReversal = goods.rightsStand || goods.givesBack
        try publish(refund, changed, record, revoked.largestRefund, isReversal, owed)
        for holder in holders.subtracting([customer]).sorted() {
            try publish(
                rights(periods.filter { $0.customer == holder }), of: holder, refund, changed,
                record)
        }
        for before in others { try publish(goods, refund, since: before) }
    }

    /// Locks the wallets of all whom the change may touch: where merges were undone since, those of
    /// everybody who had the units, or was charged for them.
    ///
    /// - Parameter grant: With whoever received it first.
    private func lockWallets(
        of grant: GrantRecord, _ credits: [CreditRecord], _ revisions: [GrantRecord],
        _ goods: RefundedGoods, and others: Set<UniqueID>
    ) throws -> Set<UniqueID> {
        let sale = grant.sale
        let touched = { () throws -> Set<UniqueID> in
            var customers = others
            if goods.givesBack {
                let lots = try SaleLots(
                    given: grant.givingTransfers(credits, at: now),
                    owed: try transaction.refundTransfers(
                        of: sale, since: revisions.firstOpenRevision), in: transaction)
                customers.formUnion(lots.customers)
            }
            for customer in customers {
                var key = customer
                while let merge = try transaction.standingMerge(of: key) {
                    key = merge.target
                    customers.insert(key)
                }
            }
            return customers
        }
        let customers = try touched()
        for key in customers.sorted() {
            try transaction.lockWallet(sale.app, sale.environment, key)
        }
        guard try touched() == customers else {
            throw DatabaseError(.busy, "customers were merged or parted just now")
        }
        return customers
    }

    // MARK: Goods

    /// What was no longer there, by unit.
    private struct Shortfall {
        let unit: UnitID
        let amount: Int64

        /// The debt that it became.
        let debt: UniqueID

        var json: JSONValue {
            ["unit": .string(unit.rawValue), "amount": .integer(amount)]
        }
    }

    /// Moves units between the wallet and what was issued. Units that the game holds are the game's to
    /// move: the event tells it.
    private func moveGoods(
        _ goods: RefundedGoods, of grant: GrantRecord, _ credits: [CreditRecord],
        _ revisions: [GrantRecord], as revision: Int64
    ) throws -> [Shortfall] {
        guard let customer = grant.customer else { return [] }
        let isHeldHere = { (amount: RefundedGoods.UnitAmount) in amount.holder == .counterfoil }
        guard goods.wanted.contains(where: isHeldHere) else { return [] }
        if goods.givesBack {
            try giveBack(
                of: grant, credits,
                try transaction.refundTransfers(
                    of: grant.sale, since: revisions.firstOpenRevision),
                for: WalletAct(.reversal, .sale(grant.sale, revision: revision)))
        }
        var wallet = try Wallet.locked(
            transaction, policy, grant.sale.environment, of: customer, at: now)
        let act = WalletAct(.refund, .sale(grant.sale, revision: revision))
        var shortfalls: [Shortfall] = []
        for (taken, wanted) in zip(goods.taken, goods.wanted) where isHeldHere(wanted) {
            let (paid, bonus) =
                goods.givesBack
                ? (wanted.paid, wanted.bonus)
                : (wanted.paid - taken.paid, wanted.bonus - taken.bonus)
            guard paid + bonus > 0 else { continue }
            let back = try wallet.takeBack(
                wanted.unit, paid: paid, bonus: bonus, of: [grant.sale.key] + credits.map(\.lotKey),
                for: act)
            guard back.owed > 0 else { continue }
            shortfalls.append(
                Shortfall(
                    unit: wanted.unit, amount: back.owed,
                    debt: act.transferID("refund:debt:\(wanted.unit)")))
        }
        if goods.givesBack {
            let act = WalletAct(.debtPayment, .sale(grant.sale, revision: revision))
            let open = revisions.first { $0.revision >= revisions.firstOpenRevision }
            for wanted in goods.wanted where isHeldHere(wanted) {
                try wallet.setOffDebt(wanted.unit, since: open?.createdAt ?? now, for: act)
            }
        }
        return shortfalls
    }

    /// Gives back what refunds took, to those from whom they took it. Where customers were parted since,
    /// the one whose it was has it back from the other; of one who was merged since it goes on to whom
    /// that one is now.
    private func giveBack(
        of grant: GrantRecord, _ credits: [CreditRecord], _ transfers: [UniqueID],
        for act: WalletAct
    ) throws {
        let environment = grant.sale.environment
        let lots = try SaleLots(
            given: grant.givingTransfers(credits, at: now), owed: transfers, in: transaction)
        for id in transfers {
            guard let taken = try transaction.transfer(id), let customer = taken.from.customer
            else { throw LedgerError.noSuchTransfer }
            var wallet = try Wallet(transaction, policy, environment, of: customer, at: now)
            try wallet.mirror(id, for: act)
        }
        for move in lots.moves {
            guard let id = try transaction.transfer(move.transfer)?.operationID,
                let merge = try transaction.merge(policy.app, id: id), merge.undoneAt != nil
            else { continue }
            let brought = try BroughtLot(
                move.transfer, from: move.source, by: merge, in: transaction)
            try self.move(by: merge).returnLate(brought)
        }
        for customer in lots.customers.sorted() {
            var key = customer
            while let merge = try transaction.standingMerge(of: key) {
                try move(by: merge).moveUnits(in: environment)
                key = merge.target
            }
        }
    }

    private func move(by merge: MergeRecord) -> MergeMove {
        MergeMove(merge: merge, policy: policy, transaction: transaction, epoch: epoch, now: now)
    }

    /// Lays the periods of all who have the sale's rights out anew, these in their new form.
    private func lay(_ periods: [EntitlementPeriodRecord], of sale: SaleReference) throws {
        for period in periods { try transaction.save(period) }
        for holder in Set(periods.map(\.customer)).sorted() {
            let all = try transaction.entitlementPeriods(sale.app, sale.environment, holder)
            for period in EntitlementPeriods.changed(in: all) { try transaction.save(period) }
        }
    }

    /// The rights as a change of them tells, each once, however many customers have them.
    private func rights(_ periods: [EntitlementPeriodRecord]) -> [JSONValue] {
        var told: Set<EntitlementID> = []
        return periods.filter { told.insert($0.entitlement).inserted }.map(\.rightJSON)
    }

    private func changedGrant(
        _ grant: GrantRecord, _ revision: Int64, _ goods: [JSONValue],
        of record: TransactionRecord
    ) -> GrantRecord {
        var changed = GrantRecord(
            sale: grant.sale, revision: revision,
            grantID: DerivedID.of(grant.sale, "grant", revision: revision),
            customer: grant.customer, transactionID: record.transactionID,
            productID: grant.productID, quantity: grant.quantity, state: .due, createdAt: now)
        changed.goods = JSONValue.array(goods).text
        changed.catalogueVersion = grant.catalogueVersion
        changed.order = grant.order
        return changed
    }

    // MARK: Money

    /// How much of the price is refunded altogether, and by how much the sale's revenue changes with
    /// that, so that the sum over its events is what is left of it; nil while no evidence tells the
    /// price, which is booked when one does.
    private func priceChange(
        of sale: SaleReference, _ record: TransactionRecord, _ grant: GrantRecord,
        _ share: RefundShare?
    ) throws -> (refunded: Money?, change: Money?) {
        guard let price = record.paidPrice else { return (nil, nil) }
        let back = share?.part(of: price.amountMilli, quantity: grant.quantity) ?? 0
        let before = try transaction.refunds(of: sale).compactMap(\.price)
            .filter { $0.currency == price.currency }.reduce(0) { $0 + $1.amountMilli }
        return (
            Money(amountMilli: back, currency: price.currency),
            Money(amountMilli: -back - before, currency: price.currency)
        )
    }

    /// Writes shortfalls of small refunds off, as the policy says.
    ///
    /// - Returns: What is owed, and what was written off.
    private func settleShortfalls(
        _ shortfalls: [Shortfall], of refund: RefundRecord, refunded price: Money?
    ) throws -> (owed: [Shortfall], writtenOff: [Shortfall]) {
        guard !shortfalls.isEmpty, let price,
            let limit = policy.refunds.writesOffBelow[price.currency], price.amountMilli < limit
        else { return (shortfalls, []) }
        var wallet = try Wallet.locked(
            transaction, policy, refund.sale.environment, of: refund.customer, at: now)
        let act = WalletAct(.writeOff, .sale(refund.sale, revision: refund.revision))
        for shortfall in shortfalls {
            try wallet.writeOff(shortfall.unit, debt: shortfall.debt, for: act)
        }
        return ([], shortfalls)
    }

    // MARK: Event

    private func publish(
        _ refund: RefundRecord, _ grant: GrantRecord, _ record: TransactionRecord,
        _ revoked: TransactionRecord?, _ isReversal: Bool,
        _ debts: (owed: [Shortfall], writtenOff: [Shortfall])
    ) throws {
        let type: EventType = isReversal ? .grantRestored : .grantReversed
        let order = try grant.order.flatMap { try transaction.order(policy.app, id: $0) }
        var data = EventBody.sale(record, grant, goods: grant.goodsJSON, order: order)
        data.append("revision", .integer(refund.revision))
        data.append("revocation", revoked?.refundJSON ?? .null)
        data.append("refunded_price", refund.price?.json ?? .null)
        data.append("debt", .array(debts.owed.map(\.json)))
        data.append("written_off", .array(debts.writtenOff.map(\.json)))
        data.append("suggests_ban", .bool(try suggestsBan(refund)))
        try Publisher(transaction: transaction, epoch: epoch, now: now).publish(
            EventDraft(
                id: DerivedID.of(
                    refund.sale, "event:\(type.rawValue)", revision: refund.revision),
                type: type, app: refund.sale.app, environment: refund.sale.environment,
                customer: refund.customer, data: .object(data)))
    }

    /// Tells somebody who has the rights, but never had the goods, of their change.
    private func publish(
        _ rights: [JSONValue], of holder: UniqueID, _ refund: RefundRecord, _ grant: GrantRecord,
        _ record: TransactionRecord
    ) throws {
        let data = EventBody.sale(record, grant, goods: .array(rights), order: nil)
        try Publisher(transaction: transaction, epoch: epoch, now: now).publish(
            EventDraft(
                id: DerivedID.of(refund.sale, "event:rights:\(holder)", revision: refund.revision),
                type: .entitlementChanged, app: refund.sale.app,
                environment: refund.sale.environment, customer: holder, data: .object(data)))
    }

    /// Tells whoever else's wallet the change has touched.
    private func publish(
        _ goods: RefundedGoods, _ refund: RefundRecord, since before: Wallet
    ) throws {
        let after = try Wallet(before, of: before.customer)
        let units = Set(goods.wanted.map(\.unit)).sorted().filter {
            before.shown($0) != after.shown($0)
        }
        guard !units.isEmpty else { return }
        let part = "event:wallet:\(before.customer)"
        try WalletEvent(
            kind: .reversal,
            operationID: DerivedID.of(refund.sale, part, revision: refund.revision)
        ).publish(from: before, to: after, units: units, epoch: epoch)
    }

    private func suggestsBan(_ refund: RefundRecord) throws -> Bool {
        guard let limit = policy.refunds.suggestsBanFrom, refund.isOfMoney else {
            return false
        }
        let count = try transaction.refundCount(
            refund.sale.app, refund.sale.environment, of: refund.customer,
            since: now - Limits.refundHistory, limit: limit)
        return count >= limit
    }
}

extension GrantRecord {
    /// The goods as they are stored; null where they cannot be read.
    var goodsJSON: JSONValue {
        (try? JSONValue(parsing: (goods ?? "[]").utf8)) ?? .null
    }

    /// Whether a later revision gave units back.
    fileprivate var givesBack: Bool {
        (frozenGoods ?? []).contains { goods in
            guard case .unit(_, let amount, let bonus, _) = goods else { return false }
            return amount > 0 || bonus > 0
        }
    }
}

extension EntitlementPeriodRecord {
    /// The right as a change of it tells, with whether it stands now.
    fileprivate var rightJSON: JSONValue {
        [
            "entitlement": .string(entitlement.rawValue), "duration": .optional(duration),
            "active": .bool(!isRevoked),
        ]
    }
}

extension [GrantRecord] {
    /// From which of a sale's revisions on nothing was undone: the last reversal undid what was before it,
    /// and may have taken a smaller share anew.
    var firstOpenRevision: Int64 { last { $0.givesBack }?.revision ?? 1 }
}

extension [TransactionRecord] {
    /// The one whose share of the refund is the largest.
    fileprivate var largestRefund: TransactionRecord? {
        self.max { one, other in
            let (a, b) = (RefundShare(of: [one]), RefundShare(of: [other]))
            return a == b ? one.transactionID > other.transactionID : (a ?? .none) < (b ?? .none)
        }
    }
}

extension TransactionRecord {
    fileprivate var refundJSON: JSONValue {
        [
            "date": .optional(revocation?.value.date?.rfc3339),
            "reason": refundTerms?.reason.map { .integer($0) } ?? .null,
            "type": .optional(refundTerms?.type),
            "percentage_milli": refundTerms?.percentageMilli.map { .integer($0) } ?? .null,
        ]
    }
}
