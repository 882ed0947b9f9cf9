// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilStore

/// What is known when one sale is settled; its row is locked.
struct SettlementInput {
    /// The transaction that settling was asked for, joined from all its copies.
    var record: TransactionRecord
    var typing: SaleTyping

    /// nil where the type is unknown, since then there is no sale.
    var sale: SaleReference?

    /// When what the sale gives was bought.
    var soldAt: Instant

    /// How much of the sale was refunded; nil for nothing. A refund of one copy ends them all.
    var refund: RefundShare?
    var owner: Owner

    /// The customer who is recorded as the owner, where that one has since been merged into another.
    var mergedOwner: UniqueID?

    /// Who received the sale's goods, as the customer that it is now.
    var grantHolder: UniqueID?
    var claimant: UniqueID?
    var grant: GrantRecord?

    /// The order that it pays; it is locked.
    var order: OrderRecord?

    /// What the product is worth; nil if nobody says so, or if nothing is left to grant.
    var terms: Terms?

    /// What was given to the receiver by hand in place of this sale, before it gave anything.
    var credits: [CreditRecord] = []

    /// Whether units may still be given.
    var isOpen: Bool {
        sale != nil && (grant?.goods == nil || grant?.state.waits ?? false)
    }

    /// Who receives them: the first owner, also where the rights of the sale have moved on.
    var receiver: UniqueID? {
        guard isOpen else { return nil }
        return grant?.goods == nil ? owner.customer : grant?.customer
    }
    var catalogue: Catalogue

    /// From when on we deliver in this environment.
    var deliverFrom: Instant

    /// What the studio says of the former backend, where it says anything; it outweighs the date.
    var formerDelivery: Bool?
    var now: Instant
}

/// What settling decided: what to store, what to hand out, what to answer.
struct Settlement {
    var record: TransactionRecord
    var grant: GrantRecord?

    /// Goods that leave now: units become transfers, rights become periods.
    var delivered: [Goods] = []
    var event: EventType?
    var decision: Decision
}

extension Settlement {
    /// Decides; a pure function of what is known, so that settling again changes nothing.
    init(_ input: SettlementInput) {
        self.init(record: input.record, grant: input.grant, decision: .withheld(.queued))
        record.parking = nil
        record.sale = input.sale?.key
        if case .known(let customer, let source) = input.owner, record.owner == nil {
            record.owner = input.mergedOwner ?? customer
            record.ownerSource = source.rawValue
        }
        record.order = input.order?.orderID ?? record.order
        let isGranted = input.grant?.goods != nil
        // What was withdrawn waits again, unless it still is.
        if grant?.state == .withdrawn { grant?.state = .parked }
        // Of a refund in part the rest is given, also of units that wait for evidence of ownership. Of a
        // purchase that was refunded first nothing is, unless a credit stood in for it: then it is
        // settled, and the refund takes back both.
        let isComplete = isGranted && grant?.state != .parked
        if let refund = input.refund,
            isComplete || !refund.leavesUnits && input.credits.isEmpty
        {
            decision = .withheld(.revoked)
            grant = input.grant?.withdrawn(at: input.now)
            return
        }
        if let frozen = grant, isGranted {
            settleAgain(input, frozen)
            if input.refund != nil { decision = .withheld(.revoked) }
            return
        }
        switch input.typing {
        case .unknown(let reason): park(input, reason)
        case .known(.autoRenewable): park(input, .subscriptionsNotServed)
        case .known(let type):
            if let terms = input.terms {
                settle(input, terms, type)
            } else {
                park(input, .unknownProduct)
            }
        }
        // What is left of a refund in part was given just now; to the client it is a refund.
        if input.refund != nil, !delivered.isEmpty { decision = .withheld(.revoked) }
    }

    private mutating func settle(
        _ input: SettlementInput, _ terms: Terms, _ type: SaleType
    ) {
        let isBeforeCutOver = input.formerDelivery ?? (input.soldAt < input.deliverFrom)
        if isBeforeCutOver, terms.goods.allSatisfy(\.isUnit) {
            deliveredElsewhere(input)
            return
        }
        guard case .known(let owner, _) = input.owner else {
            park(input, .noOwner)
            return
        }
        grant(Offer(terms, input, type, isBeforeCutOver: isBeforeCutOver), to: owner, input)
        if let claimant = input.claimant, claimant != owner {
            decision = .withheld(.ownedByAnotherCustomer)
        } else {
            decision = isBeforeCutOver ? .restored : .fulfilled
        }
    }

