// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore
public import CounterfoilTrust

/// Whose evidence counts: asked after the signature, since a true signature may be about another app.
///
/// The identifier is asked before the environment, so evidence that is wrong in both reports the
/// identifier; the date comes last. What the evidence does not tell counts as unequal.
public struct EvidenceIdentity: Hashable, Sendable {
    /// How far a clock may be behind Apple's before evidence counts as dated in the future.
    ///
    /// Servers without time synchronisation drift by minutes, and refusing a paid purchase over that
    /// would help nobody: only Apple can date a signature ahead. Five minutes is what Kerberos has
    /// allowed for the same reason since 1993.
    public static let clockTolerance: Duration = .seconds(300)

    /// The bundle id, compared exactly; nil asks nothing. Renewal infos and realtime requests name no
    /// bundle and are not asked.
    public var bundleID: BundleID?

    /// The store's number of the app; asked only of what is in production, or where nothing else counts:
    /// Apple does not tell it in the sandbox, and never in transactions and receipts.
    public var appAppleID: Int64?

    /// The environments that count; nil asks nothing.
    public var environments: Set<AppStoreEnvironment>?

    /// Makes the questions; what is nil is not asked.
    public init(
        bundleID: BundleID? = nil, appAppleID: Int64? = nil,
        environments: Set<AppStoreEnvironment>? = nil
    ) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.environments = environments
    }

    /// Asks evidence, and everything inside a notification.
    ///
    /// - Throws: ``TrustFailure`` with the verdict `other-bundle`, `other-environment` or
    ///   `dated-in-future`, and expected and actual value.
    public func check(
        _ evidence: VerifiedEvidence, at now: Instant
    ) throws(TrustFailure) {
        switch evidence {
        case .receipt(let receipt):
            try check(
                receipt, bundleID: .told(receipt.payload.bundleID),
                environment: receipt.payload.environment, at: now)
        case .transaction(let transaction): try check(transaction, at: now)
        case .renewalInfo(let renewalInfo): try check(renewalInfo, at: now)
        case .notification(let notification): try check(notification, at: now)
        case .appTransaction(let appTransaction): try check(appTransaction, at: now)
        case .realtimeRequest(let request):
            try check(
                request, bundleID: .never, appAppleID: .told(request.payload.appAppleID),
                environment: request.payload.environment, at: now)
        }
    }

    /// Asks a transaction.
    ///
    /// - Throws: As ``check(_:at:)-(VerifiedEvidence,_)``.
    public func check(
        _ transaction: VerifiedPayload<JWSTransaction>, at now: Instant
    ) throws(TrustFailure) {
        try check(
            transaction, bundleID: .told(transaction.payload.bundleID),
            environment: transaction.payload.environment, at: now)
    }

    private func check(
        _ renewalInfo: VerifiedPayload<JWSRenewalInfo>, at now: Instant
    ) throws(TrustFailure) {
        try check(
            renewalInfo, bundleID: .never, environment: renewalInfo.payload.environment, at: now)
    }

    private func check(
        _ appTransaction: VerifiedPayload<JWSAppTransaction>, at now: Instant
    ) throws(TrustFailure) {
        try check(
            appTransaction, bundleID: .told(appTransaction.payload.bundleID),
            appAppleID: .told(appTransaction.payload.appAppleID),
            environment: appTransaction.payload.environment, at: now)
    }

    private func check(
        _ notification: VerifiedNotification, at now: Instant
    ) throws(TrustFailure) {
        let payload = notification.notification.payload
        try check(
            notification.notification, bundleID: .told(payload.bundleID),
            appAppleID: .told(payload.appAppleID), environment: payload.environment, at: now)
        if let transaction = notification.transaction { try check(transaction, at: now) }
        if let renewalInfo = notification.renewalInfo { try check(renewalInfo, at: now) }
        if let appTransaction = notification.appTransaction { try check(appTransaction, at: now) }
    }

    /// What evidence says about itself, or that its kind never says it.
    private enum Answer<Value> {
        case told(Value?)
        case never
    }

    private func check<Payload>(
        _ evidence: VerifiedPayload<Payload>, bundleID: Answer<BundleID>,
        appAppleID: Answer<Int64> = .never, environment: AppStoreEnvironment?, at now: Instant
    ) throws(TrustFailure) {
        if let expected = self.bundleID, case .told(let actual) = bundleID, actual != expected {
            throw TrustFailure(
                .otherBundle, check: "identity.bundle-id", expected: expected.rawValue,
                actual: actual?.rawValue ?? Self.absent)
        }
        if let expected = self.appAppleID, case .told(let actual) = appAppleID,
            environment == .production || environments == [.production], actual != expected
        {
            throw TrustFailure(
                .otherBundle, check: "identity.app-apple-id", expected: "\(expected)",
                actual: actual.map { "\($0)" } ?? Self.absent)
        }
        if let environments, !(environment.map(environments.contains) ?? false) {
            throw TrustFailure(
                .otherEnvironment, check: "identity.environment",
                expected: environments.map(\.rawValue).sorted().joined(separator: " or "),
                actual: environment?.rawValue ?? Self.absent)
        }
        guard evidence.effectiveDate <= now + Self.clockTolerance else {
            throw TrustFailure(
                .datedInFuture, check: "identity.signed-date",
                expected: "at most \(now + Self.clockTolerance)",
                actual: "\(evidence.effectiveDate)")
        }
    }

    private static let absent = "none"
}
