// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Settles every sale in a piece of stored evidence, each in its own database transaction.
enum EvidenceJob {
    static let kind = "settle_evidence"

    static func record(of sha256: [UInt8], app: AppID, at now: Instant) -> JobRecord {
        let digest = Hexadecimal.text(of: sha256)
        return JobRecord(
            key: "\(kind):\(app):\(digest)", kind: kind, app: app, payload: digest, runAt: now,
            tries: 0, createdAt: now)
    }
}

extension Engine {
    /// The evidence is judged once more from its stored bytes, so the job needs nothing but them.
    func settleEvidence(_ job: JobRecord, _ policy: AppPolicy) async throws {
        guard let sha256 = Hexadecimal.bytes(of: job.payload),
            let evidence = try await database.read({ try $0.evidence(sha256) })
        else { throw JobError("the evidence of the job is not in the database") }
        let now = clock.now
        let judgement = Judgement(ofStored: evidence, under: policy, at: now)
        guard case .proven(let facts) = judgement.verdict else {
            throw JobError("the evidence no longer verifies: \(judgement.detail ?? "")")
        }
        let epoch = epoch
        for fact in facts {
            _ = try await database.write { transaction in
                try Settler(policy: policy, transaction: transaction, epoch: epoch, now: now)
                    .settle(fact, claimant: nil)
            }
        }
    }
}
