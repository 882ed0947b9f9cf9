// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore
public import CounterfoilTrust

/// Judges evidence: bytes, trust and the present moment in, verified evidence or a named reason out.
///
/// Certificates are judged at the moment of signing, which the signed content tells; the present
/// stands in only where a JWS tells none. One verifier serves any number of threads and remembers
/// good certificate chains, so keep it for the life of the process.
public struct EvidenceVerifier: Sendable {
    private let trust: TrustVerifier

    /// Judges by this store, with a chain cache of its own.
    public init(trusting store: TrustStore) {
        self.init(TrustVerifier(store: store))
    }

    /// Judges by this verifier, whose chain cache may be shared.
    public init(_ trust: TrustVerifier) {
        self.trust = trust
    }

    /// Verifies evidence of any kind, and everything inside a notification.
    ///
    /// - Throws: ``TrustFailure`` that names the check. Whose evidence it is, is not asked here: see
    ///   ``EvidenceIdentity``.
    public func verify(
        _ evidence: Evidence, at now: Instant
    ) throws(TrustFailure) -> VerifiedEvidence {
        switch evidence.kind {
        case .appReceipt: .receipt(try receipt(evidence.bytes))
        case .jws: try signed(evidence.bytes, at: now)
        case .transactionReceipt: throw refusal(ofTransactionReceipt: evidence.bytes)
        }
    }

    /// Verifies evidence as the text in which it travels.
    ///
    /// - Throws: As ``verify(_:at:)-(Evidence,_)``; a text that is no evidence is `malformed`.
    public func verify(
        text: some Collection<UInt8>, at now: Instant
    ) throws(TrustFailure) -> VerifiedEvidence {
        let evidence: Evidence
        do {
            evidence = try Evidence(text)
        } catch {
            throw TrustFailure(error)
        }
        return try verify(evidence, at: now)
    }

    /// Transaction receipts are read, but their signatures are not checked by this version.
    private func refusal(ofTransactionReceipt bytes: [UInt8]) -> TrustFailure {
        guard TransactionReceipt(bytes) != nil else { return .noTransactionReceipt }
        return TrustFailure(
            .notYetJudged, check: "evidence.kind", expected: "an app receipt or a JWS",
            actual: "a transaction receipt, which this version cannot judge")
    }

    private func receipt(_ bytes: [UInt8]) throws(TrustFailure) -> VerifiedPayload<AppReceipt> {
        let verified = try trust.verify(cms: bytes[...]) { content throws(TrustFailure) in
            let receipt = try AppReceipt(judging: content)
            guard let date = receipt.creationDate else {
                throw TrustFailure(
                    .malformedPayload, check: "receipt.creation-date",
                    expected: "a creation date", actual: "none")
            }
            return DatedPayload(receipt, effectiveDate: date)
        }
        try requireVouchedFor(verified.payload.environment)
        return VerifiedPayload(
            payload: verified.payload, effectiveDate: verified.effectiveDate, path: verified.path,
            evidenceSHA256: verified.evidenceSHA256)
    }

    private func signed(
        _ text: [UInt8], at now: Instant
    ) throws(TrustFailure) -> VerifiedEvidence {
        let verified: Verified<SignedContent>
        do {
            verified = try trust.verify(jws: text[...]) { fields throws(TrustFailure) in
                let content = try SignedContent(judging: fields)
                return DatedPayload(content, effectiveDate: content.signedDate ?? now)
            }
        } catch {
            throw error.verdict == .badSignature ? damage(of: text) ?? error : error
        }
        try requireVouchedFor(verified.payload.environment)
        func carry<Payload>(_ payload: Payload) -> VerifiedPayload<Payload> {
            VerifiedPayload(
                payload: payload, effectiveDate: verified.effectiveDate, path: verified.path,
                evidenceSHA256: verified.evidenceSHA256)
        }
        switch verified.payload {
        case .transaction(let payload): return .transaction(carry(payload))
        case .renewalInfo(let payload): return .renewalInfo(carry(payload))
        case .appTransaction(let payload): return .appTransaction(carry(payload))
        case .realtimeRequest(let payload): return .realtimeRequest(carry(payload))
        case .notification(let payload):
            return .notification(try notification(carry(payload), at: now))
        }
    }

    /// What a journey did to the text of a JWS, for which its sender is no forger; nil for nothing.
    ///
    /// Asked only once the signature has failed: no text outside the alphabet has a good one and a
    /// payload that decodes.
    private func damage(of text: [UInt8]) -> TrustFailure? {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)
        guard let position = text.firstIndex(where: { !alphabet.contains($0) }) else { return nil }
        return TrustFailure(.character(text[position], at: position))
    }

    /// Verifies what lies inside a notification; each part is signed on its own.
    private func notification(
        _ notification: VerifiedPayload<JWSNotification>, at now: Instant
    ) throws(TrustFailure) -> VerifiedNotification {
        let payload = notification.payload
        var parts = InnerParts()
        let texts = [
            ("data.signedTransactionInfo", payload.data?.signedTransactionInfo),
            ("data.signedRenewalInfo", payload.data?.signedRenewalInfo),
            ("appData.signedAppTransactionInfo", payload.appData?.signedAppTransactionInfo),
        ]
        for case (let field, let text?) in texts {
            do {
                try parts.take(signed(Array(text.utf8), at: now), from: field)
            } catch {
                throw TrustFailure(
                    error.verdict, check: "\(field): \(error.check)", expected: error.expected,
                    actual: error.actual)
            }
        }
        return VerifiedNotification(
            notification: notification, transaction: parts.transaction,
            renewalInfo: parts.renewalInfo, appTransaction: parts.appTransaction)
    }

    /// Refuses what a developer's own machine signs, whoever vouches for the key.
    private func requireVouchedFor(_ environment: AppStoreEnvironment?) throws(TrustFailure) {
        if let environment, !environment.isVouchedFor {
            throw TrustFailure(
                .untrustedRoot, check: "payload.environment",
                expected: "an environment that Apple vouches for", actual: environment.rawValue)
        }
    }
}

/// The parts of a notification, each in the field that its kind belongs to.
private struct InnerParts {
    var transaction: VerifiedPayload<JWSTransaction>?
    var renewalInfo: VerifiedPayload<JWSRenewalInfo>?
    var appTransaction: VerifiedPayload<JWSAppTransaction>?

    mutating func take(_ evidence: VerifiedEvidence, from field: String) throws(TrustFailure) {
        switch (field, evidence) {
        case ("data.signedTransactionInfo", .transaction(let payload)): transaction = payload
        case ("data.signedRenewalInfo", .renewalInfo(let payload)): renewalInfo = payload
        case ("appData.signedAppTransactionInfo", .appTransaction(let payload)):
            appTransaction = payload
        default:
            throw TrustFailure(
                .malformedPayload, check: "payload.kind", expected: "what the field's name says",
                actual: "signed data of another kind")
        }
    }
}

extension Verdict {
    /// Genuine or not, this version cannot tell: the kind of evidence is known, its rules are not.
    public static let notYetJudged = Verdict(rawValue: "not-yet-judged")
}
