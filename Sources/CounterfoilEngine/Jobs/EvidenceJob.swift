// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Settles every sale in a piece of stored evidence, each in its own database transaction.
struct EvidenceJob {
    static let kind = "settle_evidence"

    let sha256: [UInt8]

    /// The last transaction that earlier runs settled, in the order of the ids: a place in the
    /// evidence would be another one for a version that reads more or less of it.
    var after = ""

    init(sha256: [UInt8]) {
        self.sha256 = sha256
    }

    /// Reads the digest in hexadecimal and, behind a space, the last settled transaction. Anything
    /// else behind the digest is another version's, and the job starts over.
    init?(payload: String) {
        let digest = payload.prefix { $0.isHexDigit }
        guard let sha256 = Hexadecimal.bytes(of: digest), !sha256.isEmpty else { return nil }
        self.sha256 = sha256
        let rest = payload[digest.endIndex...]
        after = rest.first == " " ? String(rest.dropFirst()) : ""
    }

    var payload: String {
        let digest = Hexadecimal.text(of: sha256)
        return after.isEmpty ? digest : "\(digest) \(after)"
    }

    func record(app: AppID, at now: Instant) -> JobRecord {
        JobRecord(
            key: "\(Self.kind):\(app):\(Hexadecimal.text(of: sha256))", kind: Self.kind, app: app,
            payload: payload, tries: 0, createdAt: now)
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
        let (epoch, start) = (epoch, reached.after)
        let claim = try await presenters(of: sha256, in: policy.app)
        let copies = Dictionary(grouping: facts, by: \.fact.transactionID)
        var failure: JobError?
        for (id, copies) in copies.sorted(by: { $0.key < $1.key }) where id.rawValue > start {
            var next = reached
            if failure == nil { next.after = id.rawValue }
            let fault = try await run.attempt(thenFrom: next.payload) { transaction in
                let settler = Settler(
                    policy: policy, transaction: transaction, epoch: epoch, now: now)
                try settler.settle(
                    settler.take(copies[0], Array(copies.dropFirst())), claim: claim)
            }
            if let fault {
                failure = failure ?? JobError("transaction \(id): \(fault)")
            } else {
                reached = next
            }
        }
        if let failure { throw failure }
    }

    /// Whoever handed the evidence in may have open orders for what nobody claims in it.
    private func presenters(of sha256: [UInt8], in app: AppID) async throws -> Claim {
        let presenters = try await database.read { transaction in
            try transaction.presenters(
                ofEvidence: sha256, in: app,
                notRefusedAs: Reason.environmentNotAllowed.rawValue,
                limit: Limits.presentersPerEvidence)
        }
        return Claim(presenters: presenters)
    }
}
