// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// What the App Store signed about the next renewal (`JWSRenewalInfoDecodedPayload`).
///
/// It names no bundle id: alone it proves nothing about an app, only what encloses it does.
public struct JWSRenewalInfo: SignedPayload {
    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// The first transaction of the chain.
    public let originalTransactionID: OriginalTransactionID?

    /// The product subscribed to now.
    public let productID: ProductID?

    /// The product of the next period.
    public let autoRenewProductID: ProductID?

    /// Whether it will renew.
    public let autoRenewStatus: AutoRenewStatus?

    /// Why it ended; absent while it runs.
    public let expirationIntent: ExpirationIntent?

    /// Whether Apple is retrying a failed payment, for up to 60 days.
    public let isInBillingRetryPeriod: Bool?

    /// Access is due until then although payment failed.
    public let gracePeriodExpiresDate: Instant?

    /// Absent where no higher price is pending.
    public let priceIncreaseStatus: PriceIncreaseStatus?

    /// The offer that applies to the next renewal.
    public let offerType: OfferType?

    /// The code's reference name or the offer's id; absent for introductory offers.
    public let offerIdentifier: String?

    /// How the offer lowers the price.
    public let offerDiscountType: OfferDiscountType?

    /// An ISO 8601 duration.
    public let offerPeriod: String?

    /// What the next period will cost.
    public let renewalPrice: Money?

    /// When the next charge is due.
    public let renewalDate: Instant?

    /// Start of the streak, lapses below 60 days ignored.
    public let recentSubscriptionStartDate: Instant?

    /// Best first.
    public let eligibleWinBackOfferIDs: [String]?

    /// The UUID that the app gave to StoreKit; absent for family members.
    public let appAccountToken: UniqueID?

    /// One per Apple account and app; stable over refunds and storefronts.
    public let appTransactionID: String?

    /// The world that this belongs to.
    public let environment: AppStoreEnvironment?

    /// When Apple signed this copy.
    public let signedDate: Instant?

    /// Only for Advanced Commerce products.
    public let advancedCommerce: RenewalAdvancedCommerce?

    /// How the next period is paid.
    public let renewalBillingPlanType: BillingPlanType?

    /// Only for commitments of twelve months.
    public let commitment: RenewalCommitment?

    /// Reads the payload; see ``SignedPayload/init(fields:)``.
    public init(fields: JSONObject) throws(PayloadError) {
        let reader = FieldReader(fields)
        let loose = reader.lenient
        self.fields = fields
        originalTransactionID = try reader.identifier("originalTransactionId")
        productID = try reader.identifier("productId")
        autoRenewProductID = try reader.identifier("autoRenewProductId")
        autoRenewStatus = try reader.code("autoRenewStatus")
        expirationIntent = try loose.code("expirationIntent")
        isInBillingRetryPeriod = try reader.flag("isInBillingRetryPeriod")
        gracePeriodExpiresDate = try reader.instant("gracePeriodExpiresDate")
        priceIncreaseStatus = try loose.code("priceIncreaseStatus")
        offerType = try loose.code("offerType")
        offerIdentifier = try loose.text("offerIdentifier")
        offerDiscountType = try loose.name("offerDiscountType")
        offerPeriod = try loose.text("offerPeriod")
        renewalPrice = try reader.money("renewalPrice", currency: "currency")
        renewalDate = try reader.instant("renewalDate")
        recentSubscriptionStartDate = try reader.instant("recentSubscriptionStartDate")
        eligibleWinBackOfferIDs = try loose.texts("eligibleWinBackOfferIds")
        appAccountToken = try reader.uniqueID("appAccountToken")
        appTransactionID = try reader.text("appTransactionId")
        environment = try reader.environment("environment")
        signedDate = try reader.instant("signedDate")
        advancedCommerce = try reader.object("advancedCommerceInfo", RenewalAdvancedCommerce.init)
        renewalBillingPlanType = try loose.name("renewalBillingPlanType")
        commitment = try reader.object("commitmentInfo", RenewalCommitment.init)
    }
}

/// What follows a commitment of twelve months (since version 1.21 of the API).
public struct RenewalCommitment: Hashable, Sendable {
    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// The product of the next period.
    public let autoRenewProductID: ProductID?

    /// Whether it will renew.
    public let autoRenewStatus: AutoRenewStatus?

    /// How the next period is paid.
    public let renewalBillingPlanType: BillingPlanType?

    /// When the next charge is due.
    public let renewalDate: Instant?

    /// Thousandths of the renewal's currency.
    public let renewalPriceMilli: Int64?

    init(_ fields: JSONObject, _ reader: FieldReader) throws(PayloadError) {
        self.fields = fields
        autoRenewProductID = try reader.identifier("commitmentAutoRenewProductId")
        autoRenewStatus = try reader.code("commitmentAutoRenewStatus")
        renewalBillingPlanType = try reader.lenient.name("commitmentRenewalBillingPlanType")
        renewalDate = try reader.instant("commitmentRenewalDate")
        renewalPriceMilli = try reader.integer("commitmentRenewalPrice")
    }
}
