// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

/// One transaction, written as a signed transaction's payload or as a receipt's entry alike.
public struct SimulatedPurchase: Hashable, Sendable {
    /// The four types of product.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case consumable = "Consumable"
        case nonConsumable = "Non-Consumable"
        case nonRenewingSubscription = "Non-Renewing Subscription"
        case autoRenewableSubscription = "Auto-Renewable Subscription"
    }

    /// That the purchase was taken back.
    public struct Revocation: Hashable, Sendable {
        /// When it was taken back.
        public var date: Instant

        /// 0 for another reason, 1 for an issue in the app.
        public var reason: Int64?

        /// `REFUND_FULL`, `REFUND_PRORATED` or `FAMILY_REVOKE`.
        public var type: String?

        /// The share given back in thousandths of a percent.
        public var percentageMilli: Int64?

        /// Makes a revocation; what is nil is left out.
        public init(
            date: Instant, reason: Int64? = 0, type: String? = nil, percentageMilli: Int64? = nil
        ) {
            self.date = date
            self.reason = reason
            self.type = type
            self.percentageMilli = percentageMilli
        }
    }

    /// The offer that a price came from.
    public struct Offer: Hashable, Sendable {
        /// 1 introductory, 2 promotional, 3 offer code, 4 win-back.
        public var type: Int64?

        /// The offer's id or a code's reference name; nil for introductory offers.
        public var identifier: String?

        /// `FREE_TRIAL`, `PAY_AS_YOU_GO`, `PAY_UP_FRONT` or `ONE_TIME`.
        public var discountType: String?

        /// An ISO 8601 duration: what one payment of the offer buys.
        public var period: String?

        /// Makes an offer; what is nil is left out.
        public init(
            type: Int64?, identifier: String? = nil, discountType: String? = nil,
            period: String? = nil
        ) {
            self.type = type
            self.identifier = identifier
            self.discountType = discountType
            self.period = period
        }
    }

    /// Where a transaction stands in a commitment of twelve months.
    public struct Commitment: Hashable, Sendable {
        /// Counted from 1.
        public var billingPeriodNumber: Int64

        /// How many payments there are.
        public var totalBillingPeriods: Int64

        /// The whole commitment in thousandths.
        public var priceMilli: Int64

        /// The end of the commitment.
        public var expiresDate: Instant

        /// Makes a commitment.
        public init(
            billingPeriodNumber: Int64, totalBillingPeriods: Int64, priceMilli: Int64,
            expiresDate: Instant
        ) {
            self.billingPeriodNumber = billingPeriodNumber
            self.totalBillingPeriods = totalBillingPeriods
            self.priceMilli = priceMilli
            self.expiresDate = expiresDate
        }
    }

    /// Where it was bought.
    public var environment: AppStoreEnvironment

    /// The app.
    public var bundleID: String

    /// This transaction.
    public var transactionID: String

    /// The first transaction of the chain.
    public var originalTransactionID: String

    /// What was bought.
    public var productID: String

    /// The type of product.
    public var kind: Kind

    /// How many were bought at once.
    public var quantity: Int64 = 1

    /// When the customer was charged.
    public var purchaseDate: Instant

    /// When the first transaction of the chain was.
    public var originalPurchaseDate: Instant

    /// The end of a subscription's period.
    public var expiresDate: Instant?

    /// The token that the app gave StoreKit; receipts do not carry it.
    public var appAccountToken: UniqueID?

    /// `PURCHASED` or `FAMILY_SHARED`; receipts do not carry it.
    public var ownershipType = "PURCHASED"

    /// The line of a subscription's order.
    public var webOrderLineItemID: String?

    /// The group of a subscription.
    public var subscriptionGroupID: String?

    /// The total price; receipts do not carry it.
    public var price: Money?

    /// The country of the App Store in three letters.
    public var storefront = "USA"

    /// Apple's number of that storefront.
    public var storefrontID = "143441"

    /// Written only where it is true.
    public var isUpgraded = false

    /// The moment of an upgrade, which receipts write as their cancellation date.
    public var upgradeDate: Instant?

    /// The offer that it was bought with.
    public var offer: Offer?

    /// `BILLED_UPFRONT` or `MONTHLY`.
    public var billingPlanType: String?

    /// Only for commitments of twelve months.
    public var commitment: Commitment?

    /// Only for Advanced Commerce products, as Apple writes it.
    public var advancedCommerce: JSONObject?

    /// That it was taken back.
    public var revocation: Revocation?

    /// When this copy was signed; receipts have their creation date instead.
    public var signedDate: Instant

    /// `PURCHASE` or `RENEWAL`.
    public var transactionReason = "PURCHASE"

    /// The id of the customer's account in the app.
    public var appTransactionID: String?

    /// Members of the payload behind the others, for example of a later version of Apple's format.
    public var additionalMembers = JSONObject()

    /// Makes the first purchase of a product, signed as soon as it was made.
    public init(
        environment: AppStoreEnvironment, bundleID: String, transactionID: String,
        productID: String, kind: Kind, purchaseDate: Instant
    ) {
        self.environment = environment
        self.bundleID = bundleID
        self.transactionID = transactionID
        originalTransactionID = transactionID
        self.productID = productID
        self.kind = kind
        self.purchaseDate = purchaseDate
        originalPurchaseDate = purchaseDate
        signedDate = purchaseDate
    }
}
