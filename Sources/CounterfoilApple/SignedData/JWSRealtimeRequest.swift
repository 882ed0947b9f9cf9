// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// A question that Apple asks while a customer is about to cancel (Retention Messaging).
public struct JWSRealtimeRequest: SignedPayload {
    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// The first transaction of the chain.
    public let originalTransactionID: OriginalTransactionID?

    /// The store's number of the app; absent outside production.
    public let appAppleID: Int64?

    /// The product as App Store Connect names it.
    public let productID: ProductID?

    /// For example `en-US`.
    public let userLocale: String?

    /// The id of the request.
    public let requestIdentifier: UniqueID?

    /// The world that this belongs to.
    public let environment: AppStoreEnvironment?

    /// When Apple signed this copy.
    public let signedDate: Instant?

    /// Reads the payload; see ``SignedPayload/init(fields:)``.
    public init(fields: JSONObject) throws(PayloadError) {
        let reader = FieldReader(fields)
        self.fields = fields
        originalTransactionID = try reader.identifier("originalTransactionId")
        appAppleID = try reader.integer("appAppleId")
        productID = try reader.identifier("productId")
        userLocale = try reader.lenient.text("userLocale")
        requestIdentifier = try reader.uniqueID("requestIdentifier")
        environment = try reader.environment("environment")
        signedDate = try reader.instant("signedDate")
    }
}
