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
        let isStored = try await isStored(judgement)
        let attempt = SubmissionAttempt(
            submission: submission, policy: policy, judgement: judgement,
            packed: isStored ? nil : PackedEvidence(packing: judgement),
            areOthersNews: try await isStored ? nil : areNews(judgement, to: policy.app),
            epoch: epoch, now: now,
            submissionID: freshID(), freshCustomerKey: freshID())
        let (outcome, owesJob, keepsAll) = try await write(attempt)
        if keepsAll {
            recentEvidence.remember(judgement.evidence.sha256, asVerified: judgement.isProven)
        }
        if owesJob { jobSignal() }
        if outcome.decision.status == .parked {
            try await reconsiderParked(ifChangedSince: policy)
        }
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

    /// Whether large evidence tells anything new, so that the writer need not compare all of it.
    private func areNews(_ judgement: Judgement, to app: AppID) async throws -> Bool? {
        guard judgement.evidence.bytes.count > Limits.quicklyPacked else { return nil }
        return try await database.read { try $0.areNews(judgement.facts, to: app) }
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

    /// Whether large evidence told anything new a moment ago; what is known stays known.
    let areOthersNews: Bool?
    let epoch: UniqueID
    let now: Instant
    let submissionID: UniqueID
    let freshCustomerKey: UniqueID

    /// `keepsAll`: whether all of the evidence is stored after the commit.
    typealias Result = (outcome: SubmissionOutcome, owesJob: Bool, keepsAll: Bool)

    func run(in transaction: any WriteTransaction) throws -> Result {
        let customer = try submission.customer.map { id in
            try transaction.ensureCustomer(policy.app, id, freshKey: freshCustomerKey, at: now)
        }
        let settler = Settler(policy: policy, transaction: transaction, epoch: epoch, now: now)
        let claimed = judgement.claimedFact(submission.claimedTransactionID)
        var taken = try claimed.map { claimed in
            try settler.take(claimed, judgement.facts.filter { $0.isOf(claimed) })
        }
        let keepsAll = try keepEvidence(with: taken, in: transaction)
        // Facts name the evidence that shows them, which must be there.
        if !keepsAll { taken = taken?.withoutEvidence }
        var settled = try settle(taken, by: settler, for: customer)
        // The first proof owed the job; doing it again for each repeat would let one receipt with
        // thousands of purchases keep the writer busy.
        if settled.hasOthers, keepsAll, try owesOthers(to: customer, in: transaction) {
            try transaction.enqueue(
                EvidenceJob(sha256: judgement.evidence.sha256).record(app: policy.app, at: now))
            settled.owesJob = true
        }
        let outcome = SubmissionOutcome(
            submissionID: submissionID, decision: settled.decision,
            detail: settled.detail ?? judgement.detail,
            isSuspectConfiguration: judgement.isSuspectConfiguration,
            environment: judgement.environment, transactionID: settled.transactionID,
            version: try version(of: customer, in: transaction),
            retryAfter: try pause(before: settled.decision, for: customer, in: transaction),
            entries: settled.entries)
        try record(outcome, of: customer, in: transaction)
        return (outcome, settled.owesJob, keepsAll)
    }

    /// Whether the other sales of the evidence want a job: by the first proof, and by the first of
    /// each customer who has an order that one of them may pay.
    private func owesOthers(
        to customer: UniqueID?, in transaction: any WriteTransaction
    ) throws -> Bool {
        let digest = judgement.evidence.sha256
        if try !transaction.wasProven(digest, to: policy.app) { return true }
        guard let customer else { return false }
        return try transaction.openOrderCount(of: customer) > 0
            && !transaction.wasPresented(digest, by: customer)
    }

    private func version(
        of customer: UniqueID?, in transaction: any WriteTransaction
    ) throws -> Int64? {
        guard let customer, let environment = judgement.environment else { return nil }
        return try transaction.sequence(policy.app, environment, customer)
    }

    private func pause(
        before decision: Decision, for customer: UniqueID?, in transaction: any WriteTransaction
    ) throws -> Duration? {
        // What may be finished needs no pause, and most is.
        guard let customer, decision.client == .keep else { return nil }
        let earlier = try transaction.keptSubmissionCount(
            ofEvidence: judgement.evidence.sha256, by: customer, limit: RetryAdvice.maximumCount)
        return RetryAdvice.pause(
            for: decision, earlier: earlier, isSuspect: judgement.isSuspectConfiguration)
    }

    // MARK: Evidence

    /// Keeps the evidence: whole, if it proves anything that is not known yet; else within quotas.
    ///
    /// - Returns: Whether all of it is stored.
    private func keepEvidence(
        with taken: TakenFacts?, in transaction: any WriteTransaction
    ) throws -> Bool {
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
        let isWhole =
            try isWorthKeeping(taken, in: transaction)
            || !isQuotaSpent(byteCount: record.byteCount, in: transaction)
        if !isWhole {
            record.packed = PackedEvidence(
                beginning: Array(evidence.bytes.prefix(Limits.refusedEvidencePrefix)))
        }
        try transaction.keep(record)
        return isWhole
    }

    /// Whether the evidence is kept whole whatever it costs.
    ///
    /// Genuine evidence is not if all that it proves is known from evidence at least as new: whoever
    /// owns one receipt can dress it in any number of ways.
    private func isWorthKeeping(
        _ taken: TakenFacts?, in transaction: any WriteTransaction
    ) throws -> Bool {
        guard judgement.isProven else { return judgement.isSuspectConfiguration }
        // What cannot be read yet may be news to a later version.
        if judgement.incomplete > 0 || taken?.areNews == true { return true }
        if let areOthersNews { return areOthersNews }
        let claimed = taken?.joined.transactionID
        let others = judgement.facts.filter { $0.fact.transactionID != claimed }
        return try transaction.areNews(others, to: policy.app)
    }

    /// Counts bytes against the day's quotas; what is kept whole already costs nothing.
    private func isQuotaSpent(
        byteCount: Int64, in transaction: any WriteTransaction
    ) throws -> Bool {
        if try transaction.isKept(judgement.evidence.sha256, asVerified: false) { return false }
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
        _ taken: TakenFacts?, by settler: Settler, for customer: UniqueID?
    ) throws -> Settled {
        if case .withheld(let reason) = judgement.verdict {
            return Settled(decision: .withheld(reason))
        }
        let (reason, detail) = judgement.unclaimed(submission.claimedTransactionID)
        var settled = Settled(decision: .withheld(reason), detail: detail)
        if let taken {
            settled.transactionID = taken.joined.transactionID
            let result = try settler.settle(
                taken, claim: try claim(by: customer, in: settler.transaction))
            settled.decision = result.decision
            settled.detail = result.note?.rawValue
        }
        let facts = judgement.facts
        let claimed = facts.first { $0.fact.transactionID == settled.transactionID }
        let others = facts.filter { $0.fact.transactionID != settled.transactionID }
        settled.hasOthers = !others.isEmpty
        guard let customer else { return settled }
        let shown = ([claimed].compactMap(\.self) + others).prefix(Limits.transactionsPerAnswer)
        settled.entries = try shown.map { verified in
            let isClaimed = verified.fact.transactionID == settled.transactionID
            return try Standing(
                of: verified.fact, for: customer, policy.app, in: settler.transaction
            )
            .entry(decided: isClaimed ? settled.decision : nil)
        }
        return settled
    }

    private func claim(
        by customer: UniqueID?, in transaction: any ReadTransaction
    ) throws -> Claim {
        var claim = Claim(customer: customer)
        guard let named = submission.order else { return claim }
        // The same for an order of nobody's as for one of another customer.
        var found = try named.orderID.flatMap { try transaction.order(policy.app, id: $0) }
        if let holder = found?.customer ?? customer {
            let current = try transaction.current(holder)
            found?.customer = current
        }
        let ticket = named.ticket.map { OrderTicket(text: $0).digest }
        let stored = found?.ticketDigest ?? OrderTicket.noDigest
        claim.hasTicket = ticket.map { constantTimeEqual($0, stored) && found != nil } ?? false
        if submission.isByCustomer, !claim.hasTicket, found == nil || found?.customer != customer {
            claim.note = .notYours
        } else if let found {
            claim.order = found
            if ticket != nil, !claim.hasTicket { claim.note = .wrongTicket }
        } else {
            claim.note = .unknownOrder
        }
        return claim
    }

    // MARK: Record

    private func record(
        _ outcome: SubmissionOutcome, of customer: UniqueID?, in transaction: any WriteTransaction
    ) throws {
        try transaction.insert(
            SubmissionRecord(
                submissionID: submissionID, app: policy.app, environment: outcome.environment,
                customer: customer, origin: submission.origin, address: submission.address,
                receivedAt: now,
                evidence: judgement.evidence.sha256,
                claimedTransactionID: submission.claimedTransactionID,
                claimedProductID: submission.claimedProductID,
                claimedOrderID: submission.order?.orderID, transactionID: outcome.transactionID,
                status: outcome.decision.status.rawValue,
                reason: outcome.decision.reason?.rawValue,
                detail: outcome.detail?.storable(byteCount: Limits.detailByteCount),
                client: outcome.decision.client.rawValue,
                isSuspectConfiguration: outcome.isSuspectConfiguration))
        if let notification = judgement.notification {
            try transaction.keep(
                NotificationRecord(
                    notification, to: policy.app, settledAs: outcome, receivedAt: now))
        }
    }
}

extension VerifiedFact {
    fileprivate func isOf(_ other: VerifiedFact) -> Bool {
        fact.transactionID == other.fact.transactionID
    }
}
