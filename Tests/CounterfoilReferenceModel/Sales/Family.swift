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
    }

    package struct Event: Hashable, Sendable {
        package let type: String
        package let transaction: String
        package let customer: String?
        package let goods: [Good]

        package init(type: String, transaction: String, customer: String?, goods: [Good]) {
            self.type = type
            self.transaction = transaction
            self.customer = customer
            self.goods = goods
        }
    }

    /// One step of a job, which may happen more than once while the job stands in the books.
    struct Work: Hashable, Sendable {
        enum Act: Hashable, Sendable {
            case join(Copy)
            case settleAgain(String)
        }

        let job: Job
        let act: Act
    }

    package internal(set) var purchases: [String: Purchase] = [:]
    package internal(set) var sales: [String: Sale] = [:]
    package internal(set) var events: Set<Event> = []
    var announced: Set<String> = []
    var owed: Set<Work> = []

    /// What was owed and has been done, as long as its job stands: a crash may make it happen again.
    var done: Set<Work> = []

    /// This state, and every state that one step of a job can make of it.
    func continuations(in world: World) -> [Family] {
        [self]
            + owed.union(done).map { work in
                var next = self
                next.do(work, in: world)
                return next
            }
    }

    private mutating func `do`(_ work: Work, in world: World) {
        owed.remove(work)
        done.insert(work)
        switch work.act {
        case .join(let copy):
            purchases[copy.transaction, default: Purchase()].copies.insert(copy)
            _ = settle(copy.transaction, claimant: nil, in: world)
        case .settleAgain(let transaction):
            guard purchases[transaction]?.parked != nil else { return }
            _ = settle(transaction, claimant: nil, in: world)
        }
    }

    /// Whether every step of a job that is struck off was taken.
    func hasFinished(_ job: Job) -> Bool {
        !owed.contains { $0.job == job }
    }

    mutating func forget(_ job: Job) {
        done = done.filter { $0.job != job }
    }

    /// Owes a new look at what is parked for a reason and waits for a cause.
    mutating func reconsider(_ reason: String, _ cause: String, for job: Job) {
        for (id, purchase) in purchases
        where purchase.parked == reason && purchase.parkedOn == cause {
            owed.insert(Work(job: job, act: .settleAgain(id)))
        }
    }
}

/// Work that stands in the books until it is done.
package enum Job: Hashable, Sendable {
    /// Settles everything in a piece of evidence, named as the model names it.
    case evidence(String)

    /// Settles again what is parked for a reason and waits for a cause.
    case parked(environment: String, reason: String, cause: String)
}

/// What decides beside the facts.
package struct World: Sendable {
    package var assortment: Assortment

    /// The customer that each registered token names.
    package var tokens: [String: String]

    /// From when on goods are delivered here; nil where the environment is not served.
    package var deliverFrom: Int64

    package init(assortment: Assortment, tokens: [String: String], deliverFrom: Int64) {
        self.assortment = assortment
        self.tokens = tokens
        self.deliverFrom = deliverFrom
    }
}
