// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// What somebody intends to buy.
package struct OrderRequest: Sendable {
    package let customer: CustomerID
    package let product: ProductID
    package let quantity: Int64

    /// The customer's storefront (ISO 3166-1 alpha-3), by which the price is looked up.
    package let storefront: String?

    /// Where it is meant to be paid; a payment elsewhere counts all the same.
    package let environment: AppStoreEnvironment

    /// The studio's own words, such as server and role: an object, kept and given back as it is.
    package let context: JSONObject?

    package init(
        customer: CustomerID, product: ProductID, quantity: Int64, storefront: String?,
        environment: AppStoreEnvironment, context: JSONObject?
    ) {
        self.customer = customer
        self.product = product
        self.quantity = quantity
        self.storefront = storefront
        self.environment = environment
        self.context = context
    }
}

/// Why no order was made.
package enum OrderRefusal: Error, Hashable, Sendable {
    /// The catalogue has no such product.
    case unknownProduct

    /// The catalogue has the product and does not offer it any more, or not yet.
    case inactiveProduct

    /// The customer has as many open orders as one may have.
    case tooMany(limit: Int64)
}
