// SPDX-License-Identifier: Apache-2.0

/// Everything about one original transaction in one environment, as it must stand in the books.
///
/// Families do not touch each other, so each is checked alone. What a job still owes may happen at
/// any later moment; ``continuations(in:)`` names the states that one more job step can lead to.
package struct Family: Hashable, Sendable {
    package struct Purchase: Hashable, Sendable {
        var copies: Set<Copy> = []
        package var owner: String?
        package var sale: String?
        package var parked: String?
        package var parkedOn: String?

        package var facts: JoinedFacts { JoinedFacts(copies) }
    }

    package struct Grant: Hashable, Sendable {
        package var customer: String?
        package var transaction: String
        package var product: String
        package var quantity: Int64

        /// nil until goods are frozen.
        package var goods: [Good]?
        package var assortment: String?
        package var state: String
        package var reason: String?

        package init(
            customer: String?, transaction: String, product: String, quantity: Int64,
            goods: [Good]?, assortment: String?, state: String, reason: String?
        ) {
            self.customer = customer
            self.transaction = transaction
            self.product = product
            self.quantity = quantity
            self.goods = goods
            self.assortment = assortment
            self.state = state
            self.reason = reason
        }
    }

    package struct Sale: Hashable, Sendable {
        package let type: SaleKind
        package var grant: Grant?

        /// What a refund took back of the grant's goods, in the order of ``Good/sorted(_:)``.
        package var takenBack: [Good]?

        /// How much of the price was booked as refunded.
        var refundedPrice: Int64 = 0

        /// What was given by hand instead, so that the sale gave less.
        package var credits: [Books.Credit] = []
    }

    package struct Event: Hashable, Sendable {
        package let type: String
        package let transaction: String
        package let customer: String?
        package let goods: [Good]

        /// Who came up for what is the customer's.
        package let contender: String?

        package init(
            type: String, transaction: String, customer: String?, goods: [Good],
            contender: String? = nil
        ) {
            self.type = type
            self.transaction = transaction
            self.customer = customer
            self.goods = goods
            self.contender = contender
        }
    }

    /// A copy that a job takes in, perhaps more than once while the job stands in the books.
    struct Work: Hashable, Sendable {
        let job: Job
        let copy: Copy
    }

    package internal(set) var purchases: [String: Purchase] = [:]
    package internal(set) var sales: [String: Sale] = [:]
    package internal(set) var events: Set<Event> = []
    var announced: Set<String> = []

    /// Who came up for what, and whose it was.
    var disputes: Set<[String]> = []
    var owed: Set<Work> = []

    /// What was owed and has been done, as long as its job stands: a crash may make it happen again.
    var done: Set<Work> = []

    /// This state, and every state that one step of a job can make of it.
    ///
    /// - Parameter jobs: The jobs that stand in the books. One that looks at what is parked again may do
    ///   so for whatever is parked for its cause, and one that looks at a family for any of it.
    func continuations(of jobs: Set<Job>, in world: World) -> Set<Family> {
        var states: Set<Family> = [self]
        for work in owed.union(done) {
            var next = self
            next.owed.remove(work)
            next.done.insert(work)
            let hasNewToken = next.take([work.copy])
            _ = next.settle(
                work.copy.transaction, claimant: nil, hasNewToken: hasNewToken, in: world)
            states.insert(next)
        }
        for (id, purchase) in purchases {
            guard let reason = purchase.parked, let cause = purchase.parkedOn,
                jobs.contains(
                    .parked(environment: world.environment, reason: reason, cause: cause))
            else { continue }
            var next = self
            _ = next.settle(id, claimant: nil, in: world)
            states.insert(next)
        }
        for (id, purchase) in purchases {
            guard purchase.owner == nil, purchase.parked == nil,
                let token = purchase.facts.token,
                jobs.contains(
                    .parked(environment: world.environment, reason: "unknown_token", cause: token))
            else { continue }
            var next = self
            _ = next.settle(id, claimant: nil, in: world)
            states.insert(next)
        }
        for (id, purchase) in purchases
        where jobs.contains(
            .family(environment: world.environment, original: purchase.facts.original))
        {
            var next = self
            _ = next.settle(id, claimant: nil, in: world)
            states.insert(next)
        }
        return states
    }

    /// Purchases that would be settled otherwise if anybody looked at them again, so that the order
    /// in which things became known shows in the books. Whose an ended one was may stay unknown.
    func unsettled(in world: World) -> [String] {
        purchases.keys.sorted().filter { id in
            var next = self
            let answer = next.settle(id, claimant: nil, in: world)
            if answer == .refused("revoked") { return purchases[id]?.parked != nil }
            return next.snapshot != snapshot
        }
    }

    /// Whether every step of a job that is struck off was taken.
    func hasFinished(_ job: Job) -> Bool {
        !owed.contains { $0.job == job }
    }

    mutating func forget(_ job: Job) {
        done = done.filter { $0.job != job }
    }
}

/// Work that stands in the books until it is done.
package enum Job: Hashable, Sendable {
    /// Settles everything in a piece of evidence, named as the model names it.
    case evidence(String)

    /// Settles again what is parked for a reason and waits for a cause.
    case parked(environment: String, reason: String, cause: String)

    /// Settles all purchases of an original again.
    case family(environment: String, original: String)
}

/// What decides beside the facts.
package struct World: Sendable {
    package var environment: String
    package var assortment: Assortment

    /// The customer that each registered token names.
    package var tokens: [String: String]

    /// From when on goods are delivered here.
    package var deliverFrom: Int64

    /// The order that a transaction was found to pay. Without a token that is a matter of who came
    /// first; once made it stays.
    package var orders: [String: Books.Order]

    /// What was given by hand and has made no sale smaller yet, the oldest first.
    var credits: [Books.Credit]

    package init(
        environment: String, assortment: Assortment, tokens: [String: String],
        deliverFrom: Int64, orders: [String: Books.Order], credits: [Books.Credit]
    ) {
        self.environment = environment
        self.assortment = assortment
        self.tokens = tokens
        self.deliverFrom = deliverFrom
        self.orders = orders
        self.credits = credits
    }

    /// What was given to a customer by hand for a transaction, or for the order that it pays.
    func credits(for transaction: String, of customer: String?) -> [Books.Credit] {
        credits.filter { credit in
            guard credit.customer == customer else { return false }
            let isOfOrder = credit.order != nil && credit.order == orders[transaction]?.id
            return isOfOrder || credit.transaction == transaction
        }
    }

    /// What a product is worth to a transaction: by its order if that was made for it, or if nobody
    /// else knows the product any more.
    func terms(of product: String, for transaction: String) -> Terms? {
        let listed = assortment.products[product]
        if let order = orders[transaction], listed == nil || order.paidBy == transaction {
            return Terms(goods: order.goods, version: order.assortment)
        }
        return listed.map { Terms(goods: $0.goods, version: assortment.version) }
    }

    struct Terms {
        let goods: [Good]
        let version: String
    }
}
