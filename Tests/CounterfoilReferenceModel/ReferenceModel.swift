// SPDX-License-Identifier: Apache-2.0

/// What the books must say, computed from the signed facts, the claims in the order in which they
/// were recorded, and the policy; written apart from the engine and without any of its code.
///
/// Jobs may do what they owe at any moment, so a family has a set of states that the books may be in.
/// Every observation leaves those that fit; none left means that a promise was broken.
package struct ReferenceModel: Sendable {
    /// One thing that somebody hands in.
    package struct Evidence: Sendable {
        package let name: String
        package let environment: String
        package let isReceipt: Bool

        /// Why it proves nothing; nil for genuine evidence.
        package let flaw: String?
        package let copies: [Copy]

        package init(
            name: String, environment: String, isReceipt: Bool, flaw: String?, copies: [Copy]
        ) {
            self.name = name
            self.environment = environment
            self.isReceipt = isReceipt
            self.flaw = flaw
            self.copies = copies
        }
    }

    private struct FamilyName: Hashable {
        let environment: String
        let original: String
    }

    private var assortment: Assortment
    private let numbersApart: Bool
    private let deliverFrom: Int64
    private var tokens: [String: String] = [:]
    private var orders: [String: Books.Order] = [:]

    /// The order that each transaction pays, by environment and transaction.
    private var pairings: [String: [String: String]] = [:]
    private var families: [FamilyName: Set<Family>] = [:]
    private var proven: Set<String> = []
    private var jobs: Set<Job> = []
    private var expectedJobs: Set<Job> = []
    private var perhapsOwed: [Evidence] = []

    /// The event numbers that a reader has seen, and the last of them.
    private var readNumbers: Set<Int64> = []
    private var cursor: Int64 = 0
    private var committed: Set<Family.Event> = []
    private var wallets: Wallets

    /// What was given by hand and had made no sale smaller before the commit that is looked at.
    private var standingCredits: [Books.Credit] = []
    private var lastBooks = Books()
    private let environments = ["Production", "Sandbox"]

    /// - Parameter numbersApart: Whether events are numbered after their commit, as they must where
    ///   several transactions write at a time.
    package init(
        assortment: Assortment, numbersApart: Bool, deliverFrom: Int64, rules: HouseRules
    ) {
        self.assortment = assortment
        wallets = Wallets(rules)
        self.numbersApart = numbersApart
        self.deliverFrom = deliverFrom
    }

    private func world(of name: FamilyName) -> World {
        World(
            environment: name.environment, assortment: assortment, tokens: tokens,
            deliverFrom: deliverFrom,
            orders: (pairings[name.environment] ?? [:]).compactMapValues { orders[$0] },
            credits: standingCredits.filter { $0.environment == name.environment })
    }

    // MARK: What was recorded

    /// A token was registered for a customer.
    package mutating func registered(_ token: String, for customer: String) {
        tokens[token] = customer
        for environment in environments {
            expectedJobs.insert(
                .parked(environment: environment, reason: "unknown_token", cause: token))
        }
    }

    /// An order was made, whose token names its customer; nothing can wait for a fresh token.
    package mutating func ordered(_ token: String, for customer: String) {
        tokens[token] = customer
    }

    /// Takes over which purchase pays which order, said before what the commit recorded; the rest of
    /// the orders is held against the purchases.
    package mutating func paired(_ books: Books) -> [String] {
        orders = Dictionary(books.orders.map { ($0.id, $0) }) { first, _ in first }
        var findings = OrderAudit(books).findings
        for purchase in books.purchases {
            let (environment, id) = (purchase.environment, purchase.facts.transaction)
            if let earlier = pairings[environment]?[id], earlier != purchase.order {
                findings.append("\(id) paid the order \(earlier) and does not any more")
            }
            pairings[environment, default: [:]][id] = purchase.order
        }
        return findings
    }

    /// The server started, perhaps with another assortment.
    package mutating func started(with assortment: Assortment) {
        self.assortment = assortment
    }

    /// These jobs stand in the books; said after everything else that one commit recorded.
    package mutating func owes(_ jobs: Set<Job>) -> [String] {
        let missing = expectedJobs.subtracting(jobs)
        expectedJobs = []
        for evidence in perhapsOwed where jobs.contains(.evidence(evidence.name)) {
            owe(evidence)
        }
        perhapsOwed = []
        for job in self.jobs.subtracting(jobs) {
            change { state in
                state.forget(job)
                return state.hasFinished(job)
            }
        }
        self.jobs = jobs
        return missing.map { "P2: nothing owes the work \($0)" }
    }

    /// Changes all states, and drops those for which the body says false.
    private mutating func change(_ body: (inout Family) -> Bool) {
        for (name, states) in families {
            families[name] = states.reduce(into: []) { states, state in
                var state = state
                if body(&state) { states.insert(state) }
            }
        }
    }

    /// A submission stands in the books with an answer.
    ///
    /// - Parameter order: The order whose own ticket came along.
    /// - Returns: What is wrong with the answer, or nil.
    package mutating func submitted(
        _ evidence: Evidence, by customer: String, claiming claim: String?,
        ticketOf order: String? = nil, answer: Answer
    ) -> String? {
        if let flaw = evidence.flaw { return difference([.unproven(flaw)], answer) }
        let claimed = claimedTransaction(of: evidence, claim)
        var finding: String?
        if let claimed {
            finding = settle(claimed, evidence, customer, order.flatMap { orders[$0] }, answer)
        } else {
            let missing = evidence.isReceipt ? "not_in_evidence" : "other_transaction"
            let isSilent = evidence.isReceipt && claim == nil
            finding = difference([.pending(isSilent ? "nothing_claimed" : missing)], answer)
        }
        if evidence.copies.contains(where: { $0.transaction != claimed }),
            !proven.contains(evidence.name)
        {
            expectedJobs.insert(.evidence(evidence.name))
            owe(evidence)
        } else {
            // One of the purchases may pay an order of this customer.
            perhapsOwed.append(evidence)
        }
        if answer.status != "rejected" { proven.insert(evidence.name) }
        return finding
    }

    private mutating func settle(
        _ claimed: String, _ evidence: Evidence, _ customer: String, _ ticket: Books.Order?,
        _ answer: Answer
    ) -> String? {
        let copies = evidence.copies.filter { $0.transaction == claimed }
        let name = FamilyName(environment: evidence.environment, original: copies[0].original)
        var expected: Set<Answer> = []
        var fitting: Set<Family> = []
        for state in families[name] ?? [Family()] {
            var next = state
            let given = next.claim(copies, by: customer, ticket: ticket, in: world(of: name))
            expected.insert(given)
            if given == answer { fitting.insert(next) }
        }
        families[name] = fitting
        return difference(expected, answer)
    }

    private func difference(_ expected: Set<Answer>, _ answer: Answer) -> String? {
        guard !expected.contains(answer) else { return nil }
        return "P7: answered \(answer), expected \(expected.map(\.description).sorted())"
    }

    /// A signed transaction claims itself unless another is named; a receipt may be asked for an
    /// original where it holds one transaction of it.
    private func claimedTransaction(of evidence: Evidence, _ claim: String?) -> String? {
        guard let claim else {
            return evidence.isReceipt ? nil : evidence.copies.first?.transaction
        }
        if evidence.copies.contains(where: { $0.transaction == claim }) { return claim }
        let ofOriginal = evidence.copies.filter { $0.original == claim }
        return ofOriginal.count == 1 ? ofOriginal.first?.transaction : nil
    }

    private mutating func owe(_ evidence: Evidence) {
        let job = Job.evidence(evidence.name)
        guard !jobs.contains(job) else { return }
        for copy in evidence.copies {
            let name = FamilyName(environment: evidence.environment, original: copy.original)
            families[name] = Set(
                (families[name] ?? [Family()]).map { state in
                    var state = state
                    state.owed.insert(Family.Work(job: job, copy: copy))
                    return state
                })
        }
    }

    // MARK: What the books show

    /// Compares the books with what they may say after one commit.
    ///
    /// - Parameter isJob: Whether the commit may be a job's.
    package mutating func observe(_ books: Books, isJob: Bool) -> [String] {
        let findings =
            read(books.events) + compare(books, isJob: isJob) + wallets.observe(books)
        standingCredits = books.credits.filter {
            $0.sale == nil && ($0.transaction != nil || $0.order != nil)
        }
        lastBooks = books
        return findings
    }

    // MARK: Wallets

    /// A game's server is going to ask for this, once or more often.
    package mutating func asks(_ request: WalletRequest) {
        wallets.ask(request)
    }

    /// How often which kind of movement between accounts was made.
    package var movements: [String: Int] { wallets.tally }

    /// A request was answered as done, with the balances of then.
    package func answered(
        _ request: WalletRequest, paid: Int64, bonus: Int64, held: Int64, debt: Int64
    ) -> String? {
        wallets.answered(
            request, Purse.Balance(paid: paid, bonus: bonus, held: held, debt: debt))
    }

    /// A request was refused just now, and nothing was committed since the books were looked at.
    package func refused(
        _ request: WalletRequest, _ refusal: WalletRequest.Refusal, at now: Int64
    ) -> String? {
        wallets.refused(request, refusal, at: now, lastBooks)
    }

    /// What a reader finds who goes on behind the last number that was visible to it.
    private mutating func read(_ events: [Books.Event]) -> [String] {
        let fresh = events.filter { !($0.number.map { readNumbers.contains($0) } ?? true) }
        let late = fresh.filter { ($0.number ?? 0) < cursor }
        let early = numbersApart ? fresh.filter { !committed.contains($0.event) } : []
        readNumbers.formUnion(fresh.compactMap(\.number))
        committed.formUnion(events.map(\.event))
        cursor = max(cursor, readNumbers.max() ?? 0)
        return late.map { "P2: readers have passed \(cursor) and miss \($0)" }
            + early.map {
                "P2: numbered before its commit, so readers may pass a smaller one: \($0)"
            }
    }

    /// Compares the books with what they must say when no job is owed (promises P2 and P3).
    package mutating func observeAtRest(_ books: Books, at now: Int64) -> [String] {
        let waiting = books.purchases.filter { purchase in
            guard let reason = purchase.parked, let cause = purchase.parkedOn else { return false }
            return switch reason {
            case "unknown_product", "type_mismatch": assortment.products[cause] != nil
            case "unknown_token": tokens[cause] != nil
            default: false
            }
        }
        let hidden = books.events.filter { $0.number == nil }
        return observe(books, isJob: false)
            + hidden.map { "P2: no reader will ever see \($0)" }
            + waiting.map { "P2: \($0.facts.transaction) waits for what is there" }
            + unsettled + wallets.overdue(at: now)
    }

    private var unsettled: [String] {
        families.flatMap { name, states in
            let left = states.map { $0.unsettled(in: world(of: name)) }
            return left.contains([])
                ? []
                : (left.first ?? []).map {
                    "P3: \($0) would be settled otherwise by what is known, but nothing owes it"
                }
        }.sorted()
    }

    private mutating func compare(_ books: Books, isJob: Bool) -> [String] {
        var findings =
            LedgerAudit(books).findings + RightsAudit(books).findings + EventAudit(books).findings
        var found = snapshots(of: books, &findings)
        for name in families.keys.sorted(by: {
            ($0.environment, $0.original) < ($1.environment, $1.original)
        }) {
            let shown = found.removeValue(forKey: name) ?? Snapshot()
            let states = (families[name] ?? []).reduce(into: Set<Family>()) {
                $0.formUnion(
                    isJob ? $1.continuations(of: jobs, in: world(of: name)) : [$1])
            }
            let fitting = states.filter { $0.snapshot == shown }
            families[name] = fitting
            guard fitting.isEmpty else { continue }
            let closest = states.map { $0.snapshot.differences(from: shown) }
                .min { ($0.count, $0.joined()) < ($1.count, $1.joined()) }
            findings += (closest ?? ["family \(name.original) was lost earlier"])
                .map { "expected \($0)" }
        }
        findings += found.keys.map { "the books hold a family of nobody's: \($0)" }
        return findings
    }

    private func snapshots(
        of books: Books, _ findings: inout [String]
    ) -> [FamilyName: Snapshot] {
        var snapshots: [FamilyName: Snapshot] = [:]
        var nameOfSale: [Books.Place: FamilyName] = [:]
        var nameOfTransaction: [String: FamilyName] = [:]
        for purchase in books.purchases {
            let name = FamilyName(
                environment: purchase.environment, original: purchase.facts.original)
            snapshots[name, default: Snapshot()].purchases[purchase.facts.transaction] =
                Snapshot.Purchase(
                    facts: purchase.facts, owner: purchase.owner, sale: purchase.sale,
                    parked: purchase.parked, parkedOn: purchase.parkedOn)
            nameOfTransaction["\(purchase.environment) \(purchase.facts.transaction)"] = name
            if let sale = purchase.sale {
                nameOfSale[Books.Place(environment: purchase.environment, sale: sale)] = name
            }
        }
        let grants = Dictionary(grouping: books.grants, by: \.place)
        var credits: [Books.Place: Set<String>] = [:]
        for credit in books.credits {
            guard let sale = credit.sale else { continue }
            credits[Books.Place(environment: credit.environment, sale: sale), default: []]
                .insert(credit.id)
        }
        for (place, type) in books.sales {
            // A sale that its transaction left behind is found by the identity in its key.
            let parts = place.sale.split(separator: ":")
            let name =
                nameOfSale[place]
                ?? nameOfTransaction["\(place.environment) \(parts[1])"]
                ?? FamilyName(environment: place.environment, original: String(parts[1]))
            let first = (grants[place] ?? []).filter { $0.revision == 0 }
            // Changes of the money alone have no goods; their events are compared.
            let later = (grants[place] ?? []).filter {
                $0.revision > 0 && $0.grant.goods?.isEmpty == false
            }
            if first.count > 1 {
                findings.append("P1: the sale \(place) has \(first.count) grants")
            }
            if later.count > 1 {
                findings.append("P4: the sale \(place) was taken back \(later.count) times")
            }
            snapshots[name, default: Snapshot()].sales[place.sale] = Snapshot.Sale(
                type: type, grant: first.first?.grant, takenBack: later.first?.grant.goods,
                credits: credits[place] ?? [])
        }
        if !Set(grants.keys).isSubset(of: books.sales.keys) {
            findings.append("P1: there are grants without a sale")
        }
        for event in books.events
        where !["order.changed", "wallet.changed"].contains(event.event.type) {
            let id = "\(event.environment) \(event.event.transaction)"
            guard let name = nameOfTransaction[id] else {
                findings.append("there is an event of no purchase: \(event)")
                continue
            }
            if !snapshots[name, default: Snapshot()].events.insert(event.event).inserted {
                findings.append("P1: an event was published twice: \(event)")
            }
        }
        return snapshots
    }
}
