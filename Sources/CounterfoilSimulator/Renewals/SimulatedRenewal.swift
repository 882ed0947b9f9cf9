// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

/// What is signed about a subscription's next renewal.
public struct SimulatedRenewal: Hashable, Sendable {
    /// What follows a commitment of twelve months.
    public struct Commitment: Hashable, Sendable {
        /// The product of the next commitment.
        public var autoRenewProductID: String?

        /// Whether a next commitment follows.
        public var autoRenews: Bool?

        /// `BILLED_UPFRONT` or `MONTHLY`.
        public var renewalBillingPlanType: String?

        /// When the next commitment begins.
        public var renewalDate: Instant?

        /// The next commitment in thousandths.
        public var renewalPriceMilli: Int64?

        /// Makes a commitment; what is nil is left out.
        public init(
            autoRenewProductID: String?, autoRenews: Bool?, renewalBillingPlanType: String?,
            renewalDate: Instant?, renewalPriceMilli: Int64?
        ) {
            self.autoRenewProductID = autoRenewProductID
            self.autoRenews = autoRenews
            self.renewalBillingPlanType = renewalBillingPlanType
            self.renewalDate = renewalDate
            self.renewalPriceMilli = renewalPriceMilli
        }
    }

    /// The first transaction of the chain.
    public var originalTransactionID: String

    /// The product subscribed to now.
    public var productID: String?

    /// The product of the next period.
    public var autoRenewProductID: String?

    /// Whether it will renew.
    public var autoRenews: Bool?

    /// 1 cancelled, 2 billing error, 3 higher price refused, 4 not for sale, 5 other; nil while it runs.
    public var expirationIntent: Int64?

    /// Whether Apple still tries to be paid; nil where no renewal failed.
    public var isInBillingRetryPeriod: Bool?

    /// The end of access although a payment failed.
    public var gracePeriodExpiresDate: Instant?

    /// 0 not answered, 1 agreed or only told; nil where no higher price is due.
    public var priceIncreaseStatus: Int64?

    /// The offer of the next renewal.
    public var offer: SimulatedPurchase.Offer?

    /// What the next period costs.
    public var renewalPrice: Money?

    /// When the next payment is due.
    public var renewalDate: Instant?

    /// Where the streak began; lapses below 60 days do not end it.
    public var recentSubscriptionStartDate: Instant?

    /// The best first; nil while it runs.
    public var eligibleWinBackOfferIDs: [String]?

    /// The token that renewals carry.
    public var appAccountToken: UniqueID?

    /// The id of the customer's account in the app.
    public var appTransactionID: String?

    /// Where it was bought.
    public var environment: AppStoreEnvironment

    /// When this copy was signed.
    public var signedDate: Instant

    /// Only for Advanced Commerce products, as Apple writes it.
    public var advancedCommerce: JSONObject?

    /// `BILLED_UPFRONT` or `MONTHLY`.
    public var renewalBillingPlanType: String?

    /// Only for commitments of twelve months.
    public var commitment: Commitment?

    /// Makes an empty one; what stays nil is left out of the payload.
    public init(
        originalTransactionID: String, environment: AppStoreEnvironment, signedDate: Instant
    ) {
        self.originalTransactionID = originalTransactionID
        self.environment = environment
        self.signedDate = signedDate
    }

    /// The payload that the App Store signs (JWSRenewalInfoDecodedPayload).
    public var payload: JSONValue {
        var payload = PayloadWriter()
        payload.number("expirationIntent", expirationIntent)
        payload.text("originalTransactionId", originalTransactionID)
        payload.text("autoRenewProductId", autoRenewProductID)
        payload.text("productId", productID)
        payload.number("autoRenewStatus", autoRenews.map { $0 ? 1 : 0 })
        payload.flag("isInBillingRetryPeriod", isInBillingRetryPeriod)
        payload.number("priceIncreaseStatus", priceIncreaseStatus)
        payload.date("gracePeriodExpiresDate", gracePeriodExpiresDate)
        payload.offer(offer)
        payload.date("signedDate", signedDate)
        payload.text("environment", environment.rawValue)
        payload.date("recentSubscriptionStartDate", recentSubscriptionStartDate)
        payload.date("renewalDate", renewalDate)
        payload.number("renewalPrice", renewalPrice?.amountMilli)
        payload.text("currency", renewalPrice?.currency)
        payload.texts("eligibleWinBackOfferIds", eligibleWinBackOfferIDs)
        payload.text("appTransactionId", appTransactionID)
        payload.text("appAccountToken", appAccountToken?.description)
        payload.object("advancedCommerceInfo", advancedCommerce)
        payload.object("commitmentInfo", commitment?.payload)
        payload.text("renewalBillingPlanType", renewalBillingPlanType)
        return .object(payload.object)
    }
}

extension SimulatedRenewal.Commitment {
    fileprivate var payload: JSONObject {
        var payload = PayloadWriter()
        payload.text("commitmentAutoRenewProductId", autoRenewProductID)
        payload.number("commitmentAutoRenewStatus", autoRenews.map { $0 ? 1 : 0 })
        payload.text("commitmentRenewalBillingPlanType", renewalBillingPlanType)
        payload.date("commitmentRenewalDate", renewalDate)
        payload.number("commitmentRenewalPrice", renewalPriceMilli)
        return payload.object
    }
}
