// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// A version 2 server notification (`ResponseBodyV2DecodedPayload`).
///
/// Its inner texts are signed on their own and stay unproven until each of them is verified.
public struct JWSNotification: SignedPayload {
    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// What happened; a hint, since the signed transaction decides.
    public let notificationType: NotificationType?

    /// The finer word; only some types have one.
    public let subtype: NotificationSubtype?

    /// The same on every retry of one notification.
    public let notificationUUID: String?

    /// Always `2.0` so far.
    public let version: String?

    /// When Apple signed this copy.
    public let signedDate: Instant?

    /// Exactly one of this and the next three is there in what Apple sends.
    public let data: NotificationData?

    /// How a mass extension went.
    public let summary: NotificationSummary?

    /// A token that wants reporting.
    public let externalPurchaseToken: ExternalPurchaseToken?

    /// The app that a withdrawn consent is about.
    public let appData: NotificationAppData?

    /// Reads the payload; see ``SignedPayload/init(fields:)``.
    public init(fields: JSONObject) throws(PayloadError) {
        let reader = FieldReader(fields)
        self.fields = fields
        notificationType = try reader.name("notificationType")
        subtype = try reader.name("subtype")
        notificationUUID = try reader.text("notificationUUID")
        version = try reader.lenient.text("version")
        signedDate = try reader.instant("signedDate")
        data = try reader.object("data", NotificationData.init)
        summary = try reader.object("summary", NotificationSummary.init)
        externalPurchaseToken = try reader.object(
            "externalPurchaseToken", ExternalPurchaseToken.init)
        appData = try reader.object("appData", NotificationAppData.init)
    }

    /// The app that this is about, from the first of the four objects that is there.
    public var bundleID: BundleID? {
        if let data { return data.bundleID }
        if let summary { return summary.bundleID }
        if let externalPurchaseToken { return externalPurchaseToken.bundleID }
        return appData?.bundleID
    }

    /// The store's number of the app, from the same object; absent outside production.
    public var appAppleID: Int64? {
        if let data { return data.appAppleID }
        if let summary { return summary.appAppleID }
        if let externalPurchaseToken { return externalPurchaseToken.appAppleID }
        return appData?.appAppleID
    }

    /// The environment, from the same object.
    public var environment: AppStoreEnvironment? {
        if let data { return data.environment }
        if let summary { return summary.environment }
        if let externalPurchaseToken { return externalPurchaseToken.environment }
        return appData?.environment
    }
}

/// What most notifications carry.
public struct NotificationData: Hashable, Sendable {
    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// The store's number of the app; absent outside production.
    public let appAppleID: Int64?

    /// The app.
    public let bundleID: BundleID?

    /// The version of the app.
    public let bundleVersion: String?

    /// The world that this belongs to.
    public let environment: AppStoreEnvironment?

    /// A compact JWS of a ``JWSTransaction``.
    public let signedTransactionInfo: String?

    /// A compact JWS of a ``JWSRenewalInfo``; subscriptions only.
    public let signedRenewalInfo: String?

    /// As of the notification's signed date; subscriptions only.
    public let status: SubscriptionStatus?

    /// Why the customer asked for a refund; consumption requests only.
    public let consumptionRequestReason: ConsumptionRequestReason?

    init(_ fields: JSONObject, _ reader: FieldReader) throws(PayloadError) {
        self.fields = fields
        appAppleID = try reader.integer("appAppleId")
        bundleID = try reader.identifier("bundleId")
        bundleVersion = try reader.lenient.text("bundleVersion")
        environment = try reader.environment("environment")
        signedTransactionInfo = try reader.text("signedTransactionInfo")
        signedRenewalInfo = try reader.text("signedRenewalInfo")
        status = try reader.code("status")
        consumptionRequestReason = try reader.lenient.name("consumptionRequestReason")
    }
}

/// How a mass extension of subscriptions went.
public struct NotificationSummary: Hashable, Sendable {
    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// The world that this belongs to.
    public let environment: AppStoreEnvironment?

    /// The store's number of the app; absent outside production.
    public let appAppleID: Int64?

    /// The app.
    public let bundleID: BundleID?

    /// The product as App Store Connect names it.
    public let productID: ProductID?

    /// The id of the request.
    public let requestIdentifier: String?

    /// The storefronts that it covered.
    public let storefrontCountryCodes: [String]?

    /// Subscriptions that were extended.
    public let succeededCount: Int64?

    /// Subscriptions that were not.
    public let failedCount: Int64?

    init(_ fields: JSONObject, _ reader: FieldReader) throws(PayloadError) {
        self.fields = fields
        environment = try reader.environment("environment")
        appAppleID = try reader.integer("appAppleId")
        bundleID = try reader.identifier("bundleId")
        productID = try reader.identifier("productId")
        requestIdentifier = try reader.text("requestIdentifier")
        storefrontCountryCodes = try reader.lenient.texts("storefrontCountryCodes")
        succeededCount = try reader.lenient.integer("succeededCount")
        failedCount = try reader.lenient.integer("failedCount")
    }
}

/// A token that stands for purchases outside the store and wants reporting.
public struct ExternalPurchaseToken: Hashable, Sendable {
    private static let sandboxPrefix = "SANDBOX"

    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// The token's id.
    public let externalPurchaseID: String?

    /// When it was made.
    public let tokenCreationDate: Instant?

    /// When it ends; custom links only.
    public let tokenExpirationDate: Instant?

    /// Custom links only.
    public let tokenType: ExternalPurchaseTokenType?

    /// The store's number of the app; absent outside production.
    public let appAppleID: Int64?

    /// The app.
    public let bundleID: BundleID?

    init(_ fields: JSONObject, _ reader: FieldReader) throws(PayloadError) {
        self.fields = fields
        externalPurchaseID = try reader.text("externalPurchaseId")
        tokenCreationDate = try reader.instant("tokenCreationDate")
        tokenExpirationDate = try reader.instant("tokenExpirationDate")
        tokenType = try reader.lenient.name("tokenType")
        appAppleID = try reader.integer("appAppleId")
        bundleID = try reader.identifier("bundleId")
    }

    /// Told by the id's prefix, since this object has no field for it.
    public var environment: AppStoreEnvironment? {
        externalPurchaseID.map { $0.hasPrefix(Self.sandboxPrefix) ? .sandbox : .production }
    }
}

/// The app that a guardian's withdrawn consent is about.
public struct NotificationAppData: Hashable, Sendable {
    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// The store's number of the app; absent outside production.
    public let appAppleID: Int64?

    /// The app.
    public let bundleID: BundleID?

    /// The world that this belongs to.
    public let environment: AppStoreEnvironment?

    /// A compact JWS of a ``JWSAppTransaction``.
    public let signedAppTransactionInfo: String?

    init(_ fields: JSONObject, _ reader: FieldReader) throws(PayloadError) {
        self.fields = fields
        appAppleID = try reader.integer("appAppleId")
        bundleID = try reader.identifier("bundleId")
        environment = try reader.environment("environment")
        signedAppTransactionInfo = try reader.text("signedAppTransactionInfo")
    }
}
