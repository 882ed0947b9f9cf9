// SPDX-License-Identifier: Apache-2.0

extension Family {
    /// Takes in what a submission claims and settles it.
    ///
    /// - Parameter ticket: The order whose ticket came along.
    mutating func claim(
        _ copies: [Copy], by customer: String, ticket: Books.Order?, in world: World
    ) -> Answer {
        guard let id = copies.first?.transaction else { return .pending("not_in_evidence") }
        let hasNewToken = take(copies)
        return settle(
            id, claimant: customer, ticket: ticket, hasNewToken: hasNewToken, in: world)
    }

    /// Keeps copies of one purchase.
    ///
    /// - Returns: Whether its token became known by them.
    mutating func take(_ copies: [Copy]) -> Bool {
        guard let id = copies.first?.transaction else { return false }
        let before = purchases[id]?.facts.token
        purchases[id, default: Purchase()].copies.formUnion(copies)
        return purchases[id]?.facts.token != before
    }

    /// Settles the sale of one transaction by what is known of the family, and its refund.
    ///
    /// - Parameter ticket: The order whose ticket came along.
    mutating func settle(
        _ id: String, claimant: String?, ticket: Books.Order? = nil, hasNewToken: Bool = false,
        in world: World
    ) -> Answer {
        let answer = grant(
            id, claimant: claimant, ticket: ticket, hasNewToken: hasNewToken, in: world)
        takeBack(id)
        return answer
    }

    /// Takes back what the sale of a transaction gave, once, if the purchase it was given for ended;
    /// the money is booked with it, or when the price becomes known.
    private mutating func takeBack(_ id: String) {
        guard let key = purchases[id]?.sale, let sale = sales[key], let grant = sale.grant,
            let goods = grant.goods, !goods.isEmpty, grant.customer != nil,
            let facts = purchases[grant.transaction]?.facts
        else { return }
        let refunds = refunds(of: facts, sale.type)
        guard !refunds.isEmpty else { return }
        // Where the family's paying member got the money only access ended.
        let isOfMoney = refunds.contains { $0.isFamilyShared != true }
        let price = isOfMoney ? facts.priceMilli ?? sale.refundedPrice : 0
        guard sale.takenBack == nil || price != sale.refundedPrice else { return }
        let given = sale.credits.map {
            Good.unit($0.unit, paid: $0.paid, bonus: $0.bonus, isOurs: true)
        }
        let lost =
            sale.takenBack == nil ? (goods + given).filter { isOfMoney || !$0.isUnit } : []
        let taken = Good.sorted(Good.joined(lost).map { $0.multiplied(by: -1) })
        sales[key]?.takenBack = sale.takenBack ?? taken
        sales[key]?.refundedPrice = price
        events.insert(
            Event(
                type: "grant.reversed", transaction: grant.transaction, customer: grant.customer,
                goods: taken))
    }

