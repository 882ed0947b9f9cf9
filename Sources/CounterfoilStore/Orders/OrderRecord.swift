// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// The intent to buy something, made before the payment.
package struct OrderRecord: Hashable, Sendable {
    package let orderID: UniqueID
    package let app: AppID
    package var customer: UniqueID

    /// Where it is meant to be paid, until a payment says where it was.
    package var environment: AppStoreEnvironment
    package let productID: ProductID
    package let quantity: Int64
    package let storefront: String?

    /// The UUID that StoreKit signs into the transaction; it names this order, or only its customer.
    package let accountToken: UniqueID

    /// What the customer was shown for one piece, where the catalogue tells it.
    package let price: Money?

    /// The studio's own words about the order, a JSON object.
    package let context: String?

    /// The goods of one piece as JSON, frozen when the order was made.
    package let goods: String
    package let catalogueVersion: String

    /// The digest of the submission ticket.
    package let ticketDigest: [UInt8]
    package var state: OrderState

    /// Why the client gave it up.
    package var closedReason: String?

    /// How often it changed.
    package var revision: Int64

    /// Until when a payment without a token is taken to be for it: when it lapses, or when the client
    /// gave it up.
    package var openUntil: Instant

    /// The payment that it was made for: the first one, and one of Production before others.
    package var paidBy: TransactionID?
    package let createdAt: Instant
    package var updatedAt: Instant

    package init(
        orderID: UniqueID, app: AppID, customer: UniqueID, environment: AppStoreEnvironment,
        productID: ProductID, quantity: Int64, storefront: String?, accountToken: UniqueID,
        price: Money?, context: String?, goods: String, catalogueVersion: String,
        ticketDigest: [UInt8], state: OrderState = .open, closedReason: String? = nil,
        revision: Int64 = 0, openUntil: Instant, paidBy: TransactionID? = nil, createdAt: Instant,
        updatedAt: Instant
    ) {
        self.orderID = orderID
        self.app = app
        self.customer = customer
        self.environment = environment
        self.productID = productID
        self.quantity = quantity
        self.storefront = storefront
        self.accountToken = accountToken
        self.price = price
        self.context = context
        self.goods = goods
        self.catalogueVersion = catalogueVersion
        self.ticketDigest = ticketDigest
        self.state = state
        self.closedReason = closedReason
        self.revision = revision
        self.openUntil = openUntil
        self.paidBy = paidBy
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// What one sale that was paid on an order has come to.
package struct OrderPayment: Hashable, Sendable {
    package let sale: String?
    package let isRevoked: Bool
    package let isGranted: Bool

    package init(sale: String?, isRevoked: Bool, isGranted: Bool) {
        self.sale = sale
        self.isRevoked = isRevoked
        self.isGranted = isGranted
    }
}
