// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// That a job could not do its work, for the log.
package struct JobFailure: Sendable {
    package let kind: String
    package let app: AppID

    /// How often it was begun since it last went well.
    package let tries: Int64
    package let message: String
}

/// Why a job could not do its work; it is tried again.
struct JobError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Engine {
    /// Runs every job whose time has come, one behind the other, until none is left.
    ///
    /// A job is claimed by a lease, so several servers on one database share the work; one whose
    /// server died is taken over when the lease has run out. A job that fails is put off, longer each
    /// time, and stays owed. Killing the process in the middle of one loses nothing, since jobs may
    /// run twice; cancelling the task gives the running one back.
    ///
    /// - Returns: How many jobs were finished.
    /// - Throws: ``DatabaseError`` if the jobs cannot be read or struck off.
    @discardableResult
    package func runDueJobs() async throws -> Int {
        var finished = 0
        while !Task.isCancelled, let claim = try await claimJob() {
            if try await run(claim) { finished += 1 }
            eventSignal()
        }
        return finished
    }

    private func claimJob() async throws -> JobClaim? {
        // Most rounds find nothing, and need not disturb those who write.
        guard try await database.read({ try $0.hasDueJob() }) else { return nil }
        return try await database.write { transaction in
            try transaction.claimJob(for: Limits.jobLease, pause: Self.pause)
        }
    }

    /// The pause before the next try. It counts tries that were begun, so a job that ends the
    /// process comes back ever less often too.
    @Sendable private static func pause(afterTries tries: Int64) -> Duration {
        min(.seconds(1 << min(max(tries - 1, 0), 12)), Limits.longestJobPause)
    }

    private func run(_ claim: JobClaim) async throws -> Bool {
        let run = JobRun(claim, on: database)
        do {
            try await work(run, on: claim.job)
            return try await database.write { try $0.finish(claim) }
        } catch is JobRun.Lost {
            return false
        } catch is CancellationError {
            _ = try await database.write { try $0.release(claim) }
            return false
        } catch let error as DatabaseError where error.isTransient && error.code != .busy {
            // The database's trouble is not the job's; it is due again after the pause.
            throw error
        } catch {
            let pause = Self.pause(afterTries: claim.job.tries)
            let message = "\(error)".storable(byteCount: Limits.jobErrorByteCount)
            _ = try await database.write { try $0.postpone(claim, for: pause, error: message) }
            onJobFailure(
                JobFailure(
                    kind: claim.job.kind, app: claim.job.app, tries: claim.job.tries,
                    message: message))
            return false
        }
    }

    private func work(_ run: JobRun, on job: JobRecord) async throws {
        guard let policy = policies[job.app] else { throw JobError("the app is not configured") }
        switch job.kind {
        case EvidenceJob.kind: try await settleEvidence(run, job, policy)
        case ParkedJob.kind: try await settleParked(run, job, policy)
        case FamilyJob.kind: try await settleFamily(run, job, policy)
        default: throw JobError("this version does not know the kind of job")
        }
        try await reconsiderParked(ifChangedSince: policy)
    }
}
