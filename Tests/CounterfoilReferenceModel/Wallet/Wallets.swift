// SPDX-License-Identifier: Apache-2.0

/// What everybody must have of the units that the ledger keeps, by what was sold, refunded and asked
/// for, in the order of the commits (promise P4).
struct Wallets: Sendable {
    struct Place: Hashable, Sendable {
        let environment: String
        let customer: String
        let unit: String
    }

    let rules: HouseRules
    var purses: [Place: Purse] = [:]
    var requests: [String: WalletRequest] = [:]

    /// What each request left behind, by its name; of what ends a hold, by the hold.
    var outcomes: [String: Purse.Balance] = [:]

    /// The changes that readers of events must learn of, of the commit that is looked at.
    var told: [String] = []

    /// How often which kind of movement was made; what never happens was not tested.
    var tally: [String: Int] = [:]
    var findings: [String] = []
    private var seen = Seen()

    /// What was in the books before.
    private struct Seen: Sendable {
        var transfers: Set<String> = []
        var units: [Books.Place: [Good]] = [:]
        var revisions: Set<String> = []
        var holds: [String: String] = [:]
        var credits: Set<String> = []
        var events: [String: Int] = [:]
    }

    init(_ rules: HouseRules) {
        self.rules = rules
    }

    mutating func ask(_ request: WalletRequest) {
        requests[request.name] = request
    }

    /// Takes in what one commit changed, and compares everything that everybody has.
    mutating func observe(_ books: Books) -> [String] {
        findings = []
        told = []
        let ledger = LedgerView(books)
        let fresh = books.transfers.filter { !seen.transfers.contains($0.id) }
        seen.transfers.formUnion(fresh.map(\.id))
        let moments = Set(fresh.map(\.created))
        if moments.count > 1 { findings.append("one commit has the times \(moments.sorted())") }
        let commit = WalletCommit(
            now: moments.first ?? 0, ids: ledger.lotIDs, transfers: fresh, books: books)
        issue(commit)
        takeBack(commit)
        credit(commit)
        changeHolds(commit)
        spend(commit, ledger)
        expire(commit, ledger)
        compareMoves(commit, ledger)
        compareStandings(ledger)
        compareEvents(books)
        return findings
    }

    mutating func change(_ place: Place, _ body: (inout Purse) -> Void) {
        body(&purses[place, default: Purse(rules)])
    }

    // MARK: Sales

    private mutating func issue(_ commit: WalletCommit) {
        for grant in commit.books.grants where grant.revision == 0 {
            let goods = grant.grant.goods ?? []
            let before = seen.units[grant.place] ?? []
            seen.units[grant.place] = goods
            guard goods.count > before.count, let customer = grant.grant.customer else { continue }
            for case .unit(let unit, let paid, let bonus, true) in goods.dropFirst(before.count) {
                let place = Place(
                    environment: grant.place.environment, customer: customer, unit: unit)
                change(place) {
                    $0.issue(
                        paid: paid, bonus: bonus, of: grant.place.sale, commit.occasion(place))
                }
            }
        }
    }

    private mutating func takeBack(_ commit: WalletCommit) {
        for grant in commit.books.grants where grant.revision > 0 {
            let name = "\(grant.place) \(grant.revision)"
            guard seen.revisions.insert(name).inserted, let customer = grant.grant.customer
            else { continue }
            let credits = commit.books.credits.filter {
                $0.sale == grant.place.sale && $0.environment == grant.place.environment
            }
            for case .unit(let unit, let paid, let bonus, true) in grant.grant.goods ?? [] {
                let place = Place(
                    environment: grant.place.environment, customer: customer, unit: unit)
                let isSmall =
                    commit.refundedPrice(of: grant.place)
                    .map { $0 < rules.writesOffBelow } ?? false
                change(place) {
                    let owed = $0.takeBack(
                        paid: -paid, bonus: -bonus,
                        of: [grant.place.sale] + credits.map { "c:\($0.id)" },
                        commit.occasion(place))
                    if owed > 0, isSmall { $0.writeOffNewestDebt() }
                }
            }
        }
    }

    // MARK: What was asked for

    private mutating func credit(_ commit: WalletCommit) {
        for credit in commit.books.credits where seen.credits.insert(credit.id).inserted {
            let place = Place(
                environment: credit.environment, customer: credit.customer, unit: credit.unit)
            guard let name = fulfil(credit.reference, on: place),
                case .credit(let paid, let bonus, let expires, let transaction, let order) =
                    requests[name]?.wish,
                paid == credit.paid, bonus == credit.bonus, transaction == credit.transaction,
                order == credit.order
            else {
                findings.append("P1: nobody asked for the credit \(credit)")
                continue
            }
            if let request = requests[name], isStoodInForTooLate(request, commit.books) {
                findings.append("P1: \(name) stands for what is granted or refunded")
            }
            let before = purses[place]?.balance ?? .init()
            if before.paid + before.bonus + before.held + paid + bonus > rules.maximum {
                findings.append("P4: \(name) fills the wallet beyond its maximum: \(before)")
            }
            act("credit \(credit.id)", place, answering: name) {
                $0.credit(
                    "c:\(credit.id)", paid: paid, bonus: bonus, expires: expires,
                    commit.occasion(place))
            }
        }
    }

