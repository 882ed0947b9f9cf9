// SPDX-License-Identifier: Apache-2.0

/// That orders and the purchases that pay them agree.
struct OrderAudit {
    private(set) var findings: [String] = []
    private let orders: [String: Books.Order]
    private let granted: Set<Books.Place>

    init(_ books: Books) {
        orders = Dictionary(books.orders.map { ($0.id, $0) }) { first, _ in first }
        granted = Set(books.grants.filter { $0.grant.goods != nil }.map(\.place))
        let byToken = Dictionary(books.orders.map { ($0.token, $0) }) { first, _ in first }
        for purchase in books.purchases {
            checkPairing(of: purchase)
            if let token = purchase.facts.token, let named = byToken[token],
                books.ownedByToken.contains(purchase.facts.transaction),
                named.product == purchase.facts.product, purchase.order != named.id
            {
                findings.append(
                    "P2: \(purchase.facts.transaction) does not pay the order of its token")
            }
        }
        let payments = Dictionary(grouping: books.purchases.filter { $0.order != nil }) {
            $0.order ?? ""
        }
        for order in books.orders { check(order, paidBy: payments[order.id] ?? []) }
    }

    private mutating func checkPairing(of purchase: Books.Purchase) {
        guard let id = purchase.order else { return }
        guard let order = orders[id], order.product == purchase.facts.product,
            order.customer == purchase.owner
        else {
            findings.append("\(purchase.facts.transaction) pays an order that is not for it")
            return
        }
    }

    /// Payments decide the state, and those in production where it was paid.
    private mutating func check(_ order: Books.Order, paidBy payments: [Books.Purchase]) {
        let isReal = payments.contains { $0.environment == "Production" }
        if isReal, order.environment != "Production" {
            findings.append("order \(order.id) was paid in production and says otherwise")
        }
        let counted = payments.filter { $0.environment == order.environment }
        guard let first = order.paidBy else {
            if !payments.isEmpty || !Self.unpaid.contains(order.state) {
                findings.append("order \(order.id) is \(order.state) without a payment")
            }
            return
        }
        if !counted.contains(where: { $0.facts.transaction == first }) {
            findings.append("order \(order.id) was paid by \(first), which does not say so")
        }
        let standing = counted.filter { $0.facts.revoked == nil }
        let isGranted = standing.contains { purchase in
            guard let sale = purchase.sale else { return false }
            return granted.contains(
                Books.Place(environment: purchase.environment, sale: sale))
        }
        let expected = isGranted ? "fulfilled" : standing.isEmpty ? "refunded" : "paid"
        if order.state != expected {
            findings.append("order \(order.id) is \(order.state), expected \(expected)")
        }
    }

    private static let unpaid: Set = ["open", "pending", "cancelled", "lapsed"]
}
