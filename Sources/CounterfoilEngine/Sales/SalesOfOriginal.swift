// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilStore

/// Which transactions of one original of a non-consumable are one sale: the rule of decision 9.
///
/// Pure, and the same in whatever order the transactions and what is known of them come.
struct SalesOfOriginal: Hashable {
    /// One transaction, as far as the rule asks. Seconds, since a receipt tells no more.
    struct Purchase: Hashable {
        let id: TransactionID
        let second: Int64
        let refunds: [RefundHistory.Interval]
    }

    /// The members of each sale. Sales and members are in order of purchase.
    private(set) var sales: [[TransactionID]] = []

    /// Nobody buys what they have: who had the product of an earlier sale at the moment of purchase
    /// got it back, of the newest such sale; who had none, as all earlier ones were refunded at that
    /// moment, bought anew. A refund of one member is of the sale.
    init(_ purchases: [Purchase]) {
        var refunds: [[RefundHistory.Interval]] = []
        for purchase in purchases.sorted(by: { ($0.second, $0.id) < ($1.second, $1.id) }) {
            let standing = refunds.lastIndex { sale in
                !sale.contains { $0.contains(purchase.second) }
            }
            if let standing {
                sales[standing].append(purchase.id)
                refunds[standing] += purchase.refunds
            } else {
                sales.append([purchase.id])
                refunds.append(purchase.refunds)
            }
        }
    }
}

/// Under which numbers the sales of an original are stored.
///
/// What was given for a transaction stays with the sale that it belongs to by what is known now, so
/// that nothing is given twice; a number says nothing of the order in which things were bought.
struct SaleNumbers: Hashable {
    /// A stored grant of one of the original's sales.
    struct Grant: Hashable {
        let number: Int
        let transaction: TransactionID

        /// Whether anything was given.
        let hasGoods: Bool
    }

    /// The number of each sale, in the order of the sales.
    let numbers: [Int]

    /// Numbers of grants that are no sale's, since their transactions turned out to be restores.
    let surplus: [Int]

    init(of sales: [[TransactionID]], grants: [Grant]) {
        let ordered = grants.sorted {
            ($0.hasGoods ? 0 : 1, $0.number) < ($1.hasGoods ? 0 : 1, $1.number)
        }
        let kept = sales.map { members in
            ordered.first { members.contains($0.transaction) }?.number
        }
        var taken = Set(grants.map(\.number))
        numbers = kept.enumerated().map { place, number in
            if let number { return number }
            // Mostly its place among the sales; no sale may come under a number that has a grant.
            var free = place
            while taken.contains(free) { free += 1 }
            taken.insert(free)
            return free
        }
        surplus = grants.map(\.number).filter { !kept.contains($0) }.sorted()
    }
}
