// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// How a customer came to own the app (`JWSAppTransactionDecodedPayload`).
public struct JWSAppTransaction: SignedPayload {
    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// The environment, under the name that this payload has for it.
    public let environment: AppStoreEnvironment?

    /// Absent outside production.
    public let appAppleID: Int64?

    /// The app.
    public let bundleID: BundleID?

    /// The version installed now.
    public let applicationVersion: String?

    /// The version first installed; the sandbox always says `1.0`.
    public let originalApplicationVersion: String?

    /// The store's number of the version.
    public let versionExternalIdentifier: Int64?

    /// When Apple signed this copy.
    public let receiptCreationDate: Instant?

    /// The first download.
    public let originalPurchaseDate: Instant?

    /// When the app was ordered in advance.
    public let preorderDate: Instant?

    /// Base64 of SHA-384 over the nonce and the device; only in copies from a device.
    public let deviceVerification: String?

    /// The nonce of that hash.
    public let deviceVerificationNonce: UniqueID?

    /// One per Apple account and app; stable over refunds and storefronts.
    public let appTransactionID: String?

    /// Where the app was first obtained.
    public let originalPlatform: Platform?

    /// Reads the payload; see ``SignedPayload/init(fields:)``.
    public init(fields: JSONObject) throws(PayloadError) {
        let reader = FieldReader(fields)
        let loose = reader.lenient
        self.fields = fields
        environment = try reader.environment("receiptType")
        appAppleID = try reader.integer("appAppleId")
        bundleID = try reader.identifier("bundleId")
        applicationVersion = try loose.text("applicationVersion")
        originalApplicationVersion = try reader.text("originalApplicationVersion")
        versionExternalIdentifier = try loose.integer("versionExternalIdentifier")
        receiptCreationDate = try reader.instant("receiptCreationDate")
        originalPurchaseDate = try reader.instant("originalPurchaseDate")
        preorderDate = try reader.instant("preorderDate")
        deviceVerification = try loose.text("deviceVerification")
        deviceVerificationNonce = try loose.uniqueID("deviceVerificationNonce")
        appTransactionID = try reader.text("appTransactionId")
        originalPlatform = try loose.name("originalPlatform")
    }
}
