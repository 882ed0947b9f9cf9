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
    func settleRefund(of sale: SaleRecord, in family: Family) throws {
        guard var grant = try transaction.grant(sale.reference, revision: 0),
            let standing = family.standing(
                ofSale: sale.reference.key, givenFor: grant.transactionID)
        else { return }
        if standing.isSurplus, grant.state == .parked {
            try transaction.save(grant.withdrawn(at: now))
        }
        guard let frozen = grant.frozenGoods, !frozen.isEmpty, let receiver = grant.customer,
            let record = family.member(grant.transactionID),
            standing.share != nil || sale.revision > 0
        else { return }
        let change = try SaleChange(of: grant, frozen, record, standing, in: transaction)
        guard !change.isEmpty else { return }

        // The rights may have moved on, or be shared; and the customer may be one with another now.
        let customer = try transaction.current(receiver)
        let holders = Set(change.periods.map(\.customer))
        let touched = try lockWallets(
            of: grant, change, and: holders.union([customer, receiver]))
        grant.customer = customer
        let others = try touched.subtracting([customer]).sorted().map {
            try Wallet(transaction, policy, sale.reference.environment, of: $0, at: now)
        }
        let refund = try refundRecord(
            change, standing, of: sale, customer, family, transactionID: record.transactionID)
        try transaction.setRevision(refund.revision, of: sale.reference)
        let shortfalls = try moveGoods(change, of: grant, as: refund.revision)
        try lay(change.periods, of: sale.reference)
        let changed = changedGrant(grant, refund, change)
        try transaction.save(changed)
        try transaction.insert(refund)
        let owed = try settleShortfalls(
            shortfalls, of: refund, refunded: change.price.refunded)
        try publish(refund, changed, record, change, owed)
        for holder in holders.subtracting([customer]).sorted() {
            try publish(change.rights(of: holder), of: holder, refund, changed, record)
        }
        for before in others { try publish(change.goods, refund, since: before) }
    }

    /// Locks the wallets of all whom the change may touch: where merges were undone since, those of
    /// everybody who had the units, or was charged for them.
    ///
    /// - Parameter grant: With whoever received it first.
    private func lockWallets(
        of grant: GrantRecord, _ change: SaleChange, and others: Set<UniqueID>
    ) throws -> Set<UniqueID> {
        let sale = grant.sale
        let touched = { () throws -> Set<UniqueID> in
            var customers = others
            if change.goods.givesBack {
                let lots = try SaleLots(
                    given: grant.givingTransfers(change.credits, at: now),
                    owed: try transaction.refundTransfers(
                        of: sale, since: change.firstOpenRevision), in: transaction)
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

    /// The change as a row of the sale's history; the customer's wallet is locked.
    private func refundRecord(
        _ change: SaleChange, _ standing: Family.Standing, of sale: SaleRecord,
        _ customer: UniqueID, _ family: Family, transactionID: TransactionID
    ) throws -> RefundRecord {
        var refund = RefundRecord(
            sale: sale.reference, revision: sale.revision + 1, customer: customer,
            transactionID: change.refunded?.transactionID ?? transactionID,
            revocationDate: standing.revoked.compactMap { $0.revocation?.value.date }.min(),
            isOfMoney: change.share?.isOfMoney ?? false, price: change.price.change, createdAt: now)
        refund.cause = ChangeCause.of(
            standing, goods: change.movesGoods, refunded: change.price.refunded,
            members: family.members, earlier: change.history.map(\.cause))
        refund.sequence = try transaction.sequence(
            sale.reference.app, sale.reference.environment, customer)
        return refund
    }

    /// Brings the beginning of the family's rights in line with what is known of when they were bought: an
    /// earlier copy may come later.
    func settleStarts(of family: Family) throws {
        guard family.members.count > 1 else { return }
        let record = family.record
        let grants = try transaction.grants(
            record.app, record.environment,
            ofSalesWithPrefix: SaleKey.prefix(of: record.identity.value.originalTransactionID))
        for grant in grants {
            guard
                let standing = family.standing(
                    ofSale: grant.sale.key, givenFor: grant.transactionID)
            else { continue }
            var periods = try transaction.entitlementPeriods(of: grant.sale)
                .filter { $0.purchaseDate != standing.boughtAt }
            for place in periods.indices { periods[place].purchaseDate = standing.boughtAt }
            for holder in Set(periods.map(\.customer)).sorted() {
                try transaction.lockWallet(grant.sale.app, grant.sale.environment, holder)
            }
            try lay(periods, of: grant.sale)
        }
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
        _ change: SaleChange, of grant: GrantRecord, as revision: Int64
    ) throws -> [Shortfall] {
        guard let customer = grant.customer else { return [] }
        let goods = change.goods
        let isHeldHere = { (amount: RefundedGoods.UnitAmount) in amount.holder == .counterfoil }
        guard goods.wanted.contains(where: isHeldHere) else { return [] }
        if goods.givesBack {
            try giveBack(
                of: grant, change.credits,
                try transaction.refundTransfers(of: grant.sale, since: change.firstOpenRevision),
                for: WalletAct(.reversal, .sale(grant.sale, revision: revision)))
        }
        var wallet = try Wallet.locked(
            transaction, policy, grant.sale.environment, of: customer, at: now)
        let act = WalletAct(.refund, .sale(grant.sale, revision: revision))
        let keys = [grant.sale.key] + change.credits.map(\.lotKey)
        var shortfalls: [Shortfall] = []
        for (taken, wanted) in zip(goods.taken, goods.wanted) where isHeldHere(wanted) {
            let (paid, bonus) =
                goods.givesBack
                ? (wanted.paid, wanted.bonus)
                : (wanted.paid - taken.paid, wanted.bonus - taken.bonus)
            guard paid + bonus > 0 else { continue }
            let back = try wallet.takeBack(
                wanted.unit, paid: paid, bonus: bonus, of: keys, for: act)
            guard back.owed > 0 else { continue }
            shortfalls.append(
                Shortfall(
                    unit: wanted.unit, amount: back.owed,
                    debt: act.transferID("refund:debt:\(wanted.unit)")))
        }
        if goods.givesBack {
            let act = WalletAct(.debtPayment, .sale(grant.sale, revision: revision))
            let departure = Wallet.Departure(
                sequence: change.leftIn?.customer == customer ? change.leftIn?.sequence : nil,
                at: change.leftIn?.createdAt ?? now)
            for wanted in goods.wanted where isHeldHere(wanted) {
                try wallet.setOffDebt(wanted.unit, since: departure, for: act)
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

    private func changedGrant(
        _ grant: GrantRecord, _ refund: RefundRecord, _ change: SaleChange
    ) -> GrantRecord {
        var changed = GrantRecord(
            sale: grant.sale, revision: refund.revision,
            grantID: DerivedID.of(refund, "grant"),
            customer: grant.customer, transactionID: refund.transactionID,
            productID: grant.productID, quantity: grant.quantity, state: .due, createdAt: now)
        changed.goods = JSONValue.array(change.goodsJSON).text
        changed.catalogueVersion = grant.catalogueVersion
        changed.order = grant.order
        return changed
    }

    // MARK: Money

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
        _ change: SaleChange, _ debts: (owed: [Shortfall], writtenOff: [Shortfall])
    ) throws {
        let order = try grant.order.flatMap { try transaction.order(policy.app, id: $0) }
        var data = EventBody.sale(record, grant, goods: grant.goodsJSON, order: order)
        data.append("remaining", .array(change.goods.remaining.map(\.json)))
        data.append("revision", .integer(refund.revision))
        data.append("revocation", change.refunded?.refundJSON ?? .null)
        data.append("refunded_price", refund.price?.json ?? .null)
        data.append("debt", .array(debts.owed.map(\.json)))
        data.append("written_off", .array(debts.writtenOff.map(\.json)))
        data.append("suggests_ban", .bool(try suggestsBan(refund)))
        let type: EventType = change.isReversal ? .grantRestored : .grantReversed
        try Publisher(transaction: transaction, epoch: epoch, now: now).publish(
            EventDraft(
                id: DerivedID.of(refund, "event:\(type.rawValue)"), type: type,
                app: refund.sale.app, environment: refund.sale.environment,
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
                id: DerivedID.of(refund, "event:rights:\(holder)"),
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
        try WalletEvent(
            kind: .reversal,
            operationID: DerivedID.of(refund, "event:wallet:\(before.customer)")
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
