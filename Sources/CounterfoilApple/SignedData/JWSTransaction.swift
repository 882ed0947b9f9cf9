// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// One transaction as the App Store signed it (`JWSTransactionDecodedPayload`).
///
/// Names and meaning are Apple's; dates in the payload are milliseconds since 1970, amounts are
/// thousandths of the currency.
public struct JWSTransaction: SignedPayload {
    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// This purchase, renewal or restore; a restore through the old interface has a new id.
    public let transactionID: TransactionID?

    /// The first transaction of the chain.
    public let originalTransactionID: OriginalTransactionID?

    /// One period of a subscription across devices; nil also where Apple wrote `0`.
    public let webOrderLineItemID: String?

    /// The app; missing on rare old non-consumables, which then count as of an unknown app.
    public let bundleID: BundleID?

    /// The product as App Store Connect names it.
    public let productID: ProductID?

    /// Auto-renewable subscriptions only.
    public let subscriptionGroupIdentifier: String?

    /// When this transaction was charged.
    public let purchaseDate: Instant?

    /// When the first transaction of the chain was charged.
    public let originalPurchaseDate: Instant?

    /// The end of the paid period.
    public let expiresDate: Instant?

    /// 1 to 10 for consumables, else 1.
    public let quantity: Int64?

    /// The kind of product, as signed.
    public let type: ProductType?

    /// The UUID that the app gave to StoreKit; absent for family members.
    public let appAccountToken: UniqueID?

    /// Who paid.
    public let ownershipType: OwnershipType?

    /// When Apple signed this copy; copies of one transaction are ordered by it.
    public let signedDate: Instant?

    /// When the money went back; gone again after a reversal.
    public let revocationDate: Instant?

    /// Why the money went back.
    public let revocationReason: RevocationReason?

    /// How far the revocation reaches.
    public let revocationType: RevocationType?

    /// Thousandths of a percent of the whole quantity; 40 % is 40,000.
    public let revocationPercentageMilli: Int64?

    /// Whether a higher level replaced this one: it entitles to nothing further.
    public let isUpgraded: Bool?

    /// The kind of offer that the price came from.
    public let offerType: OfferType?

    /// The code's reference name or the offer's id; absent for introductory offers.
    public let offerIdentifier: String?

    /// How the offer lowers the price.
    public let offerDiscountType: OfferDiscountType?

    /// An ISO 8601 duration.
    public let offerPeriod: String?

    /// The world that this belongs to.
    public let environment: AppStoreEnvironment?

    /// The ISO 3166-1 alpha-3 code; the country follows from this, never from the currency.
    public let storefront: String?

    /// Apple's number of the storefront, for example `143441`.
    public let storefrontID: String?

    /// Whether a person or the system caused it.
    public let transactionReason: TransactionReason?

    /// The total for the whole quantity, offers deducted; not for accounting, as Apple says.
    public let price: Money?

    /// One per Apple account and app; stable over refunds and storefronts.
    public let appTransactionID: String?

    /// Only for Advanced Commerce products.
    public let advancedCommerce: TransactionAdvancedCommerce?

    /// How the commitment is paid.
    public let billingPlanType: BillingPlanType?

    /// Only for commitments of twelve months.
    public let commitment: TransactionCommitment?

    /// Reads the payload; see ``SignedPayload/init(fields:)``.
    public init(fields: JSONObject) throws(PayloadError) {
        let reader = FieldReader(fields)
        let loose = reader.lenient
        self.fields = fields
        transactionID = try reader.identifier("transactionId")
        originalTransactionID = try reader.identifier("originalTransactionId")
        webOrderLineItemID = try reader.text("webOrderLineItemId").flatMap { $0 == "0" ? nil : $0 }
        bundleID = try reader.identifier("bundleId")
        productID = try reader.identifier("productId")
        subscriptionGroupIdentifier = try reader.text("subscriptionGroupIdentifier")
        purchaseDate = try reader.instant("purchaseDate")
        originalPurchaseDate = try reader.instant("originalPurchaseDate")
        expiresDate = try reader.instant("expiresDate")
        quantity = try reader.integer("quantity")
        type = try reader.name("type")
        appAccountToken = try reader.uniqueID("appAccountToken")
        ownershipType = try reader.name("inAppOwnershipType")
        signedDate = try reader.instant("signedDate")
        revocationDate = try reader.instant("revocationDate")
        revocationReason = try reader.code("revocationReason")
        revocationType = try reader.name("revocationType")
        revocationPercentageMilli = try reader.integer("revocationPercentage")
        isUpgraded = try reader.flag("isUpgraded")
        offerType = try loose.code("offerType")
        offerIdentifier = try loose.text("offerIdentifier")
        offerDiscountType = try loose.name("offerDiscountType")
        offerPeriod = try loose.text("offerPeriod")
        environment = try reader.environment("environment")
        storefront = try reader.text("storefront")
        storefrontID = try loose.text("storefrontId")
        transactionReason = try loose.name("transactionReason")
        price = try reader.money("price", currency: "currency")
        appTransactionID = try reader.text("appTransactionId")
        advancedCommerce = try reader.object(
            "advancedCommerceInfo", TransactionAdvancedCommerce.init)
        billingPlanType = try loose.name("billingPlanType")
        commitment = try reader.object("commitmentInfo", TransactionCommitment.init)
    }
}

/// Where a transaction stands in a commitment of twelve months (since version 1.21 of the API).
public struct TransactionCommitment: Hashable, Sendable {
    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// Counted from 1.
    public let billingPeriodNumber: Int64?

    /// How many periods the commitment has.
    public let totalBillingPeriods: Int64?

    /// Thousandths of the transaction's currency, for the whole commitment.
    public let priceMilli: Int64?

    /// The end of the paid period.
    public let expiresDate: Instant?

    init(_ fields: JSONObject, _ reader: FieldReader) throws(PayloadError) {
        self.fields = fields
        billingPeriodNumber = try reader.integer("billingPeriodNumber")
        totalBillingPeriods = try reader.integer("totalBillingPeriods")
        priceMilli = try reader.integer("commitmentPrice")
        expiresDate = try reader.instant("commitmentExpiresDate")
    }
}
