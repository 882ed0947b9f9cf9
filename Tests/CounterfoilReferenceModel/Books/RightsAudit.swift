// SPDX-License-Identifier: Apache-2.0

/// That rights are what the grants give: laid out anew from them and compared.
struct RightsAudit {
    let findings: [String]

    init(_ books: Books) {
        let expected = Set(Self.periods(of: books))
        let found = Set(books.periods)
        findings =
            expected.subtracting(found).map { "P2: a right is missing: \($0)" }.sorted()
            + found.subtracting(expected).map { "P1: a right is too many: \($0)" }.sorted()
    }

    private struct Stack: Hashable {
        let environment: String
        let customer: String
        let product: String
        let right: String
    }

    private static func periods(of books: Books) -> [Books.Period] {
        let purchases = Dictionary(
            uniqueKeysWithValues: books.purchases.map {
                ("\($0.environment) \($0.facts.transaction)", $0.facts)
            })
        let families = Dictionary(grouping: books.purchases) {
            "\($0.environment) \($0.facts.original)"
        }
        func bought(_ facts: JoinedFacts, _ place: Books.Place) -> Int64 {
            guard place.sale.hasPrefix("o:") else { return facts.bought }
            let family = families["\(place.environment) \(facts.original)"] ?? []
            return RuleOfSales.bought(facts, among: family.map(\.facts))
        }
        var stacks: [Stack: [(grant: Books.Grant, facts: JoinedFacts, length: String?)]] = [:]
        let ended = Set(books.grants.filter { $0.revision > 0 }.map(\.place))
        for grant in books.grants where grant.revision == 0 {
            let id = "\(grant.place.environment) \(grant.grant.transaction)"
            guard let customer = grant.grant.customer, let facts = purchases[id] else { continue }
            for case .right(let right, let length) in grant.grant.goods ?? [] {
                let stack = Stack(
                    environment: grant.place.environment, customer: customer,
                    product: grant.grant.product, right: right)
                stacks[stack, default: []].append((grant, facts, length))
            }
        }
        return stacks.flatMap { stack, sales -> [Books.Period] in
            var run: (anchor: Int64, length: String, pieces: Int64, end: Int64)?
            return sales.map { (sale: $0, bought: bought($0.facts, $0.grant.place)) }.sorted {
                ($0.bought, $0.sale.facts.transaction) < ($1.bought, $1.sale.facts.transaction)
            }.map { sale, bought in
                // What was refunded takes no room.
                let isEnded = ended.contains(sale.grant.place)
                let starts = isEnded ? bought : max(bought, run?.end ?? bought)
                var ends: Int64? = isEnded ? bought : nil
                if !isEnded, let length = sale.length {
                    // Months are counted from where the run began.
                    let pieces = sale.grant.grant.quantity
                    if let old = run, old.end == starts, old.length == length {
                        run = (old.anchor, length, old.pieces + pieces, 0)
                    } else {
                        run = (starts, length, pieces, 0)
                    }
                    if let now = run {
                        run?.end = Calendar.adding(length, times: now.pieces, to: now.anchor)
                    }
                    ends = run?.end
                }
                return Books.Period(
                    place: sale.grant.place, customer: stack.customer, right: stack.right,
                    product: stack.product, transaction: sale.facts.transaction,
                    bought: bought, quantity: sale.grant.grant.quantity,
                    length: sale.length, starts: starts, ends: ends)
            }
        }
    }
}

/// The Gregorian calendar in UTC, as far as periods of days and months need it.
private enum Calendar {
    static func adding(_ period: String, times: Int64, to moment: Int64) -> Int64 {
        guard let count = Int64(period.dropFirst().dropLast()) else {
            preconditionFailure("the assortment has periods such as P30D and P1M")
        }
        return period.hasSuffix("D")
            ? moment + count * times * 86_400_000 : adding(months: count * times, to: moment)
    }

    private static func adding(months: Int64, to moment: Int64) -> Int64 {
        let dayLength: Int64 = 86_400_000
        var rest = moment / dayLength
        var year: Int64 = 1970
        while rest >= (isLeap(year) ? 366 : 365) {
            rest -= isLeap(year) ? 366 : 365
            year += 1
        }
        var month: Int64 = 0
        while rest >= length(of: month, year) {
            rest -= length(of: month, year)
            month += 1
        }
        let (targetYear, targetMonth) = (year + (month + months) / 12, (month + months) % 12)
        let day = min(rest, length(of: targetMonth, targetYear) - 1)
        let days =
            (1970..<targetYear).reduce(0) { $0 + (isLeap($1) ? 366 : 365) }
            + (0..<targetMonth).reduce(0) { $0 + length(of: $1, targetYear) } + day
        return days * dayLength + moment % dayLength
    }

    private static func length(of month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 1: isLeap(year) ? 29 : 28
        case 3, 5, 8, 10: 30
        default: 31
        }
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }
}
