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

        /// A non-consumable that the customer has; the store would give it again for nothing.
        case alreadyOwned = "already_owned"

        /// Subscriptions are not delivered by this version.
        case subscriptionsNotServed = "subscriptions_not_served"

        /// The app takes nothing from the sandbox, or not from this customer.
        case environmentNotAllowed = "environment_not_allowed"
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
        switch policy.catalogue.products[product]?.type {
        case nil: reasons.append(.unknownProduct)
        case .autoRenewable: reasons.append(.subscriptionsNotServed)
        case .nonConsumable:
            let isOwned = try await database.read { transaction in
                guard let key = try transaction.customerKey(policy.app, id) else { return false }
                return try transaction.entitlementPeriods(policy.app, environment, key)
                    .contains { $0.productID == product && !$0.isRevoked && $0.covers(now) }
            }
            if isOwned { reasons.append(.alreadyOwned) }
        case .consumable, .nonRenewing: break
        }
        return PurchaseAdvice(
            customer: id, product: product, environment: environment, reasons: reasons)
    }
}
