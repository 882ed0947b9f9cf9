// SPDX-License-Identifier: Apache-2.0

extension Books {
    /// What differs from the books that the same facts gave in another order.
    ///
    /// Which of a sale's transactions came first may show (the grant names it), and the events, which
    /// tell a history; what everybody has may not.
    ///
    /// Of a purchase that a refund ended, whether it was delivered first may show too: nothing is left of
    /// either, in any balance or right.
    package func differences(fromOrder other: Books) -> [String] {
        let (mine, theirs) = (Set(essence), Set(other.essence))
        return mine.subtracting(theirs).sorted().map { "P3: only in one order: \($0)" }
            + theirs.subtracting(mine).sorted().map { "P3: only in the other: \($0)" }
    }

    private var essence: [String] {
        let families = Dictionary(grouping: purchases) { "\($0.environment) \($0.facts.original)" }
        let refunded = families.values.filter { $0.contains { $0.facts.revoked != nil } }
        let apart = Set(refunded.joined())
        let identities = Set(
            apart.flatMap { purchase in
                [purchase.facts.original, purchase.facts.transaction].map {
                    "\(purchase.environment) \($0)"
                }
            })
        let places = Set(
            sales.keys.filter { place in
                // The second part of a sale's key is its original or its only transaction.
                let identity = place.sale.split(separator: ":")[1]
                return identities.contains("\(place.environment) \(identity)")
            })
        var lines = purchases.filter { !apart.contains($0) }.map { "\($0)" }
        lines += sales.filter { !places.contains($0.key) }.map { "\($0)" }
        for grant in grants where !places.contains(grant.place) {
            lines.append("\(grant.place) \(grant.revision) \(grant.grant.essence)")
        }
        lines += balances
        for period in periods where period.ends != period.starts {
            // Which number the sale has shows what was known when it was delivered.
            let place = places.contains(period.place) ? period.place.environment : "\(period.place)"
            lines.append(
                "\(place) \(period.customer) \(period.right) \(period.starts) \(period.ends ?? 0)")
        }
        return lines + refunded.flatMap { standing(of: $0) }
    }

    /// What everybody has; the accounts' ids follow from the customers' keys, which every run draws
    /// anew.
    private var balances: [String] {
        accounts.compactMap { account in
            guard let customer = account.customer, let balance = account.balance, balance != 0
            else { return nil }
            return "\(customer) \(account.environment) \(account.unit) \(account.kind) \(balance)"
        }
    }

    /// The purchases of a family that no refund ended, each with whose it is and what its sale gave.
    ///
    /// One that was delivered before the earlier ones were known keeps the sale it has, so the key may
    /// differ, but not the goods.
    private func standing(of family: [Purchase]) -> [String] {
        var lines: [String] = []
        for purchase in family {
            let sale = RuleOfSales.sales(of: family.map(\.facts))
                .first { $0.contains(purchase.facts) }
            if sale?.contains(where: { $0.revoked != nil }) ?? false { continue }
            let grant = grants.first {
                $0.place.environment == purchase.environment && $0.place.sale == purchase.sale
            }
            let owner = purchase.owner ?? "nobody"
            let goods = grant?.grant.essence ?? "nothing"
            lines.append("\(purchase.facts) of \(owner), \(purchase.parked ?? ""): \(goods)")
        }
        return lines
    }
}

extension Family.Grant {
    fileprivate var essence: String {
        var essential = self
        essential.transaction = ""
        essential.goods = nil
        let goods = (goods ?? []).map { "\($0)" }.sorted()
        return "\(essential) \(goods)"
    }
}
