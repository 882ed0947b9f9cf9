// SPDX-License-Identifier: Apache-2.0

/// What can be bought.
public struct StoreProduct: Hashable, Sendable {
    /// The product's texts in one language.
    public struct Localization: Hashable, Sendable {
        /// For example `en_US`.
        public var locale: String

        /// The name that customers see.
        public var displayName: String

        /// The text below it.
        public var text: String

        /// Makes the texts.
        public init(locale: String, displayName: String, text: String = "") {
            self.locale = locale
            self.displayName = displayName
            self.text = text
        }
    }

    /// The id that apps use; unique in the catalogue.
    public var id: String

    /// One of the four types.
    public var kind: SimulatedPurchase.Kind

    /// App Store Connect's or Xcode's own id, as it was written.
    public var internalID: String?

    /// The name that only the developer sees.
    public var referenceName: String?

    /// The price of one in thousandths of the storefront's currency.
    public var priceMilli: Int64

    /// Prices that differ by storefront, under its three letters.
    public var pricesMilli: [String: Int64]

    /// Whether the buyer's family may have it too.
    public var isFamilyShareable: Bool

    /// The texts.
    public var localizations: [Localization]

    /// Set for auto-renewable subscriptions, and for those only.
    public var subscription: SubscriptionTerms?

    /// Offer codes of a product that is no subscription.
    public var codeOffers: [StoreOffer]

    /// Whether new purchases are possible; a subscription that is not ends at its renewal.
    public var isForSale: Bool

    /// Makes a product.
    public init(
        id: String, kind: SimulatedPurchase.Kind, priceMilli: Int64,
        pricesMilli: [String: Int64] = [:], internalID: String? = nil,
        referenceName: String? = nil, isFamilyShareable: Bool = false,
        localizations: [Localization] = [], subscription: SubscriptionTerms? = nil,
        codeOffers: [StoreOffer] = [], isForSale: Bool = true
    ) {
        self.id = id
        self.kind = kind
        self.priceMilli = priceMilli
        self.pricesMilli = pricesMilli
        self.internalID = internalID
        self.referenceName = referenceName
        self.isFamilyShareable = isFamilyShareable
        self.localizations = localizations
        self.subscription = subscription
        self.codeOffers = codeOffers
        self.isForSale = isForSale
    }

    /// Every offer on the product.
    public var offers: [StoreOffer] {
        guard let subscription else { return codeOffers }
        return subscription.introductoryOffers + subscription.promotionalOffers
            + subscription.codeOffers + subscription.winBackOffers
    }
}

/// What makes a product an auto-renewable subscription.
public struct SubscriptionTerms: Hashable, Sendable {
    /// The group; a customer has at most one running subscription of it.
    public var groupID: String

    /// The level of service: 1 is the highest, equal numbers are one level.
    public var level: Int64

    /// The length of one period.
    public var period: StorePeriod

    /// The first one counts; Apple grants one per customer and group.
    public var introductoryOffers: [StoreOffer]

    /// Offers that the developer signs.
    public var promotionalOffers: [StoreOffer]

    /// Offers behind codes.
    public var codeOffers: [StoreOffer]

    /// Offers for customers who left; the best first.
    public var winBackOffers: [StoreOffer]

    /// How it can be paid; empty means one payment per period.
    public var billingPlans: [BillingPlan]

    /// Makes the terms.
    public init(
        groupID: String, level: Int64 = 1, period: StorePeriod,
        introductoryOffers: [StoreOffer] = [], promotionalOffers: [StoreOffer] = [],
        codeOffers: [StoreOffer] = [], winBackOffers: [StoreOffer] = [],
        billingPlans: [BillingPlan] = []
    ) {
        self.groupID = groupID
        self.level = level
        self.period = period
        self.introductoryOffers = introductoryOffers
        self.promotionalOffers = promotionalOffers
        self.codeOffers = codeOffers
        self.winBackOffers = winBackOffers
        self.billingPlans = billingPlans
    }
}
