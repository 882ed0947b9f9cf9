// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilDatabaseSQLite
import CounterfoilEngine
import CounterfoilReferenceModel

/// Hands the same facts to a new server in one order after another (promise P3).
struct Replay {
    /// Something that was handed in.
    struct Delivery {
        let evidence: Evidence
        let customer: String
        let claim: String?
    }

    let policy: AppPolicy
    let tokens: [String: String]
    let deliveries: [Delivery]
    let scheduler: Scheduler

    /// What a shuffled order with repetitions leads to other than the recorded one.
    func differences() throws -> [String] {
        let straight = try books(after: deliveries, jobsOften: false)
        var shuffled: [Delivery] = deliveries + deliveries.filter { _ in scheduler.isOne(in: 4) }
        for index in shuffled.indices.reversed() {
            shuffled.swapAt(index, scheduler.number(below: index + 1))
        }
        return try books(after: shuffled, jobsOften: true).differences(fromOrder: straight)
    }

    private func books(after deliveries: [Delivery], jobsOften: Bool) throws -> Books {
        let machine = Machine(seed: 0)
        try BooksReader.create(on: machine)
        let clock = SimulatedClock(scheduler: scheduler)
        let database = try SQLiteDatabase(path: Machine.books, options: machine.options(clock))
        let random = scheduler.random
        let policy = policy
        let engine = try runInline {
            try await Engine.open(
                database, policies: [policy], clock: clock, random: random, jobSignal: {})
        }
        for (token, customer) in tokens.sorted(by: { $0.key < $1.key }) {
            let id = try CustomerID(customer)
            _ = try runInline {
                try await engine.registerToken(UniqueID(token), for: id, to: policy)
            }
        }
        for delivery in deliveries {
            let submission = try delivery.submission
            _ = try runInline { try await engine.submit(submission, to: policy) }
            if jobsOften, scheduler.isOne(in: 3) {
                _ = try runInline { try await engine.runDueJobs() }
            }
        }
        _ = try runInline { try await engine.runDueJobs() }
        let reader = try BooksReader(on: machine)
        let books = try reader.books().books
        try reader.close()
        try runInline { await database.close() }
        return books
    }
}

extension Replay.Delivery {
    fileprivate var submission: Submission {
        get throws {
            try Submission(
                customer: CustomerID(customer), evidence: evidence, claim: claim)
        }
    }
}

extension Submission {
    init(customer: CustomerID, evidence: Evidence, claim: String?, order: NamedOrder? = nil) {
        self.init(
            customer: customer,
            proof: evidence.meaning.isReceipt
                ? .receipt(evidence.text) : .signedTransaction(evidence.text),
            claimedTransactionID: claim.flatMap { try? TransactionID($0) },
            claimedProductID: nil, order: order, address: "192.0.2.1")
    }
}
