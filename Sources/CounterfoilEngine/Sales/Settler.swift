// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Settles sales inside one database transaction: load, decide, apply.
///
/// It may be called by anything at any time; settling what is settled changes nothing.
struct Settler {
    let policy: AppPolicy
    let transaction: any WriteTransaction
    let epoch: UniqueID
    let now: Instant

    /// What was decided, and why an order that the client named had no part in it.
    typealias Result = (decision: Decision, note: OrderNote?)

    /// Joins proven facts about one transaction with what is stored about it, and locks that.
    ///
    /// - Parameters:
    ///   - first: What the evidence says about the transaction.
    ///   - more: What the same evidence says about it again.
    func take(_ first: VerifiedFact, _ more: [VerifiedFact] = []) throws -> TakenFacts {
        let record = try transaction.locked(TransactionRecord(first, app: policy.app, at: now))
        var joined = record
        for copy in [first] + more { joined.join(copy) }
        return TakenFacts(stored: record.isFresh ? nil : record, joined: joined)
    }

    /// Settles the sale of facts that were taken in.
    ///
    /// - Parameter claim: Who claims exactly this transaction, if anybody does.
    @discardableResult
    func settle(_ facts: TakenFacts, claim: Claim) throws -> Result {
        try settle(
            facts.joined, claim: claim, hasNewRefund: facts.haveNewRefund,
            hasNewPrice: facts.joined.paidPrice != facts.stored?.paidPrice,
            hasNewToken: facts.joined.ownership?.value.appAccountToken
                != facts.stored?.ownership?.value.appAccountToken)
    }

    /// Settles the sale of a stored transaction again, after what it waited for may have come; the
    /// transaction is locked.
    ///
    /// - Parameters:
    ///   - hasNewRefund: Whether it became known just now that, when or until when it was refunded.
    ///   - hasNewPrice: Whether it became known just now what was paid.
    ///   - hasNewToken: Whether its token became known just now.
    @discardableResult
    func settle(
        _ record: TransactionRecord, claim: Claim, hasNewRefund: Bool = false,
        hasNewPrice: Bool = false, hasNewToken: Bool = false
    ) throws -> Result {
        let typing = try typing(of: record)
        let family = try lockedFamily(of: record, typing)
        var input = SettlementInput(
            record: record, typing: typing, sale: nil,
            soldAt: family.standing?.boughtAt ?? record.identity.value.purchaseDate,
            refund: RefundShare(of: [record]),
            owner: .unknown(.noOwner), claimant: claim.customer, grant: nil,
            catalogue: policy.catalogue,
            deliverFrom: try deliverFrom(record.environment), now: now)
        var recorded = record.owner
        var sales: [SaleRecord] = []
        if case .known(let type) = typing {
            sales = try lockSales(of: family, type)
            if let sale = sales.first?.reference {
                input.sale = sale
                input.grant = try transaction.grant(sale, revision: 0)
                input.refund = family.standing?.share
                if type == .nonConsumable {
                    recorded = try transaction.owner(of: record.original, family.members)
                }
            } else {
                // Another type of sale has given the goods already.
                input.typing = .unknown(.typeMismatch)
            }
        }
        let result = try conclude(
            &input, recorded: recorded, family, claim, hasNewToken: hasNewToken)
        if hasNewPrice { try tellPrice(of: record) }
        for sale in sales { try settleRefund(of: sale, in: family) }
        try settleStarts(of: family)
        try reconsider(family, typing, input.owner, hasNewRefund: hasNewRefund)
        return result
    }

    private func conclude(
        _ input: inout SettlementInput, recorded: UniqueID?, _ family: Family,
        _ claim: Claim, hasNewToken: Bool
    ) throws -> Result {
        let recorded = try recorded.map { key in
            let current = try transaction.current(key)
            input.mergedOwner = current == key ? nil : key
            return current
        }
        input.grantHolder = try input.grant?.customer.map { try transaction.current($0) }
        if input.grant?.state.waits ?? false { input.grant?.customer = input.grantHolder }
        let isSettled =
            input.grant?.goods != nil && input.grant?.transactionID == input.record.transactionID
        let finding = try OwnerSearch(
            transaction: transaction, record: input.record, recorded: recorded, claim: claim,
            isSettled: isSettled
        ).run()
        input.owner = finding.owner
        input.order = finding.order
        if input.grant?.goods == nil || input.grant?.state.waits ?? false {
            input.terms = try Terms(
                of: input.record, order: input.order, catalogue: input.catalogue)
            if let sale = input.sale, case .known(let type) = input.typing {
                input.formerDelivery = try formerDelivery(of: sale, type, in: family)
            }
        }
        let dispute = try dispute(over: input, family.members, hasNewToken: hasNewToken)
        if let receiver = input.receiver {
            // Whoever credits the customer meanwhile waits, and then sees that this was granted.
            try transaction.lockWallet(policy.app, input.record.environment, receiver)
            input.credits = try transaction.creditsStanding(
                for: input.record.transactionID, or: input.order?.orderID, policy.app,
                input.record.environment, of: receiver)
        }
        let settlement = Settlement(input)
        try apply(settlement, input)
        let decision =
            try dispute.map { try settle($0, settlement, input) } ?? settlement.decision
        return (decision, finding.note)
    }