    /// Settles where goods were frozen before: catalogue and policies of today no longer matter, but
    /// units may still wait for evidence of ownership.
    private mutating func settleAgain(_ input: SettlementInput, _ frozen: GrantRecord) {
        if frozen.state == .parked, case .known(let type) = input.typing {
            let wasDelivered = input.formerDelivery ?? false
            if let terms = input.terms {
                release(Offer(terms, input, type, isBeforeCutOver: wasDelivered), input)
            } else {
                // Nobody says how many units wait; they do so for the product now.
                wait(for: .unknownProduct, input)
            }
        }
        if frozen.state == .deliveredElsewhere, frozen.customer == nil,
            let owner = input.owner.customer
        {
            // It was settled before anybody claimed it; whose it is shows all the same.
            grant?.customer = owner
            grant?.updatedAt = input.now
        }
        decision = repeatedAnswer(to: input, frozen)
    }

    /// Who receives what is delivered: the first owner of the sale, also where its units come after
    /// its rights have moved on.
    func receiver(_ input: SettlementInput) -> UniqueID? {
        delivered.isEmpty ? input.owner.customer : grant?.customer
    }

    // MARK: Outcomes

    private mutating func park(_ input: SettlementInput, _ reason: Reason) {
        // Without an owner that is what stands in the way first, and the client must keep its copy.
        let reason = if case .unknown(let missing) = input.owner { missing } else { reason }
        let identity = input.record.identity.value
        let cause =
            switch reason {
            case .unknownToken: input.record.ownership?.value.appAccountToken?.description ?? ""
            case .unknownProduct, .typeMismatch, .unknownType: identity.productID.rawValue
            default: ""
            }
        let wasParked = input.record.parking != nil
        record.parking = .init(reason: reason.rawValue, cause: cause)
        decision = .withheld(reason)
        if var grant = grant ?? freshGrant(input), grant.state == .parked {
            grant.parkedReason = reason.rawValue
            grant.customer = input.owner.customer
            grant.order = record.order
            grant.updatedAt = input.now
            self.grant = grant
        }
        if !wasParked { event = .purchaseParked }
        if let claimant = input.claimant, let owner = input.owner.customer, owner != claimant {
            decision = .withheld(.ownedByAnotherCustomer)
        }
    }

    /// A purchase from before the cut-over that gives no right: there is nothing left to do for it.
    private mutating func deliveredElsewhere(_ input: SettlementInput) {
        decision = .withheld(.deliveredElsewhere)
        guard var grant = grant ?? freshGrant(input), grant.state == .parked else { return }
        grant.state = .deliveredElsewhere
        grant.parkedReason = nil
        grant.customer = input.owner.customer
        grant.goods = Self.noGoods
        grant.catalogueVersion = input.catalogue.version
        grant.updatedAt = input.now
        self.grant = grant
    }

    private mutating func grant(_ offer: Offer, to owner: UniqueID, _ input: SettlementInput) {
        guard var grant = grant ?? freshGrant(input) else { return }
        grant.customer = owner
        grant.transactionID = input.record.transactionID
        grant.quantity = input.record.identity.value.quantity
        grant.order = record.order
        grant.goods = JSONValue.array(offer.goods.map(\.json)).text
        grant.catalogueVersion = offer.version
        grant.parkedReason = nil
        grant.updatedAt = input.now
        grant.state = offer.isBeforeCutOver ? .deliveredElsewhere : .due
        if offer.holdsUnitsBack {
            grant.state = .parked
            grant.parkedReason = Reason.needsOwnershipEvidence.rawValue
        }
        self.grant = grant
        delivered = offer.goods
        event = offer.isBeforeCutOver ? .entitlementChanged : .purchaseFulfilled
    }

