// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Settles again what is parked for one reason and waits for one thing that may have come.
struct ParkedJob {
    static let kind = "settle_parked"

    let environment: AppStoreEnvironment
    let reason: Reason
    let cause: String

    init(environment: AppStoreEnvironment, reason: Reason, cause: String) {
        self.environment = environment
        self.reason = reason
        self.cause = cause
    }

    func record(app: AppID, at now: Instant) -> JobRecord {
        let payload: JSONValue = [
            "environment": .string(environment.rawValue), "reason": .string(reason.rawValue),
            "cause": .string(cause),
        ]
        return JobRecord(
            key: "\(Self.kind):\(app):\(environment):\(reason.rawValue):\(cause)", kind: Self.kind,
            app: app, payload: payload.text, tries: 0, createdAt: now)
    }

    init?(payload: String) {
        guard let value = try? JSONValue(parsing: payload.utf8),
            let environment = value["environment"]?.string,
            let reason = value["reason"]?.string.flatMap({ Reason(rawValue: $0) }),
            let cause = value["cause"]?.string
        else { return nil }
        self.init(
            environment: AppStoreEnvironment(rawValue: environment), reason: reason, cause: cause)
    }
}

extension Engine {
    /// A purchase that cannot be settled does not keep the others waiting; the job comes back for it.
    func settleParked(_ run: JobRun, _ job: JobRecord, _ policy: AppPolicy) async throws {
        guard let parked = ParkedJob(payload: job.payload) else {
            throw JobError("the job's payload cannot be read")
        }
        var failure = try await settle(run, parked, policy) { transaction, after in
            try transaction.parkedTransactions(
                policy.app, parked.environment, reason: parked.reason.rawValue,
                cause: parked.cause, after: after, limit: Limits.pageSize)
        }
        if parked.reason == .unknownToken, let token = UniqueID(parked.cause) {
            // A refund ended these before the token was known; whose they were decides about later
            // purchases of the same originals.
            let another = try await settle(run, parked, policy) { transaction, after in
                try transaction.endedTransactions(
                    policy.app, parked.environment, naming: token, after: after,
                    limit: Limits.pageSize)
            }
            failure = failure ?? another
        }
        if let failure { throw failure }
    }

    /// Settles page after page, and returns what the first one that could not be settled failed with.
    private func settle(
        _ run: JobRun, _ parked: ParkedJob, _ policy: AppPolicy,
        pages: @escaping @Sendable (any ReadTransaction, String) throws -> [TransactionRecord]
    ) async throws -> JobError? {
        let (epoch, now) = (epoch, clock.now)
        var after = ""
        var failure: JobError?
        while true {
            let last = after
            let page = try await database.read { try pages($0, last) }
            guard let end = page.last else { return failure }
            for id in page.map(\.transactionID) {
                let fault = try await run.attempt { transaction in
                    let record = try transaction.lockedTransaction(
                        policy.app, parked.environment, id)
                    guard let record, record.parking != nil || record.owner == nil else { return }
                    try Settler(
                        policy: policy, transaction: transaction, epoch: epoch, now: now
                    ).settle(record, claim: .none)
                }
                if let fault { failure = failure ?? JobError("transaction \(id): \(fault)") }
            }
            after = end.transactionID.rawValue
        }
    }

    /// Owes a job for everything that waits for a product which the catalogue now has.
    func reconsiderParked() async throws {
        let now = clock.now
        for policy in policies.values.sorted(by: { $0.app < $1.app }) {
            for environment in policy.deliverFrom.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
                for reason in [Reason.unknownProduct, .typeMismatch, .unknownType] {
                    try await reconsider(policy, environment, reason, at: now)
                }
            }
        }
    }

    private func reconsider(
        _ policy: AppPolicy, _ environment: AppStoreEnvironment, _ reason: Reason, at now: Instant
    ) async throws {
        var after = ""
        while true {
            let last = after
            let causes = try await database.write { transaction in
                let causes = try transaction.parkedCauses(
                    policy.app, environment, reason: reason.rawValue, after: last,
                    limit: Limits.pageSize)
                for cause in causes {
                    guard let product = try? ProductID(cause),
                        policy.catalogue.products[product] != nil
                    else { continue }
                    let job = ParkedJob(environment: environment, reason: reason, cause: cause)
                    try transaction.enqueue(job.record(app: policy.app, at: now))
                }
                return causes
            }
            guard let end = causes.last else { return }
            after = end
        }
    }
}
