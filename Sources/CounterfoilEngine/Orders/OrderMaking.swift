// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
package import CounterfoilDatabase
import CounterfoilStore

/// A new order on its way into the books, with everything drawn that it needs.
package struct OrderMaking: Sendable {
    let request: OrderRequest
    let policy: AppPolicy
    let orderID: UniqueID
    let token: UniqueID

    /// Told to whoever makes the order, and to nobody else.
    package let ticket: OrderTicket
    let freshCustomerKey: UniqueID
    let now: Instant

    /// Makes the order: freezes its goods and gives it an account token. The customer is made if it is
    /// not known yet.
    ///
    /// - Throws: ``OrderRefusal``, after which the transaction must not be committed.
    package func run(in transaction: any WriteTransaction) throws -> OrderView {
        guard let product = policy.catalogue.products[request.product] else {
            throw OrderRefusal.unknownProduct
        }
        guard product.isActive else { throw OrderRefusal.inactiveProduct }
        let customer = try transaction.ensureCustomer(
            policy.app, request.customer, freshKey: freshCustomerKey, at: now)
        // A merge moves the orders that there are; this one comes before it, or goes to the target.
        try transaction.lockCustomers([customer])
        guard try transaction.current(customer) == customer else {
            throw DatabaseError(.busy, "the customer was merged into another just now")
        }
        let limit = Limits.openOrdersPerCustomer
        guard try transaction.openOrderCount(of: customer) < limit else {
            throw OrderRefusal.tooMany(limit: limit)
        }
        let order = OrderRecord(
            orderID: orderID, app: policy.app, customer: customer,
            environment: request.environment, productID: product.id, quantity: request.quantity,
            storefront: request.storefront,
            accountToken: try accountToken(of: customer, in: transaction),
            price: request.storefront.flatMap { product.prices[$0] },
            context: request.context.map { JSONValue.object($0).text },
            goods: JSONValue.array(product.goods.map(\.json)).text,
            catalogueVersion: policy.catalogue.version, ticketDigest: ticket.digest,
            openUntil: now + policy.orders.openFor, createdAt: now, updatedAt: now)
        try transaction.insert(order)
        return OrderView(order, customer: request.customer)
    }

    private func accountToken(
        of customer: UniqueID, in transaction: any WriteTransaction
    ) throws -> UniqueID {
        let isOrders = policy.orders.tokenScope == .order
        if !isOrders, let token = try transaction.accountToken(of: customer) { return token }
        let holder = try transaction.registerToken(
            policy.app, token, of: customer, order: isOrders ? orderID : nil, at: now)
        guard holder == customer else {
            throw DatabaseError(.uniqueViolation, "a fresh account token names somebody else")
        }
        return token
    }
}
