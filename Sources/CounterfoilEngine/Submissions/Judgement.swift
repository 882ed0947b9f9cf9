// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilStore
import CounterfoilTrust

/// What evidence proves to an app, before the database is asked anything.
struct Judgement: Sendable {
    /// The bytes to keep, and the digest that finds them.
    struct Exhibit: Sendable {
        let sha256: [UInt8]
        let kind: String
        let bytes: [UInt8]
    }

    enum Verdict: Sendable {
        /// Apple signed it, for this app and an environment that counts.
        case proven([VerifiedFact])
        case withheld(Reason)
    }

    let evidence: Exhibit
    private(set) var verdict: Verdict

    /// The check that failed, with what it expected and found.
    private(set) var detail: String?

    /// Whether it is genuine but does not fit what the operator configured.
    private(set) var isSuspectConfiguration = false
    private(set) var environment: AppStoreEnvironment?

    /// Whether Apple's notification is expected, and not a transaction by itself.
    private var isNotification = false

    /// Apple's notification, if it was expected and proved itself.
    private(set) var notification: VerifiedPayload<JWSNotification>?

    /// Transactions that are in the evidence but lack what a sale's key needs.
    private(set) var incomplete = 0

    /// Judges what a customer handed in.
    init(of submission: Submission, under policy: AppPolicy, at now: Instant) {
        let (text, wanted): (String, EvidenceKind) =
            switch submission.proof {
            case .signedTransaction(let text): (text, .jws)
            case .receipt(let text): (text, .appReceipt)
            case .notification(let text): (text, .jws)
            }
        do throws(EvidenceTextError) {
            let evidence = try Evidence(text: text)
            self.init(Exhibit(evidence))
            if case .notification = submission.proof { isNotification = true }
            judge(evidence, as: wanted, under: policy, at: now)
        } catch {
            let bytes = Array(text.utf8)
            self.init(Exhibit(sha256: Digest.sha256(bytes), kind: "unreadable", bytes: bytes))
            detail = "\(error)"
        }
        if isProven, environment == .sandbox, !policy.sandbox.admits(submission.customer) {
            withhold(.environmentNotAllowed, "the customer is not admitted to the sandbox")
        }
    }

    /// Judges stored evidence once more, for sales that its submission did not claim.
    ///
    /// - Throws: ``DatabaseError`` when what is stored does not give the evidence back.
    init(
        ofStored record: EvidenceRecord, under policy: AppPolicy, at now: Instant
    ) throws(DatabaseError) {
        let bytes = try record.original()
        self.init(Exhibit(sha256: record.sha256, kind: record.kind, bytes: bytes))
        do throws(EvidenceTextError) {
            let evidence = try Evidence(bytes)
            judge(evidence, as: evidence.kind, under: policy, at: now)
        } catch {
            detail = "\(error)"
        }
    }

    private init(_ evidence: Exhibit) {
        self.evidence = evidence
        verdict = .withheld(.malformed)
    }

    var isProven: Bool {
        if case .proven = verdict { true } else { false }
    }

    /// What is proven; nothing of evidence that is withheld.
    var facts: [VerifiedFact] {
        if case .proven(let facts) = verdict { facts } else { [] }
    }

    // MARK: Judging

    private mutating func judge(
        _ evidence: Evidence, as wanted: EvidenceKind, under policy: AppPolicy, at now: Instant
    ) {
        if evidence.kind == .transactionReceipt {
            withhold(.environmentUnproven, "a transaction receipt does not prove its environment")
            return
        }
        guard evidence.kind == wanted else {
            withhold(
                .wrongEvidenceKind, "expected \(wanted.rawValue), found \(evidence.kind.rawValue)")
            return
        }
        do throws(TrustFailure) {
            let verified = try policy.verifier.verify(evidence, at: now)
            try policy.identity.check(verified, at: now)
            take(verified, under: policy)
        } catch {
            withhold(Reason(error.verdict), error.description)
            isSuspectConfiguration = Self.suspectVerdicts.contains(error.verdict)
        }
    }

    private static let suspectVerdicts: Set<CounterfoilTrust.Verdict> = [
        .otherBundle, .otherEnvironment, .datedInFuture,
    ]