    /// From when on this environment's purchases are ours to deliver.
    ///
    /// An environment may leave the configuration while purchases of it wait; guessing a day would
    /// freeze a wrong decision, so their jobs wait until it is back.
    private func deliverFrom(_ environment: AppStoreEnvironment) throws -> Instant {
        guard let instant = policy.deliverFrom[environment] else {
            throw JobError("deliver_from does not name \(environment)")
        }
        return instant
    }

    // MARK: Load

    /// Whether the studio says that any transaction of the sale was delivered by its former backend, or
    /// that it was not. What it says of an original is about its first sale: bought again after a refund
    /// it is another.
    private func formerDelivery(
        of sale: SaleReference, _ type: SaleType, in family: Family
    ) throws -> Bool? {
        var ids = family.members.map(\.transactionID).filter { family.key(of: $0) == sale.key }
        let original = family.record.identity.value.originalTransactionID.rawValue
        if type != .nonConsumable || family.isOfFirstSale,
            let id = try? TransactionID(original), !ids.contains(id)
        {
            ids.append(id)
        }
        let words = try ids.compactMap {
            try transaction.formerDelivery(policy.app, sale.environment, $0)
        }
        return words.contains(true) ? true : words.first
    }

    /// A sale's type never changes; before there is one, evidence and catalogue decide.
    private func typing(of record: TransactionRecord) throws -> SaleTyping {
        if let key = record.sale {
            let reference = SaleReference(
                app: record.app, environment: record.environment, key: key)
            let type = try transaction.sale(reference).flatMap { SaleType(rawValue: $0.type) }
            if let type { return .known(type) }
        }
        return SaleTyping(record, catalogue: policy.catalogue)
    }

    /// Whether the same purchase was sold as another type before, while the catalogue was wrong.
    private func belongsElsewhere(
        _ record: TransactionRecord, _ type: SaleType, _ sale: SaleReference
    ) throws -> Bool {
        for identity in SaleKey.identities(of: sale.key, type: type) {
            let holder = try transaction.saleKey(
                sale.app, sale.environment, identity: identity)
            if let holder, holder != sale.key { return true }
        }
        return false
    }

    /// The family of the transaction, locked.
    private func lockedFamily(
        of record: TransactionRecord, _ typing: SaleTyping
    ) throws -> Family {
        if typing == .known(.nonConsumable) {
            try transaction.lockOriginal(
                record.app, record.environment, record.identity.value.originalTransactionID)
        }
        return try transaction.family(of: record, typing)
    }

    /// Locks the sale that the transaction belongs to, and those of the family that turned out to be none:
    /// what they gave goes back in the same step as what they are restores of.
    ///
    /// - Returns: The transaction's own first; none if it was sold as another type.
    private func lockSales(of family: Family, _ type: SaleType) throws -> [SaleRecord] {
        let record = family.record
        guard let key = family.key(of: record.transactionID) else { return [] }
        let own = SaleReference(app: record.app, environment: record.environment, key: key)
        guard try !belongsElsewhere(record, type, own) else { return [] }
        var locked: [String: SaleRecord] = [:]
        for key in ([key] + family.surplus).sorted() {
            let sale = SaleReference(app: record.app, environment: record.environment, key: key)
            locked[key] = try lock(sale, of: record, type)
        }
        return ([key] + family.surplus).compactMap { locked[$0] }
    }

    private func lock(
        _ sale: SaleReference, of record: TransactionRecord, _ type: SaleType
    ) throws -> SaleRecord {
        let fresh = SaleRecord(
            reference: sale, type: type.rawValue, productID: record.identity.value.productID,
            customer: nil, revision: 0, createdAt: now)
        let stored = try transaction.lockSale(fresh)
        guard stored.createdAt == now else { return stored }
        for identity in SaleKey.identities(of: sale.key, type: type) {
            try transaction.addSaleKey(identity, to: sale)
        }
        return stored
    }

    // MARK: Apply

    private func apply(_ settlement: Settlement, _ input: SettlementInput) throws {
        try transaction.save(settlement.record)
        if settlement.record.parking != input.record.parking {
            try lookAgain(at: settlement.record)
        }
        if let grant = settlement.grant, grant != input.grant { try transaction.save(grant) }
        let owner = input.owner.customer
        if let owner, let sale = input.sale,
            input.record.owner == nil || input.record.sale != sale.key
        {
            try transaction.setFirstOwner(owner, of: sale)
        }
        let order = try settleOrder(settlement, input)
        let receiver = settlement.receiver(input)
        if let receiver, settlement.event != nil, receiver != input.receiver {
            try transaction.lockWallet(policy.app, input.record.environment, receiver)
        }
        if let receiver, let sale = input.sale, !settlement.delivered.isEmpty {
            try deliver(settlement, of: sale, to: receiver, input)
        }
        if let type = settlement.event { try publish(type, settlement, input, order) }
    }

