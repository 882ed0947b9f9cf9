// SPDX-License-Identifier: Apache-2.0

/// Which purchases of one original of a non-consumable are one sale.
enum RuleOfSales {
    /// Nobody buys what they have: what comes while an earlier sale stands is that one, handed out
    /// again; what comes while all are taken back was bought anew. In order of purchase.
    static func sales(of purchases: [JoinedFacts]) -> [[JoinedFacts]] {
        var sales: [[JoinedFacts]] = []
        for next in purchases.sorted(by: {
            ($0.bought / 1000, $0.transaction) < ($1.bought / 1000, $1.transaction)
        }) {
            let standing = sales.lastIndex { sale in
                sale.allSatisfy { ($0.revoked ?? .max) / 1000 >= next.bought / 1000 }
            }
            if let standing {
                sales[standing].append(next)
            } else {
                sales.append([next])
            }
        }
        return sales
    }

    /// When the sale of a purchase was made: with its first purchase; of an original's first sale each
    /// purchase tells it.
    static func bought(_ purchase: JoinedFacts, among family: [JoinedFacts]) -> Int64 {
        let sales = sales(of: family)
        guard let place = sales.firstIndex(where: { $0.contains(purchase) }) else {
            return purchase.bought
        }
        let days = sales[place].map(\.bought) + (place == 0 ? sales[0].map(\.firstBought) : [])
        return days.min() ?? purchase.bought
    }
}