    private mutating func changeHolds(_ commit: WalletCommit) {
        for hold in commit.books.holds where seen.holds[hold.id] != hold.state {
            let place = Place(
                environment: hold.environment, customer: hold.customer, unit: hold.unit)
            let before = seen.holds.updateValue(hold.state, forKey: hold.id)
            guard before != nil else {
                reserve(hold, place)
                continue
            }
            let wishes = requests.values.filter { $0.customer == hold.customer }.map(\.wish)
            let isAsked =
                switch hold.state {
                case "posted":
                    wishes.contains(.post(hold: hold.id, hold.posted))
                        || hold.posted == hold.amount
                            && wishes.contains(.post(hold: hold.id, nil))
                case "voided": wishes.contains(.void(hold: hold.id))
                case "lapsed": hold.expires <= (hold.closed ?? 0)
                default: false
                }
            if before != "open" || !isAsked {
                findings.append(
                    "P1: nobody asked for this of a hold that was \(before ?? ""): \(hold)")
            }
            let kind = hold.state == "posted" ? "post" : "void"
            act("\(kind) \(hold.id)", place, answering: hold.id) {
                $0.end(hold.id, hold.state, posting: hold.posted)
            }
        }
    }

    private mutating func reserve(_ hold: Books.Hold, _ place: Place) {
        guard let name = fulfil(hold.reference, on: place),
            requests[name]?.wish == .reserve(hold.amount), hold.state == "open"
        else {
            findings.append("P1: nobody asked for the hold \(hold)")
            return
        }
        checkMeans(hold.amount, at: hold.created, place, name)
        act("reserve \(hold.id)", place, answering: name) {
            $0.reserve(hold.id, hold.amount, at: hold.created, until: hold.expires)
        }
    }

    private mutating func spend(_ commit: WalletCommit, _ ledger: LedgerView) {
        let spends = commit.transfers.filter { $0.kind == "spend" }
        for (operation, parts) in Dictionary(grouping: spends, by: \.operation) {
            let amount = parts.reduce(0) { $0 + $1.amount }
            guard let place = ledger.place(of: parts[0]),
                let name = fulfil(parts[0].reference, on: place),
                requests[name]?.wish == .spend(amount)
            else {
                findings.append("P1: nobody asked to spend \(amount): \(parts)")
                continue
            }
            checkMeans(amount, at: commit.now, place, name)
            act("spend \(operation ?? "")", place, answering: name) {
                $0.spend(amount, at: commit.now)
            }
        }
    }

    /// What runs out without anybody who spends.
    private mutating func expire(_ commit: WalletCommit, _ ledger: LedgerView) {
        let spenders = Set(
            commit.transfers.filter { ["spend", "reserve"].contains($0.kind) }
                .compactMap { ledger.place(of: $0) })
        let expired = commit.transfers.filter { $0.kind == "expiry" }
        for place in Set(expired.compactMap { ledger.place(of: $0) }).subtracting(spenders) {
            act("expiry", place, answering: nil) { $0.expire(at: commit.now) }
        }
    }

    private mutating func checkMeans(
        _ amount: Int64, at now: Int64, _ place: Place, _ name: String
    ) {
        if let obstacle = purses[place, default: Purse(rules)].obstacle(to: amount, at: now) {
            findings.append("P4: \(name) took \(amount) in spite of \(obstacle)")
        }
    }

    /// The request of a name, if it was not done before and is about this wallet.
    private mutating func fulfil(_ reference: String?, on place: Place) -> String? {
        guard let name = reference, let request = requests[name],
            request.environment == place.environment, request.customer == place.customer,
            request.unit == place.unit
        else { return nil }
        if outcomes[name] != nil { findings.append("P1: \(name) was done twice") }
        return name
    }

    /// Changes a purse, keeps what has come of it, and expects an event that tells the difference.
    private mutating func act(
        _ what: String, _ place: Place, answering name: String?, _ body: (inout Purse) -> Void
    ) {
        let before = purses[place]?.balance ?? .init()
        change(place, body)
        let after = purses[place]?.balance ?? .init()
        if let name { outcomes[name] = after }
        told.append(
            Self.change(
                what, place.unit, paid: after.paid - before.paid,
                bonus: after.bonus - before.bonus, held: after.held - before.held,
                debt: after.debt - before.debt))
    }

    /// How an event tells a change.
    static func change(
        _ what: String, _ unit: String, paid: Int64, bonus: Int64, held: Int64, debt: Int64
    ) -> String {
        "\(what): \(unit) paid \(paid) bonus \(bonus) held \(held) debt \(debt)"
    }

    private mutating func compareEvents(_ books: Books) {
        let all = books.events.map(\.event).filter { $0.type == "wallet.changed" }
        let counts = all.reduce(into: [:]) { $0[$1.transaction, default: 0] += 1 }
        let fresh = counts.flatMap { change, count in
            Array(repeating: change, count: max(0, count - seen.events[change, default: 0]))
        }
        seen.events = counts
        if fresh.sorted() != told.sorted() {
            findings.append("events tell \(fresh.sorted()), what happened is \(told.sorted())")
        }
    }
}

/// What one commit put into the books.
struct WalletCommit {
    let now: Int64

    /// Ids of lots by wallet, and there by source and account.
    let ids: [Wallets.Place: [String: String]]
    let transfers: [Books.Transfer]
    let books: Books

    func occasion(_ place: Wallets.Place) -> Purse.Occasion {
        Purse.Occasion(now: now, ids: ids[place] ?? [:])
    }

    /// The price of what was refunded; nil while nobody knows it.
    func refundedPrice(of place: Books.Place) -> Int64? {
        guard
            let grant = books.grants.first(where: { $0.place == place && $0.revision == 0 })
        else { return nil }
        return books.purchases.first {
            $0.environment == place.environment
                && $0.facts.transaction == grant.grant.transaction
        }?.facts.priceMilli
    }
}