    private mutating func grant(
        _ id: String, claimant: String?, ticket: Books.Order?, hasNewToken: Bool, in world: World
    ) -> Answer {
        guard var purchase = purchases[id] else { return .pending("queued") }
        let facts = purchase.facts
        let wasParked = purchase.parked != nil
        purchase.parked = nil
        purchase.parkedOn = nil

        let typing = typing(of: purchase, facts, in: world)
        var key: String?
        if let type = typing.type {
            let sale = saleKey(of: facts, type)
            sales[sale] = sales[sale] ?? Sale(type: type)
            key = sale
        }
        purchase.sale = key
        let byTicket = ticket?.product == facts.product ? ticket?.customer : nil
        let nextBest = byTicket ?? claimant ?? world.orders[id]?.customer
        let recorded = recordedOwner(of: purchase, typing.type)
        let owner = owner(recorded, facts, nextBest, in: world)
        let isTokenNews = recorded != nil && (hasNewToken || purchase.owner == nil)
        purchase.owner = purchase.owner ?? owner.customer
        purchases[id] = purchase

        let stored = key.flatMap { sales[$0]?.grant }
        let waits = stored?.state == "parked" || stored?.state == "withdrawn"
        let isOpen = key != nil && (stored?.goods == nil || waits)
        let credits = isOpen ? world.credits(for: id, of: owner.customer) : []
        // What was given by hand for a refunded purchase is taken back with it.
        let isRevoked = isRevoked(facts, typing.type)
        if isRevoked, credits.isEmpty {
            if let key, stored?.state == "parked" {
                sales[key]?.grant?.state = "withdrawn"
                sales[key]?.grant?.reason = nil
            }
            return .refused("revoked")
        }
        if let key, stored?.state == "withdrawn" { sales[key]?.grant?.state = "parked" }
        let named = isTokenNews ? facts.token.flatMap { world.tokens[$0] } : nil
        if !isRevoked, let holder = owner.customer,
            let contender = [claimant, named].compactMap(\.self).first(where: { $0 != holder })
        {
            let subject = typing.type == .nonConsumable ? "all" : id
            if disputes.insert([subject, holder, contender]).inserted {
                events.insert(
                    Event(
                        type: "ownership.conflict", transaction: id, customer: holder, goods: [],
                        contender: contender))
            }
        }
        let matter = Matter(
            id: id, facts: facts, key: key, owner: owner.customer, claimant: claimant,
            wasParked: wasParked, credits: credits, world: world)
        if let key, let stored, stored.goods != nil {
            let answer = settleAgain(matter, key, stored)
            return isRevoked ? .refused("revoked") : answer
        }
        let answer = settleFirst(matter, typing, owner)
        let isGiven = key.flatMap { sales[$0]?.grant?.goods }?.isEmpty == false
        return isRevoked && isGiven ? .refused("revoked") : answer
    }

    private mutating func settleFirst(
        _ matter: Matter, _ typing: (type: SaleKind?, obstacle: String?),
        _ owner: (customer: String?, missing: String?)
    ) -> Answer {
        let (facts, world) = (matter.facts, matter.world)
        let terms = world.terms(of: facts.product, for: matter.id)
        var obstacle = typing.obstacle
        if obstacle == nil, typing.type == .autoRenewable { obstacle = "subscriptions_not_served" }
        if obstacle == nil, terms == nil { obstacle = "unknown_product" }
        guard obstacle == nil, let terms, let type = typing.type, let key = matter.key else {
            return park(matter, owner.missing ?? obstacle ?? "no_owner")
        }
        return deliver(matter, terms, type, key, owner)
    }

    /// What one settlement is about.
    private struct Matter {
        let id: String
        let facts: JoinedFacts
        let key: String?
        let owner: String?
        let claimant: String?
        let wasParked: Bool

        /// What the owner was given by hand instead.
        let credits: [Books.Credit]
        let world: World

        func freshGrant() -> Grant {
            Grant(
                customer: nil, transaction: id, product: facts.product, quantity: facts.quantity,
                goods: nil, assortment: nil, state: "parked", reason: nil)
        }
    }

    // MARK: Questions

    private func typing(
        of purchase: Purchase, _ facts: JoinedFacts, in world: World
    ) -> (type: SaleKind?, obstacle: String?) {
        if let key = purchase.sale, let sale = sales[key] { return (sale.type, nil) }
        let listed = world.assortment.products[facts.product]?.type
        guard let signed = facts.type else {
            return listed == nil ? (nil, "unknown_product") : (listed, nil)
        }
        return listed == nil || listed == signed ? (signed, nil) : (nil, "type_mismatch")
    }

    private var allFacts: [JoinedFacts] { purchases.values.map(\.facts) }

