// SPDX-License-Identifier: Apache-2.0

/// What the books show of one family; the model's state and the books are compared in this form.
package struct Snapshot: Hashable, Sendable {
    package struct Purchase: Hashable, Sendable {
        package let facts: JoinedFacts
        package let owner: String?
        package let sale: String?
        package let parked: String?
        package let parkedOn: String?
    }

    package struct Sale: Hashable, Sendable {
        package let type: String
        package let grant: Family.Grant?
        package let takenBack: [Good]?

        /// The credits for which it gave less.
        package let credits: Set<String>
    }

    package var purchases: [String: Purchase] = [:]
    package var sales: [String: Sale] = [:]
    package var events: Set<Family.Event> = []

    /// What differs, a line for each thing.
    func differences(from books: Snapshot) -> [String] {
        var lines: [String] = []
        for id in Set(purchases.keys).union(books.purchases.keys).sorted()
        where purchases[id] != books.purchases[id] {
            lines.append(
                "purchase \(id): \(text(purchases[id])), books: \(text(books.purchases[id]))")
        }
        for key in Set(sales.keys).union(books.sales.keys).sorted()
        where sales[key] != books.sales[key] {
            lines.append("sale \(key): \(text(sales[key])), books: \(text(books.sales[key]))")
        }
        lines += events.subtracting(books.events).map { "event missing: \($0)" }.sorted()
        lines += books.events.subtracting(events).map { "event too many: \($0)" }.sorted()
        return lines
    }

    private func text(_ value: (some Any)?) -> String {
        value.map { "\($0)" } ?? "none"
    }
}

extension Family {
    package var snapshot: Snapshot {
        var snapshot = Snapshot(events: events)
        for (id, purchase) in purchases {
            snapshot.purchases[id] = Snapshot.Purchase(
                facts: purchase.facts, owner: purchase.owner, sale: purchase.sale,
                parked: purchase.parked, parkedOn: purchase.parkedOn)
        }
        for (key, sale) in sales {
            snapshot.sales[key] = Snapshot.Sale(
                type: sale.type.rawValue, grant: sale.grant, takenBack: sale.takenBack,
                credits: Set(sale.credits.map(\.id)))
        }
        return snapshot
    }
}
