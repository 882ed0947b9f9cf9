// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore
public import CounterfoilTrust

/// Signed content whose signature and certificate path were found good. Only the verifier makes one.
///
/// It is somebody's true word; whether it speaks of our app and of an environment that counts here is
/// the business of ``EvidenceIdentity``.
public struct VerifiedPayload<Payload: Hashable & Sendable>: Sendable {
    /// What was signed.
    public let payload: Payload

    /// When Apple signed it: the moment at which the path was valid. Where the content tells none, the
    /// moment of judgement.
    public let effectiveDate: Instant

    /// Who signed.
    public let path: CertificatePath

    /// The digest of the evidence's bytes.
    public let evidenceSHA256: [UInt8]

    init(
        payload: Payload, effectiveDate: Instant, path: CertificatePath, evidenceSHA256: [UInt8]
    ) {
        self.payload = payload
        self.effectiveDate = effectiveDate
        self.path = path
        self.evidenceSHA256 = evidenceSHA256
    }
}

/// A notification whose own signature and those of everything inside it were found good.
public struct VerifiedNotification: Sendable {
    /// The notification.
    public let notification: VerifiedPayload<JWSNotification>

    /// `data.signedTransactionInfo`.
    public let transaction: VerifiedPayload<JWSTransaction>?

    /// `data.signedRenewalInfo`.
    public let renewalInfo: VerifiedPayload<JWSRenewalInfo>?

    /// `appData.signedAppTransactionInfo`.
    public let appTransaction: VerifiedPayload<JWSAppTransaction>?

    init(
        notification: VerifiedPayload<JWSNotification>,
        transaction: VerifiedPayload<JWSTransaction>?,
        renewalInfo: VerifiedPayload<JWSRenewalInfo>?,
        appTransaction: VerifiedPayload<JWSAppTransaction>?
    ) {
        self.notification = notification
        self.transaction = transaction
        self.renewalInfo = renewalInfo
        self.appTransaction = appTransaction
    }
}

/// Evidence that proved itself, by kind.
public enum VerifiedEvidence: Sendable {
    case receipt(VerifiedPayload<AppReceipt>)
    case transaction(VerifiedPayload<JWSTransaction>)
    case renewalInfo(VerifiedPayload<JWSRenewalInfo>)
    case notification(VerifiedNotification)
    case appTransaction(VerifiedPayload<JWSAppTransaction>)
    case realtimeRequest(VerifiedPayload<JWSRealtimeRequest>)

    /// Who signed.
    public var path: CertificatePath {
        switch self {
        case .receipt(let evidence): evidence.path
        case .transaction(let evidence): evidence.path
        case .renewalInfo(let evidence): evidence.path
        case .notification(let evidence): evidence.notification.path
        case .appTransaction(let evidence): evidence.path
        case .realtimeRequest(let evidence): evidence.path
        }
    }
}
