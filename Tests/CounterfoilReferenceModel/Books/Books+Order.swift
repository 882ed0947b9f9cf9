// SPDX-License-Identifier: Apache-2.0

extension Books {
    /// What differs from the books that the same facts gave in another order.
    ///
    /// Which of a sale's transactions came first may show (the grant names it), and the events, which
    /// tell a history; what everybody has may not.
    package func differences(fromOrder other: Books) -> [String] {
        let (mine, theirs) = (Set(essence), Set(other.essence))
        return mine.subtracting(theirs).sorted().map { "P3: only in one order: \($0)" }
            + theirs.subtracting(mine).sorted().map { "P3: only in the other: \($0)" }
    }

    private var essence: [String] {
        var lines = purchases.map { "\($0)" }
        lines += sales.map { "\($0)" }
        lines += grants.map { grant in
            var essential = grant.grant
            essential.transaction = ""
            let goods = (essential.goods ?? []).map { "\($0)" }.sorted()
            essential.goods = nil
            return "\(grant.place) \(grant.revision) \(essential) \(goods)"
        }
        lines += accounts.compactMap { account in
            // The ids follow from the customers' keys, which every run draws anew.
            account.customer.map {
                "\($0) \(account.environment) \(account.unit) \(account.kind) \(account.balance ?? 0)"
            }
        }
        lines += periods.map { period in
            "\(period.place) \(period.customer) \(period.right) \(period.starts) \(period.ends ?? 0)"
        }
        return lines
    }
}