    /// A non-consumable is sold once until it is refunded; everything else once per transaction. What
    /// was given stays with the sale that it was given for.
    private func saleKey(of facts: JoinedFacts, _ type: SaleKind) -> String {
        switch type {
        case .consumable, .nonRenewing: return "t:\(facts.transaction)"
        case .autoRenewable: return "p:\(facts.transaction)"
        case .nonConsumable: break
        }
        let rule = RuleOfSales.sales(of: allFacts)
        let held = sales.filter { $0.key.hasPrefix("o:") }.compactMap { key, sale in
            sale.grant.map { (key: key, grant: $0) }
        }.sorted {
            ($0.grant.goods == nil ? 1 : 0, $0.key) < ($1.grant.goods == nil ? 1 : 0, $1.key)
        }
        var taken = Set(held.map(\.key))
        var key = ""
        for (place, members) in rule.enumerated() {
            let ids = members.map(\.transaction)
            var number = place
            while taken.contains("o:\(facts.original):\(number)") { number += 1 }
            key =
                held.first { ids.contains($0.grant.transaction) }?.key
                ?? "o:\(facts.original):\(number)"
            taken.insert(key)
            if members.contains(facts) { break }
        }
        return key
    }

    private func isRevoked(_ facts: JoinedFacts, _ type: SaleKind?) -> Bool {
        !refunds(of: facts, type).isEmpty
    }

    /// The refunded purchases whose refund ends this one: those of its sale.
    private func refunds(of facts: JoinedFacts, _ type: SaleKind?) -> [JoinedFacts] {
        let sale =
            type == .nonConsumable
            ? RuleOfSales.sales(of: allFacts).first { $0.contains(facts) } ?? [] : [facts]
        return sale.filter { $0.revoked != nil }
    }

    private func recordedOwner(of purchase: Purchase, _ type: SaleKind?) -> String? {
        guard purchase.owner == nil, type == .nonConsumable else { return purchase.owner }
        let relatives = purchases.sorted {
            ($0.value.facts.bought, $0.key) < ($1.value.facts.bought, $1.key)
        }
        return relatives.compactMap(\.value.owner).first
    }

    private func owner(
        _ recorded: String?, _ facts: JoinedFacts, _ named: String?, in world: World
    ) -> (customer: String?, missing: String?) {
        if let recorded { return (recorded, nil) }
        if let token = facts.token {
            let customer = world.tokens[token]
            return (customer, customer == nil ? "unknown_token" : nil)
        }
        return (named, named == nil ? "no_owner" : nil)
    }

    // MARK: Outcomes

    private mutating func park(_ matter: Matter, _ reason: String) -> Answer {
        purchases[matter.id]?.parked = reason
        purchases[matter.id]?.parkedOn =
            switch reason {
            case "unknown_token": matter.facts.token ?? ""
            case "unknown_product", "type_mismatch": matter.facts.product
            default: ""
            }
        if let key = matter.key {
            var grant = sales[key]?.grant ?? matter.freshGrant()
            if grant.state == "parked" {
                grant.customer = matter.owner
                grant.reason = reason
                sales[key]?.grant = grant
            }
        }
        if !matter.wasParked, announced.insert(matter.key ?? "transaction \(matter.id)").inserted {
            announce("purchase.parked", matter, [])
        }
        if let claimant = matter.claimant, let owner = matter.owner, claimant != owner {
            return .refused("owned_by_another_customer")
        }
        return .parked(reason)
    }

