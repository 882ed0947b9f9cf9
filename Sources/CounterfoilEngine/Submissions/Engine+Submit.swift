// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilStore

extension Engine {
    /// Judges the evidence, stores it, and settles the claimed sale.
    ///
    /// Call it for every transaction that a client reports, as often as it reports it. The first call
    /// that proves a sale grants its goods; every later one, with the same bytes or others, grants
    /// nothing and says so. Evidence, facts, grant, transfers, event and the submission itself are
    /// one database transaction; when this returns, all of it is on disk. Other sales in the same
    /// evidence follow by a job, each in its own transaction.
    ///
    /// - Throws: ``DatabaseError`` if nothing could be stored; then the client must keep its copy.
    package func submit(
        _ submission: Submission, to policy: AppPolicy
    ) async throws -> SubmissionOutcome {
        let now = clock.now
        let judgement = Judgement(of: submission, under: policy, at: now)
        let attempt = SubmissionAttempt(
            submission: submission, policy: policy, judgement: judgement,
            packed: try await isStored(judgement) ? nil : PackedEvidence(packing: judgement),
            epoch: epoch, now: now,
            submissionID: freshID(), freshCustomerKey: freshID())
        let (outcome, owesJob, keepsAll) = try await write(attempt)
        if keepsAll {
            recentEvidence.remember(judgement.evidence.sha256, asVerified: judgement.isProven)
        }
        if owesJob { jobSignal() }
        if outcome.decision.mayBeNews { eventSignal() }
        return outcome
    }

    /// Whether the evidence seems to be stored already, so that repeating it does not pack it again.
    private func isStored(_ judgement: Judgement) async throws -> Bool {
        let (digest, isProven) = (judgement.evidence.sha256, judgement.isProven)
        if recentEvidence.holds(digest, asVerified: isProven) { return true }
        guard judgement.evidence.bytes.count > Limits.quicklyPacked else { return false }
        return try await database.read { try $0.isKept(digest, asVerified: isProven) }
    }

    private func write(_ attempt: SubmissionAttempt) async throws -> SubmissionAttempt.Result {
        do {
            return try await database.write { try attempt.run(in: $0) }
        } catch is EvidenceIsMissing {
            // A database that went back behind our back, to a copy or to another server's.
            var whole = attempt
            whole.packed = PackedEvidence(packing: attempt.judgement)
            return try await database.write { [whole] in try whole.run(in: $0) }
        }
    }
}

/// That evidence was left out which is not stored after all.
private struct EvidenceIsMissing: Error {}

extension PackedEvidence {
    fileprivate init(packing judgement: Judgement) {
        self.init(packing: judgement.evidence.bytes, sharesCertificates: judgement.isProven)
    }
}

/// Everything that one submission brings to its database transaction; it may run more than once.
private struct SubmissionAttempt: Sendable {
    let submission: Submission
    let policy: AppPolicy
    let judgement: Judgement

    /// Nil if the evidence seems to be stored already.
    var packed: PackedEvidence?
    let epoch: UniqueID
    let now: Instant
    let submissionID: UniqueID
    let freshCustomerKey: UniqueID

    /// `keepsAll`: whether all of the evidence is stored after the commit.
    typealias Result = (outcome: SubmissionOutcome, owesJob: Bool, keepsAll: Bool)

    func run(in transaction: any WriteTransaction) throws -> Result {
        let customer = try transaction.ensureCustomer(
            policy.app, submission.customer, freshKey: freshCustomerKey, at: now)
        let keepsAll = try keepEvidence(in: transaction)
        var settled = try settle(in: transaction, for: customer)
        // The first proof owed the job; doing it again for each repeat would let one receipt with
        // thousands of purchases keep the writer busy.
        if settled.hasOthers,
            try !transaction.wasProven(judgement.evidence.sha256, to: policy.app)
        {
            try transaction.enqueue(
                EvidenceJob(sha256: judgement.evidence.sha256).record(app: policy.app, at: now))
            settled.owesJob = true
        }
        let outcome = SubmissionOutcome(
            submissionID: submissionID, decision: settled.decision,
            detail: settled.detail ?? judgement.detail,
            isSuspectConfiguration: judgement.isSuspectConfiguration,
            environment: judgement.environment, transactionID: settled.transactionID,
            retryAfter: try pause(before: settled.decision, for: customer, in: transaction),
            entries: settled.entries)
        try record(outcome, of: customer, in: transaction)
        return (outcome, settled.owesJob, keepsAll)
    }

