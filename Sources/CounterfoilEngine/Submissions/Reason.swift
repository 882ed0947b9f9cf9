// SPDX-License-Identifier: Apache-2.0

/// What the client may do with its copy of the transaction (promise P7).
package enum ClientAction: String, Sendable {
    /// The server holds the proof and knows what becomes of it: StoreKit's transaction may be
    /// finished.
    case finish

    /// Keep the transaction unfinished and hand it in again later.
    case keep
}

/// What became of a submission.
package enum SubmissionStatus: String, CaseIterable, Sendable {
    /// The goods were granted by this submission.
    case fulfilled

    /// The goods had been granted to this customer before.
    case alreadyFulfilled = "already_fulfilled"

    /// A right that was bought earlier is there; nothing new was given.
    case restored

    /// Genuine and stored, but something stands in the way; it settles by itself.
    case parked

    /// Cannot be judged yet.
    case pending

    /// Nothing will come of it as it stands.
    case rejected
}

/// Why a submission did not, or not yet, lead to goods. The raw value is stable.
package enum Reason: String, CaseIterable, Sendable {
    // Genuine, and decided.
    case ownedByAnotherCustomer = "owned_by_another_customer"
    case revoked
    case deliveredElsewhere = "delivered_elsewhere"

    // Genuine, held until its cause goes.
    case unknownProduct = "unknown_product"
    case unknownType = "unknown_type"
    case typeMismatch = "type_mismatch"
    case subscriptionsNotServed = "subscriptions_not_served"
    case needsOwnershipEvidence = "needs_ownership_evidence"
    case noOwner = "no_owner"
    case unknownToken = "unknown_token"

    // Not judged yet.
    case notInEvidence = "not_in_evidence"
    case otherTransaction = "other_transaction"
    case nothingClaimed = "nothing_claimed"
    case queued
    case environmentUnproven = "environment_unproven"
    case incompleteEvidence = "incomplete_evidence"
    case verifierBusy = "verifier_busy"

    // Not proven, or not for us.
    case malformed
    case noSigner = "no_signer"
    case signerCertificateMissing = "signer_certificate_missing"
    case badSignature = "bad_signature"
    case untrustedRoot = "untrusted_root"
    case wrongCertificatePurpose = "wrong_certificate_purpose"
    case certificateNotValid = "certificate_not_valid"
    case certificateDenied = "certificate_denied"
    case datedInFuture = "dated_in_future"
    case otherBundle = "other_bundle"
    case environmentNotAllowed = "environment_not_allowed"
    case wrongEvidenceKind = "wrong_evidence_kind"

    /// The status and the client's action that go with this reason; nothing else decides them.
    package var consequence: (status: SubmissionStatus, client: ClientAction) {
        switch self {
        case .ownedByAnotherCustomer, .revoked, .deliveredElsewhere:
            (.rejected, .finish)
        case .unknownProduct, .unknownType, .typeMismatch, .subscriptionsNotServed,
            .needsOwnershipEvidence:
            (.parked, .finish)
        case .noOwner, .unknownToken:
            (.parked, .keep)
        case .notInEvidence, .otherTransaction, .nothingClaimed, .queued, .environmentUnproven,
            .incompleteEvidence,
            .verifierBusy:
            (.pending, .keep)
        case .malformed, .noSigner, .signerCertificateMissing, .badSignature, .untrustedRoot,
            .wrongCertificatePurpose, .certificateNotValid, .certificateDenied, .datedInFuture,
            .otherBundle,
            .environmentNotAllowed, .wrongEvidenceKind:
            (.rejected, .keep)
        }
    }
}
