// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple

/// Everything that one app sells in the simulated App Store.
///
/// A `.storekit` file or a `catalog.json` becomes this, and ``SimulatedStore`` sells from it.
public struct StoreCatalog: Hashable, Sendable {
    /// All products in the order they were given: one-time, non-renewing and auto-renewable ones.
    public let products: [StoreProduct]

    /// The groups of the subscriptions.
    public let groups: [SubscriptionGroup]

    private let positions: [String: Int]

    /// Checks and takes products and groups.
    ///
    /// - Throws: ``CatalogError`` naming the first product or group that cannot be.
    public init(
        products: [StoreProduct], groups: [SubscriptionGroup] = []
    ) throws(CatalogError) {
        guard products.count <= Limits.maximumProducts, groups.count <= Limits.maximumProducts
        else {
            throw CatalogError(
                code: .size, subject: "catalogue",
                message: "more than \(Limits.maximumProducts) products or groups")
        }
        var groupIDs: Set<String> = []
        for group in groups where !groupIDs.insert(group.id).inserted {
            throw CatalogError(
                code: .duplicateGroup, subject: group.id, message: "two groups have this id")
        }
        var positions: [String: Int] = [:]
        for (position, product) in products.enumerated() {
            guard positions.updateValue(position, forKey: product.id) == nil else {
                throw CatalogError(
                    code: .duplicateProduct, subject: product.id,
                    message: "two products have this id")
            }
            try product.check(groups: groupIDs)
        }
        self.products = products
        self.groups = groups
        self.positions = positions
    }

    /// The product with the id, or nil.
    public func product(_ id: String) -> StoreProduct? {
        positions[id].map { products[$0] }
    }

    /// Where the product stands in ``products``, or nil.
    func position(of id: String) -> Int? { positions[id] }

    /// The subscriptions of a group in catalogue order.
    public func subscriptions(of groupID: String) -> [StoreProduct] {
        products.filter { $0.subscription?.groupID == groupID }
    }
}

/// Subscriptions of which a customer has one at a time.
public struct SubscriptionGroup: Hashable, Sendable {
    /// Digits, or eight hexadecimal digits from Xcode; signed transactions carry it.
    public var id: String

    /// The name that only the developer sees.
    public var name: String

    /// The names that customers see.
    public var localizations: [StoreProduct.Localization]

    /// Makes a group.
    public init(id: String, name: String, localizations: [StoreProduct.Localization] = []) {
        self.id = id
        self.name = name
        self.localizations = localizations
    }
}

extension StoreProduct {
    func check(groups: Set<String>) throws(CatalogError) {
        func refuse(_ code: CatalogError.Code, _ message: String) -> CatalogError {
            CatalogError(code: code, subject: id, message: message)
        }
        guard !id.isEmpty, id.utf8.count <= Limits.maximumNameLength else {
            throw refuse(.terms, "the id is empty or too long")
        }
        guard (kind == .autoRenewableSubscription) == (subscription != nil) else {
            throw refuse(.terms, "a group and a period are for auto-renewable subscriptions only")
        }
        if let subscription {
            guard groups.contains(subscription.groupID) else {
                throw refuse(.unknownGroup, "there is no group \(subscription.groupID)")
            }
            guard codeOffers.isEmpty else {
                throw refuse(.offer, "a subscription's codes belong to its terms")
            }
        }
        let prices =
            [priceMilli] + pricesMilli.values
            + offers.flatMap { [$0.priceMilli] + $0.pricesMilli.values }
            + (subscription?.billingPlans ?? []).flatMap {
                [$0.priceMilli, $0.commitmentPriceMilli]
            }
        guard prices.allSatisfy((0...Limits.maximumPriceMilli).contains) else {
            throw refuse(.price, "a price is negative or absurdly high")
        }
        guard offers.count <= Limits.maximumOffersPerProduct else {
            throw refuse(.offer, "more than \(Limits.maximumOffersPerProduct) offers")
        }
        for offer in offers {
            guard (1...Limits.maximumOfferPeriods).contains(offer.periodCount) else {
                throw refuse(
                    .offer, "an offer has between 1 and \(Limits.maximumOfferPeriods) periods")
            }
            guard (offer.mode == .oneTime) == (subscription == nil) else {
                throw refuse(.offer, "an offer's payment mode does not suit the product's type")
            }
            guard offer.kind == .introductory || offer.id?.isEmpty == false else {
                throw refuse(.offer, "only introductory offers have no id")
            }
        }
    }
}
