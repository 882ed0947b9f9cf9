// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Settles all transactions of one original again, after something became known of one of them that
/// decides about the others.
///
/// A refund that is heard of late makes a sale of a purchase that was taken for a restore; the first
/// owner is the owner of those that waited for one.
struct FamilyJob {
    static let kind = "settle_family"

    let environment: AppStoreEnvironment
    let original: OriginalTransactionID

    /// The last transaction that earlier runs settled, in the order of the ids.
    var after = ""

    init(of record: TransactionRecord) {
        environment = record.environment
        original = record.identity.value.originalTransactionID
    }

    init?(payload: String) {
        guard let value = try? JSONValue(parsing: payload.utf8),
            let environment = value["environment"]?.string,
            let text = value["original"]?.string,
            let original = try? OriginalTransactionID(text),
            let after = value["after"]?.string
        else { return nil }
        self.environment = AppStoreEnvironment(rawValue: environment)
        self.original = original
        self.after = after
    }

    var payload: String {
        let value: JSONValue = [
            "environment": .string(environment.rawValue),
            "original": .string(original.rawValue), "after": .string(after),
        ]
        return value.text
    }

    /// The transactions that may be settled otherwise now. Restores that stand with their sale are not
    /// among them, of which there may be thousands.
    func unsettled(of app: AppID, in transaction: any ReadTransaction) throws -> [TransactionID] {
        let all = try transaction.transactions(app, environment, ofOriginal: original)
        guard let first = all.first else { return [] }
        let grants = try transaction.grants(
            app, environment, ofSalesWithPrefix: SaleKey.prefix(of: original))
        let family = Family(first, Array(all.dropFirst()), grants: grants)
        let holders = Set(grants.map(\.transactionID))
        return all.filter { record in
            record.sale != family.key(of: record.transactionID) || record.parking != nil
                || record.owner == nil || holders.contains(record.transactionID)
        }.map(\.transactionID)
    }

    func record(app: AppID, at now: Instant) -> JobRecord {
        JobRecord(
            key: "\(Self.kind):\(app):\(environment):\(original)", kind: Self.kind, app: app,
            payload: payload, tries: 0, createdAt: now)
    }
}

extension Engine {
    /// One transaction that cannot be settled does not keep the others waiting; the job comes back
    /// for it.
    func settleFamily(_ run: JobRun, _ job: JobRecord, _ policy: AppPolicy) async throws {
        guard var reached = FamilyJob(payload: job.payload) else {
            throw JobError("the job's payload cannot be read")
        }
        let (epoch, now, family) = (epoch, clock.now, reached)
        let ids = try await database.read { transaction in
            try family.unsettled(of: policy.app, in: transaction)
        }
        var failure: JobError?
        for id in ids.sorted() where id.rawValue > family.after {
            var next = reached
            if failure == nil { next.after = id.rawValue }
            let fault = try await run.attempt(thenFrom: next.payload) { transaction in
                let record = try transaction.lockedTransaction(policy.app, family.environment, id)
                guard let record else { return }
                try Settler(policy: policy, transaction: transaction, epoch: epoch, now: now)
                    .settle(record, claim: .none)
            }
            if let fault {
                failure = failure ?? JobError("transaction \(id): \(fault)")
            } else {
                reached = next
            }
        }
        if let failure { throw failure }
    }
}