    /// Hands out the units that waited for evidence of ownership, once it is there.
    private mutating func release(_ offer: Offer, _ input: SettlementInput) {
        guard var grant, grant.state == .parked else { return }
        guard !offer.holdsUnitsBack else {
            return wait(for: .needsOwnershipEvidence, parkingTransaction: false, input)
        }
        let units = offer.goods.filter(\.isUnit)
        let frozen = (try? JSONValue(parsing: (grant.goods ?? Self.noGoods).utf8))?.array ?? []
        grant.goods = JSONValue.array(frozen + units.map(\.json)).text
        grant.catalogueVersion = offer.version
        grant.state = .due
        grant.parkedReason = nil
        grant.updatedAt = input.now
        self.grant = grant
        delivered = units
        event = units.isEmpty ? nil : .purchaseFulfilled
    }

    /// The answer where the goods were frozen by an earlier settlement.
    private func repeatedAnswer(to input: SettlementInput, _ frozen: GrantRecord) -> Decision {
        let isElsewhere = frozen.state == .deliveredElsewhere
        if isElsewhere, frozen.customer == nil || frozen.goods == Self.noGoods {
            return .withheld(.deliveredElsewhere)
        }
        if let claimant = input.claimant, claimant != input.owner.customer {
            return .withheld(.ownedByAnotherCustomer)
        }
        // The owner may have changed since; then it is the rights that are here.
        if isElsewhere || input.grantHolder != input.owner.customer { return .restored }
        let isSameTransaction = frozen.transactionID == input.record.transactionID
        return isSameTransaction ? .alreadyFulfilled : .restored
    }

    /// Says what the units of a grant wait for whose rights were given.
    ///
    /// - Parameter parkingTransaction: Whether a job looks at the transaction again by this reason.
    private mutating func wait(
        for reason: Reason, parkingTransaction: Bool = true, _ input: SettlementInput
    ) {
        if parkingTransaction {
            record.parking = .init(
                reason: reason.rawValue, cause: input.record.identity.value.productID.rawValue)
        }
        guard grant?.parkedReason != reason.rawValue else { return }
        grant?.parkedReason = reason.rawValue
        grant?.updatedAt = input.now
    }

    private static let noGoods = JSONValue.array([]).text

    private func freshGrant(_ input: SettlementInput) -> GrantRecord? {
        guard let sale = input.sale else { return nil }
        let identity = input.record.identity.value
        return GrantRecord(
            sale: sale, revision: 0, grantID: DerivedID.of(sale, "grant", revision: 0),
            customer: nil, transactionID: input.record.transactionID,
            productID: identity.productID, quantity: identity.quantity, state: .parked,
            createdAt: input.now)
    }
}

/// The goods that a sale is worth in its circumstances.
private struct Offer {
    let goods: [Goods]
    let version: String
    let isBeforeCutOver: Bool

    /// Units wait, since the evidence cannot show whether the customer or a family member paid.
    let holdsUnitsBack: Bool

    init(
        _ terms: Terms, _ input: SettlementInput, _ type: SaleType,
        isBeforeCutOver: Bool
    ) {
        let ownership = input.record.ownership?.value.ownershipType
        let isFamilyShared = ownership == OwnershipType.familyShared.rawValue
        let hasUnits = terms.goods.contains(where: \.isUnit)
        let givesUnits = !isBeforeCutOver && !isFamilyShared
        holdsUnitsBack =
            givesUnits && hasUnits && type == .nonConsumable && input.record.ownership == nil
        let keepsUnits = givesUnits && !holdsUnitsBack
        let sold = terms.goods.filter { keepsUnits || !$0.isUnit }
            .map { $0.multiplied(by: input.record.identity.value.quantity) }
        goods = CreditOffset.of(sold, input.credits)
        version = terms.version
        self.isBeforeCutOver = isBeforeCutOver
    }
}

extension GrantState {
    /// Whether something of the grant was not given yet, and may still be.
    var waits: Bool { self == .parked || self == .withdrawn }
}

extension GrantRecord {
    /// The grant without what waited, if anything did.
    func withdrawn(at now: Instant) -> GrantRecord {
        guard state == .parked else { return self }
        var grant = self
        grant.state = .withdrawn
        grant.parkedReason = nil
        grant.updatedAt = now
        return grant
    }
}