    private mutating func deliver(
        _ matter: Matter, _ terms: World.Terms, _ type: SaleKind, _ key: String,
        _ owner: (customer: String?, missing: String?)
    ) -> Answer {
        let sold =
            type == .nonConsumable
            ? RuleOfSales.bought(matter.facts, among: allFacts) : matter.facts.bought
        let isBefore = sold < matter.world.deliverFrom
        var grant = sales[key]?.grant ?? matter.freshGrant()
        if isBefore, terms.goods.allSatisfy(\.isUnit) {
            if grant.state == "parked" {
                grant.state = "delivered_elsewhere"
                grant.reason = nil
                grant.customer = matter.owner
                grant.goods = []
                grant.assortment = matter.world.assortment.version
                sales[key]?.grant = grant
            }
            return .refused("delivered_elsewhere")
        }
        guard let customer = owner.customer else {
            return park(matter, owner.missing ?? "no_owner")
        }
        let needsProof = !isBefore && waitsForProof(terms, type, matter.facts)
        let givesUnits = !isBefore && !needsProof && matter.facts.isFamilyShared != true
        grant.customer = customer
        grant.transaction = matter.id
        grant.quantity = matter.facts.quantity
        let goods = terms.goods.filter { givesUnits || !$0.isUnit }
            .map { $0.multiplied(by: matter.facts.quantity) }
        grant.goods = offset(goods, matter.credits, key)
        grant.assortment = terms.version
        grant.state = isBefore ? "delivered_elsewhere" : needsProof ? "parked" : "due"
        grant.reason = needsProof ? "needs_ownership_evidence" : nil
        sales[key]?.grant = grant
        announce(
            isBefore ? "entitlement.changed" : "purchase.fulfilled", matter, grant.goods ?? [])
        if let claimant = matter.claimant, claimant != customer {
            return .refused("owned_by_another_customer")
        }
        return isBefore ? .restored : .fulfilled
    }

    /// Without a signed transaction nobody knows whether the product was paid for or shared.
    private func waitsForProof(
        _ terms: World.Terms, _ type: SaleKind, _ facts: JoinedFacts
    ) -> Bool {
        type == .nonConsumable && facts.isFamilyShared == nil
            && terms.goods.contains(where: \.isUnit)
    }

    private mutating func settleAgain(_ matter: Matter, _ key: String, _ frozen: Grant) -> Answer {
        let type = sales[key]?.type ?? .consumable
        let terms = matter.world.terms(of: frozen.product, for: matter.id)
        if frozen.state == "parked", terms == nil {
            // Nobody says how many units wait.
            purchases[matter.id]?.parked = "unknown_product"
            purchases[matter.id]?.parkedOn = matter.facts.product
            sales[key]?.grant?.reason = "unknown_product"
        } else if frozen.state == "parked", let terms, waitsForProof(terms, type, matter.facts) {
            sales[key]?.grant?.reason = "needs_ownership_evidence"
        } else if frozen.state == "parked", let terms {
            let sold = terms.goods.filter(\.isUnit).filter { _ in
                matter.facts.isFamilyShared != true
            }.map { $0.multiplied(by: matter.facts.quantity) }
            let units = offset(sold, matter.credits, key)
            var grant = frozen
            grant.goods = (frozen.goods ?? []) + units
            grant.assortment = terms.version
            grant.state = "due"
            grant.reason = nil
            sales[key]?.grant = grant
            if !units.isEmpty { announce("purchase.fulfilled", matter, units) }
        }
        let isElsewhere = frozen.state == "delivered_elsewhere"
        if isElsewhere {
            sales[key]?.grant?.customer = frozen.customer ?? matter.owner
        }
        guard let customer = frozen.customer, frozen.goods != [] || !isElsewhere else {
            return .refused("delivered_elsewhere")
        }
        if let claimant = matter.claimant, claimant != customer {
            return .refused("owned_by_another_customer")
        }
        if isElsewhere { return .restored }
        return frozen.transaction == matter.id ? .alreadyFulfilled : .restored
    }

    /// What goods are left beside what was given by hand, which counts for this sale from now on.
    private mutating func offset(
        _ goods: [Good], _ credits: [Books.Credit], _ key: String
    ) -> [Good] {
        let counted = credits.filter { credit in
            goods.contains { good in
                if case .unit(credit.unit, _, _, _) = good { true } else { false }
            }
        }
        sales[key]?.credits += counted
        return goods.map { $0.without(counted) }
    }

    private mutating func announce(_ type: String, _ matter: Matter, _ goods: [Good]) {
        events.insert(
            Event(type: type, transaction: matter.id, customer: matter.owner, goods: goods))
    }
}