    /// Tells the order what its payment has come to, and returns it as it stands then.
    private func settleOrder(
        _ settlement: Settlement, _ input: SettlementInput
    ) throws -> OrderRecord? {
        guard let order = input.order else { return nil }
        let payment = OrderPayment(
            sale: input.sale?.key, isRevoked: input.refund.map { !$0.leavesUnits } ?? false,
            isGranted: settlement.grant?.goods != nil)
        return try Orders(transaction, epoch: epoch, at: now).settle(
            payment, by: settlement.record.transactionID, in: settlement.record.environment,
            on: order, isTold: settlement.event != nil)
    }

    /// Where several transactions write at the same time, the token may be registered by one that
    /// does not see this purchase yet, while this one does not see the token.
    private func lookAgain(at record: TransactionRecord) throws {
        guard !transaction.hasSingleWriter, let parking = record.parking,
            parking.reason == Reason.unknownToken.rawValue
        else { return }
        let job = ParkedJob(
            environment: record.environment, reason: .unknownToken, cause: parking.cause)
        try transaction.enqueue(job.record(app: policy.app, at: now))
    }

    /// Owes a look at the other transactions of the original where this one decides about them: by a
    /// refund they may be sales of their own, and the first owner is theirs too.
    ///
    /// A job does it, since a transaction here locks few sales; and it is owed last, as jobs are locked
    /// in one order.
    private func reconsider(
        _ family: Family, _ typing: SaleTyping, _ owner: Owner, hasNewRefund: Bool
    ) throws {
        let record = family.record
        switch typing {
        case .known(.nonConsumable):
            guard family.members.count > 1,
                hasNewRefund || owner.isFirst || record.isFresh && family.recordMovesOthers
            else { return }
        case .known:
            return
        case .unknown:
            // What one has no type for may be a non-consumable by what the others say.
            guard hasNewRefund else { return }
        }
        try transaction.enqueue(FamilyJob(of: record).record(app: policy.app, at: now))
    }

    private func deliver(
        _ settlement: Settlement, of sale: SaleReference, to customer: UniqueID,
        _ input: SettlementInput
    ) throws {
        let goods = settlement.delivered
        for credit in input.credits where goods.contains(where: { $0.unit == credit.unit }) {
            try transaction.settle(credit, with: sale)
        }
        if goods.contains(where: \.isHeldHere) {
            var wallet = try Wallet(
                transaction, policy, sale.environment, of: customer, at: now)
            try wallet.issue(goods, of: sale, price: settlement.record.paidPrice)
        }
        let fresh = goods.compactMap {
            EntitlementPeriodRecord(
                $0, settlement.record, of: sale, to: customer, boughtAt: input.soldAt)
        }
        guard !fresh.isEmpty else { return }
        for period in fresh { try transaction.save(period) }
        let all = try transaction.entitlementPeriods(sale.app, sale.environment, customer)
        for period in EntitlementPeriods.changed(in: all) { try transaction.save(period) }
    }

    /// Tells the lots of a sale what was paid for them, if goods of it were given before that was known.
    private func tellPrice(of record: TransactionRecord) throws {
        guard let key = record.sale, !record.isFresh else { return }
        let sale = SaleReference(app: record.app, environment: record.environment, key: key)
        guard let grant = try transaction.grant(sale, revision: 0),
            grant.transactionID == record.transactionID, let customer = grant.customer,
            let goods = grant.frozenGoods, goods.contains(where: \.isHeldHere)
        else { return }
        // Merges may have brought the lots to another customer.
        for key in Set([customer, try transaction.current(customer)]).sorted() {
            try transaction.lockWallet(policy.app, record.environment, key)
        }
        let wallet = try Wallet(
            transaction, policy, record.environment, of: customer, at: now)
        try wallet.setPrice(record.paidPrice, ofLotsOf: sale, goods: goods)
    }

    private func publish(
        _ type: EventType, _ settlement: Settlement, _ input: SettlementInput,
        _ order: OrderRecord?
    ) throws {
        let record = settlement.record
        let kind = DerivedID.kind(of: type, isSecondStep: input.grant?.goods != nil)
        let id =
            input.sale.map { DerivedID.of($0, kind, revision: 0) } ?? DerivedID.of(record, kind)
        // What is parked, freed and parked again is news once.
        if type == .purchaseParked, try transaction.hasEvent(id) { return }
        try Publisher(transaction: transaction, epoch: epoch, now: now).publish(
            EventDraft(
                id: id, type: type, app: policy.app, environment: record.environment,
                customer: settlement.receiver(input),
                data: EventBody.data(
                    of: record, grant: settlement.grant, goods: settlement.delivered,
                    reason: type == .purchaseParked ? settlement.decision.reason : nil,
                    order: order)))
    }
}
