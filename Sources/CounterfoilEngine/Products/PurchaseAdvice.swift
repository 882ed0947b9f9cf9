// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Whether it makes sense that a customer buys a product, before anything is paid.
///
/// It is advice for the app. A payment that arrives all the same is delivered or stands in a queue as
/// ever.
package struct PurchaseAdvice: Hashable, Sendable {
    /// Why not. The raw value is stable.
    package enum Reason: String, CaseIterable, Sendable {
        /// The catalogue does not have it, so the purchase would be parked.
        case unknownProduct = "unknown_product"

        /// The catalogue has it and does not offer it; a purchase would be delivered all the same.
        case inactiveProduct = "inactive_product"

        /// A non-consumable that the customer has; the store would give it again for nothing.
        case alreadyOwned = "already_owned"

        /// Subscriptions are not delivered by this version.
        case subscriptionsNotServed = "subscriptions_not_served"

        /// The app takes nothing from the sandbox, or not from this customer.
        case environmentNotAllowed = "environment_not_allowed"

        /// The customer has as many open orders as one may have.
        case orderLimit = "order_limit"

        /// The studio holds back what is delivered of this product, or of the app.
        case deliveryHeld = "delivery_held"
    }

    package let customer: CustomerID
    package let product: ProductID
    package let environment: AppStoreEnvironment

    /// Empty if nothing stands in the way.
    package let reasons: [Reason]
}

extension Engine {
    /// Looks whether something stands in the way of a purchase.
    ///
    /// A customer whom nobody has named yet has nothing, so nothing of theirs stands in the way.
    package func check(
        purchaseOf product: ProductID, by id: CustomerID, from policy: AppPolicy,
        in environment: AppStoreEnvironment
    ) async throws -> PurchaseAdvice {
        let now = clock.now
        var reasons: [PurchaseAdvice.Reason] = []
        let isAdmitted = environment != .sandbox || policy.sandbox.admits(id)
        if !isAdmitted || policy.deliverFrom[environment] == nil {
            reasons.append(.environmentNotAllowed)
        }
        let listed = policy.catalogue.products[product]
        if listed?.isActive == false { reasons.append(.inactiveProduct) }
        let type = listed?.type
        switch type {
        case nil: reasons.append(.unknownProduct)
        case .autoRenewable: reasons.append(.subscriptionsNotServed)
        case .consumable, .nonRenewing, .nonConsumable: break
        }
        reasons += try await database.read { transaction in
            let app = policy.app
            var reasons: [PurchaseAdvice.Reason] = []
            if let key = try transaction.customerKey(app, id) {
                if type == .nonConsumable,
                    try transaction.owns(product, app, environment, key, at: now)
                {
                    reasons.append(.alreadyOwned)
                }
                if try transaction.openOrderCount(of: key) >= Limits.openOrdersPerCustomer {
                    reasons.append(.orderLimit)
                }
            }
            if try transaction.isHeld(app, nil) || transaction.isHeld(app, product) {
                reasons.append(.deliveryHeld)
            }
            return reasons
        }
        return PurchaseAdvice(
            customer: id, product: product, environment: environment, reasons: reasons)
    }
}

extension ReadTransaction {
    /// Whether a customer has a non-consumable: a right of it, also one that is shared, or a sale that
    /// was not taken back, whatever its goods were.
    fileprivate func owns(
        _ product: ProductID, _ app: AppID, _ environment: AppStoreEnvironment,
        _ customer: UniqueID, at now: Instant
    ) throws -> Bool {
        let hasRight = try entitlementPeriods(app, environment, customer)
            .contains { $0.productID == product && !$0.isRevoked && $0.covers(now) }
        return try hasRight
            || allKeys(of: customer).contains {
                try hasNonConsumable(product, app, environment, soldTo: $0)
            }
    }
}
