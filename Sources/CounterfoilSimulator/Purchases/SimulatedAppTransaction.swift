// SPDX-License-Identifier: Apache-2.0
public import CounterfoilApple
public import CounterfoilCore

/// How a customer came to own the app.
public struct SimulatedAppTransaction: Hashable, Sendable {
    /// The environment, under the name that this payload has for it.
    public var environment: AppStoreEnvironment

    /// Nil outside production.
    public var appAppleID: Int64?

    /// The app.
    public var bundleID: String

    /// The version installed now; not in copies for servers.
    public var applicationVersion: String?

    /// The store's number of the version.
    public var versionExternalIdentifier: Int64?

    /// When this copy was signed.
    public var receiptCreationDate: Instant

    /// The first download.
    public var originalPurchaseDate: Instant

    /// The version first installed; the sandbox always says `1.0`.
    public var originalApplicationVersion: String?

    /// Base64 of SHA-384 over the nonce and the device; only in copies for devices.
    public var deviceVerification: String?

    /// The nonce of that hash.
    public var deviceVerificationNonce: UniqueID?

    /// When the app was ordered in advance.
    public var preorderDate: Instant?

    /// Apple's id of the account in the app.
    public var appTransactionID: String?

    /// Where the app was first obtained.
    public var originalPlatform: String?

    /// Makes the copy for servers.
    public init(
        environment: AppStoreEnvironment, bundleID: String, receiptCreationDate: Instant,
        originalPurchaseDate: Instant
    ) {
        self.environment = environment
        self.bundleID = bundleID
        self.receiptCreationDate = receiptCreationDate
        self.originalPurchaseDate = originalPurchaseDate
    }

    /// Takes what was signed; nil where environment, app or dates are missing.
    public init?(_ signed: JWSAppTransaction) {
        guard let environment = signed.environment, let bundleID = signed.bundleID,
            let created = signed.receiptCreationDate, let bought = signed.originalPurchaseDate
        else { return nil }
        self.init(
            environment: environment, bundleID: bundleID.rawValue, receiptCreationDate: created,
            originalPurchaseDate: bought)
        appAppleID = signed.appAppleID
        applicationVersion = signed.applicationVersion
        versionExternalIdentifier = signed.versionExternalIdentifier
        originalApplicationVersion = signed.originalApplicationVersion
        deviceVerification = signed.deviceVerification
        deviceVerificationNonce = signed.deviceVerificationNonce
        preorderDate = signed.preorderDate
        appTransactionID = signed.appTransactionID
        originalPlatform = signed.originalPlatform?.rawValue
    }

    /// The payload that the App Store signs (JWSAppTransactionDecodedPayload).
    public var payload: JSONValue {
        var payload = PayloadWriter()
        payload.text("receiptType", environment.rawValue)
        payload.number("appAppleId", appAppleID)
        payload.text("bundleId", bundleID)
        payload.text("applicationVersion", applicationVersion)
        payload.number("versionExternalIdentifier", versionExternalIdentifier)
        payload.date("receiptCreationDate", receiptCreationDate)
        payload.date("originalPurchaseDate", originalPurchaseDate)
        payload.text("originalApplicationVersion", originalApplicationVersion)
        payload.text("deviceVerification", deviceVerification)
        payload.text("deviceVerificationNonce", deviceVerificationNonce?.description)
        payload.date("preorderDate", preorderDate)
        payload.text("appTransactionId", appTransactionID)
        payload.text("originalPlatform", originalPlatform)
        return .object(payload.object)
    }
}