    private func pause(
        before decision: Decision, for customer: UniqueID, in transaction: any WriteTransaction
    ) throws -> Duration? {
        // What may be finished needs no pause, and most is.
        guard decision.client == .keep else { return nil }
        let earlier = try transaction.keptSubmissionCount(
            ofEvidence: judgement.evidence.sha256, by: customer, limit: RetryAdvice.maximumCount)
        return RetryAdvice.pause(
            for: decision, earlier: earlier, isSuspect: judgement.isSuspectConfiguration)
    }

    // MARK: Evidence

    /// Returns whether all of it is stored.
    private func keepEvidence(in transaction: any WriteTransaction) throws -> Bool {
        let evidence = judgement.evidence
        guard let packed else {
            guard try transaction.isKept(evidence.sha256, asVerified: judgement.isProven) else {
                throw EvidenceIsMissing()
            }
            return true
        }
        var record = EvidenceRecord(
            sha256: evidence.sha256, kind: evidence.kind, packed: packed,
            byteCount: Int64(evidence.bytes.count), isVerified: judgement.isProven,
            receivedAt: now)
        if !judgement.isProven, !judgement.isSuspectConfiguration,
            try isQuotaSpent(byteCount: record.byteCount, in: transaction)
        {
            record.packed = PackedEvidence(
                beginning: Array(evidence.bytes.prefix(Limits.refusedEvidencePrefix)))
        }
        try transaction.keep(record)
        return record.packed.encoding != .beginning
    }

    /// Counts refused bytes against the day's quotas; what was kept before costs nothing.
    private func isQuotaSpent(
        byteCount: Int64, in transaction: any WriteTransaction
    ) throws -> Bool {
        if try transaction.hasEvidence(judgement.evidence.sha256) { return false }
        let day = now.millisecondsSinceEpoch / 86_400_000
        let byAddress = try transaction.countRefusedBytes(
            policy.app, day: day, address: submission.address, byteCount)
        let byApp = try transaction.countRefusedBytes(policy.app, day: day, address: "", byteCount)
        return byAddress > Limits.refusedEvidencePerAddressAndDay
            || byApp > Limits.refusedEvidencePerAppAndDay
    }

    // MARK: Settling

    private struct Settled {
        var decision: Decision
        var detail: String?
        var transactionID: TransactionID?
        var entries: [SubmissionOutcome.Entry] = []

        /// Whether the evidence holds sales beside the claimed one.
        var hasOthers = false
        var owesJob = false
    }

    private func settle(
        in transaction: any WriteTransaction, for customer: UniqueID
    ) throws -> Settled {
        let facts: [VerifiedFact]
        switch judgement.verdict {
        case .withheld(let reason): return Settled(decision: .withheld(reason))
        case .proven(let proven): facts = proven
        }
        let settler = Settler(policy: policy, transaction: transaction, epoch: epoch, now: now)
        let claimed = judgement.claimedFact(submission.claimedTransactionID)
        let (reason, detail) = judgement.unclaimed(submission.claimedTransactionID)
        var settled = Settled(decision: .withheld(reason), detail: detail)
        if let claimed {
            settled.transactionID = claimed.fact.transactionID
            settled.detail = nil
            let copies = facts.filter { $0.fact.transactionID == claimed.fact.transactionID }
            settled.decision = try settler.settle(claimed, copies, claimant: customer)
        }
        let others = facts.filter { $0.fact.transactionID != claimed?.fact.transactionID }
        settled.hasOthers = !others.isEmpty
        let shown = ([claimed].compactMap(\.self) + others).prefix(Limits.transactionsPerAnswer)
        settled.entries = try shown.map { verified in
            let isClaimed = verified.fact.transactionID == settled.transactionID
            return try Standing(of: verified.fact, for: customer, policy.app, in: transaction)
                .entry(decided: isClaimed ? settled.decision : nil)
        }
        return settled
    }

    // MARK: Record

    private func record(
        _ outcome: SubmissionOutcome, of customer: UniqueID, in transaction: any WriteTransaction
    ) throws {
        try transaction.insert(
            SubmissionRecord(
                submissionID: submissionID, app: policy.app, environment: outcome.environment,
                customer: customer, origin: "api", address: submission.address, receivedAt: now,
                evidence: judgement.evidence.sha256,
                claimedTransactionID: submission.claimedTransactionID,
                claimedProductID: submission.claimedProductID,
                transactionID: outcome.transactionID, status: outcome.decision.status.rawValue,
                reason: outcome.decision.reason?.rawValue,
                detail: outcome.detail?.storable(byteCount: Limits.detailByteCount),
                client: outcome.decision.client.rawValue,
                isSuspectConfiguration: outcome.isSuspectConfiguration))
    }
}
