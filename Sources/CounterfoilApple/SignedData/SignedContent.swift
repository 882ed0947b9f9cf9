// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// The payload of a JWS as the kind that its fields show it to be.
public enum SignedContent: Hashable, Sendable {
    case transaction(JWSTransaction)
    case renewalInfo(JWSRenewalInfo)
    case notification(JWSNotification)
    case appTransaction(JWSAppTransaction)
    case realtimeRequest(JWSRealtimeRequest)

    /// Reads a payload.
    ///
    /// Apple's payloads do not name their kind. Each but the renewal info has fields that no other
    /// has; what has none of them is read as a renewal info, which proves no purchase.
    ///
    /// - Throws: ``PayloadError`` as the kind's own initializer.
    public init(fields: JSONObject) throws(PayloadError) {
        func has(_ keys: String...) -> Bool { keys.contains { fields[$0] != nil } }
        if has("notificationType", "notificationUUID") {
            self = .notification(try JWSNotification(fields: fields))
        } else if has("receiptType", "receiptCreationDate", "originalApplicationVersion") {
            self = .appTransaction(try JWSAppTransaction(fields: fields))
        } else if has("userLocale") {
            self = .realtimeRequest(try JWSRealtimeRequest(fields: fields))
        } else if has("transactionId", "purchaseDate", "inAppOwnershipType") {
            self = .transaction(try JWSTransaction(fields: fields))
        } else {
            self = .renewalInfo(try JWSRenewalInfo(fields: fields))
        }
    }

    /// Every member as it was signed.
    public var fields: JSONObject {
        switch self {
        case .transaction(let payload): payload.fields
        case .renewalInfo(let payload): payload.fields
        case .notification(let payload): payload.fields
        case .appTransaction(let payload): payload.fields
        case .realtimeRequest(let payload): payload.fields
        }
    }

    /// When Apple signed; nil where the payload does not tell.
    public var signedDate: Instant? {
        switch self {
        case .transaction(let payload): payload.signedDate
        case .renewalInfo(let payload): payload.signedDate
        case .notification(let payload): payload.signedDate
        case .appTransaction(let payload): payload.receiptCreationDate
        case .realtimeRequest(let payload): payload.signedDate
        }
    }

    /// The environment that the payload names.
    public var environment: AppStoreEnvironment? {
        switch self {
        case .transaction(let payload): payload.environment
        case .renewalInfo(let payload): payload.environment
        case .notification(let payload): payload.environment
        case .appTransaction(let payload): payload.environment
        case .realtimeRequest(let payload): payload.environment
        }
    }

    /// The name of the kind, for example `jws-transaction`.
    public var kindName: String {
        switch self {
        case .transaction: "jws-transaction"
        case .renewalInfo: "jws-renewal-info"
        case .notification: "jws-notification"
        case .appTransaction: "jws-app-transaction"
        case .realtimeRequest: "jws-realtime-request"
        }
    }
}
