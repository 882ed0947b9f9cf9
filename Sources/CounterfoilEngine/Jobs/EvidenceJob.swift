// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Settles every sale in a piece of stored evidence, each in its own database transaction.
struct EvidenceJob {
    static let kind = "settle_evidence"

    let sha256: [UInt8]

    /// How many sales of the evidence were settled by earlier runs.
    var settled = 0

    init(sha256: [UInt8]) {
        self.sha256 = sha256
    }

    /// Reads the digest in hexadecimal and, behind a colon, the number of settled sales.
    init?(payload: String) {
        let parts = payload.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let sha256 = parts.first.flatMap({ Hexadecimal.bytes(of: $0) })
        else { return nil }
        self.sha256 = sha256
        guard parts.count == 2 else { return }
        guard let settled = Int(parts[1]), settled >= 0 else { return nil }
        self.settled = settled
    }

    var payload: String {
        let digest = Hexadecimal.text(of: sha256)
        return settled == 0 ? digest : "\(digest):\(settled)"
    }

    func record(app: AppID, at now: Instant) -> JobRecord {
        JobRecord(
            key: "\(Self.kind):\(app):\(Hexadecimal.text(of: sha256))", kind: Self.kind, app: app,
            payload: payload, runAt: now, tries: 0, createdAt: now)
    }
}

extension Engine {
    /// The evidence is judged once more from its stored bytes, so the job needs nothing but them.
    ///
    /// A sale that cannot be settled does not keep the others waiting; the job comes back for it.
    func settleEvidence(_ run: JobRun, _ job: JobRecord, _ policy: AppPolicy) async throws {
        guard var reached = EvidenceJob(payload: job.payload) else {
            throw JobError("the job's payload cannot be read")
        }
        let sha256 = reached.sha256
        guard let evidence = try await database.read({ try $0.evidence(sha256) }) else {
            throw JobError("the evidence of the job is not in the database")
        }
        let now = clock.now
        let judgement = try Judgement(ofStored: evidence, under: policy, at: now)
        guard case .proven(let facts) = judgement.verdict else {
            throw JobError("the evidence no longer verifies: \(judgement.detail ?? "")")
        }
        let epoch = epoch
        var failure: JobError?
        for fact in facts.dropFirst(reached.settled) {
            var next = reached
            if failure == nil { next.settled += 1 }
            let fault = try await run.attempt(thenFrom: next.payload) { transaction in
                _ = try Settler(policy: policy, transaction: transaction, epoch: epoch, now: now)
                    .settle(fact, claimant: nil)
            }
            if let fault {
                failure = failure ?? JobError("transaction \(fact.fact.transactionID): \(fault)")
            } else {
                reached = next
            }
        }
        if let failure { throw failure }
    }
}
