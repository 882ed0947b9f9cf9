// SPDX-License-Identifier: Apache-2.0

import CounterfoilDatabase
import CounterfoilStore

/// One run of a job, step by step; each step is a database transaction that happens only while the
/// job is still this worker's.
struct JobRun: Sendable {
    /// That another worker has the job by now; this one stops without a trace.
    struct Lost: Error {}

    private let claim: JobClaim
    private let database: any Database

    init(_ claim: JobClaim, on database: any Database) {
        self.claim = claim
        self.database = database
    }

    /// Runs the body in a transaction of its own and extends the lease with it.
    ///
    /// - Parameter payload: From where another worker would go on after this step; without one it
    ///   would start over.
    /// - Throws: ``Lost``, with nothing of the body stored, if the lease ran out and somebody else took
    ///   the job; `CancellationError` before the body if the task is cancelled.
    func step(
        thenFrom payload: String? = nil,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Void
    ) async throws {
        try Task.checkCancellation()
        var claim = claim
        claim.job.payload = payload ?? claim.job.payload
        let reached = claim
        try await database.write { transaction in
            try body(transaction)
            // Behind the body: jobs are locked after sales and wallets, as when they are owed.
            guard try transaction.advance(reached, for: Limits.jobLease) else { throw Lost() }
        }
    }

    /// As ``step(thenFrom:_:)``, but returns an error that speaks of this step alone, so that one
    /// which fails each time does not keep the others waiting.
    func attempt(
        thenFrom payload: String? = nil,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Void
    ) async throws -> (any Error)? {
        do {
            try await step(thenFrom: payload, body)
            return nil
        } catch let error as DatabaseError where error.endsRound {
            throw error
        } catch  where error is Lost || error is CancellationError {
            throw error
        } catch {
            return error
        }
    }
}