    private mutating func take(_ evidence: VerifiedEvidence, under policy: AppPolicy) {
        let results: [Result<VerifiedFact, FactGap>]
        switch evidence {
        case .receipt(let receipt):
            environment = receipt.payload.environment
            results = receipt.facts
        case .transaction(let transaction) where !isNotification:
            environment = transaction.payload.environment
            results = [Result { () throws(FactGap) in try transaction.fact(as: .clientJWS) }]
        case .notification(let notification) where isNotification:
            self.notification = notification.notification
            environment = notification.notification.payload.environment
            results = [Result { () throws(FactGap) in try notification.fact() }].compactMap {
                $0.present()
            }
        default:
            withhold(
                .wrongEvidenceKind,
                "expected a signed \(isNotification ? "notification" : "transaction"), "
                    + "found other signed data")
            return
        }
        var facts: [VerifiedFact] = []
        for result in results {
            switch result {
            case .success(let fact): facts.append(fact)
            case .failure(let gap):
                incomplete += 1
                detail = gap.description
            }
        }
        verdict = .proven(facts)
        // What the operator decided is no mistake of the configuration.
        if environment == .sandbox, policy.sandbox == .reject {
            withhold(.environmentNotAllowed, "the app takes no purchases from the sandbox")
        }
    }

    private mutating func withhold(_ reason: Reason, _ detail: String) {
        verdict = .withheld(reason)
        self.detail = detail
    }

    // MARK: Claims

    /// The fact that a submission claims.
    ///
    /// A signed transaction claims itself unless another id is named. In a receipt the id must be
    /// there, as a transaction or as the original of exactly one: after a restore StoreKit may show
    /// the client another id than the receipt holds.
    func claimedFact(_ claim: TransactionID?) -> VerifiedFact? {
        guard case .proven(let facts) = verdict else { return nil }
        guard let claim else {
            return evidence.kind == EvidenceKind.jws.rawValue ? facts.first : nil
        }
        if let exact = facts.first(where: { $0.fact.transactionID == claim }) { return exact }
        let ofOriginal = facts.filter { $0.fact.originalTransactionID.rawValue == claim.rawValue }
        return ofOriginal.count == 1 ? ofOriginal.first : nil
    }

    /// Why genuine evidence without the claimed transaction leads to nothing yet, and what can be
    /// said about it beyond the evidence's own detail.
    func unclaimed(_ claim: TransactionID?) -> (reason: Reason, detail: String?) {
        if incomplete > 0 { return (.incompleteEvidence, nil) }
        guard let claim else { return (.nothingClaimed, nil) }
        guard evidence.kind == EvidenceKind.jws.rawValue, case .proven(let facts) = verdict,
            let signed = facts.first?.fact.transactionID
        else { return (.notInEvidence, nil) }
        return (
            .otherTransaction,
            "the signed transaction is \(signed), transaction_id names \(claim)"
        )
    }
}

extension Judgement.Exhibit {
    fileprivate init(_ evidence: Evidence) {
        self.init(
            sha256: Digest.sha256(evidence.bytes), kind: evidence.kind.rawValue,
            bytes: evidence.bytes)
    }
}

extension AppPolicy {
    fileprivate var identity: EvidenceIdentity {
        var environments = Set(deliverFrom.keys)
        // Refused later, by the policy and not as a disagreement.
        if sandbox == .reject { environments.insert(.sandbox) }
        return EvidenceIdentity(bundleID: bundleID, environments: environments)
    }
}

extension Reason {
    private static let byVerdict: [CounterfoilTrust.Verdict: Reason] = [
        .badSignature: .badSignature,
        .untrustedRoot: .untrustedRoot,
        .wrongCertificatePurpose: .wrongCertificatePurpose,
        .certificateNotValidAtCreationDate: .certificateNotValid,
        .certificateDenied: .certificateDenied,
        .signerCertificateMissing: .signerCertificateMissing,
        .noSigner: .noSigner,
        .otherBundle: .otherBundle,
        .otherEnvironment: .environmentNotAllowed,
        .datedInFuture: .datedInFuture,
        .busy: .verifierBusy,
        .notYetJudged: .environmentUnproven,
    ]

    /// The reason that a verdict leads to; verdicts about the form of the bytes are `malformed`.
    fileprivate init(_ verdict: CounterfoilTrust.Verdict) {
        self = Self.byVerdict[verdict] ?? .malformed
    }
}

extension Result {
    /// The result without the possibility that there is nothing.
    fileprivate func present<Value>() -> Result<Value, Failure>? where Success == Value? {
        switch self {
        case .success(let value): value.map { .success($0) }
        case .failure(let error): .failure(error)
        }
    }
}
