// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Why a job could not do its work; it is tried again.
struct JobError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Engine {
    /// Jobs taken from the database at a time.
    private static let batchSize: Int64 = 32

    /// The longest pause between two tries of a failing job.
    private static let maximumPause = Duration.seconds(3600)

    /// Runs every job whose time has come, one behind the other, until none is left.
    ///
    /// A job that fails is put off, longer each time, and stays owed; killing the process in the
    /// middle of one loses nothing, since jobs may run twice.
    ///
    /// - Returns: How many jobs were finished.
    /// - Throws: ``DatabaseError`` if the jobs cannot be read or struck off.
    @discardableResult
    package func runDueJobs() async throws -> Int {
        var finished = 0
        while true {
            let now = clock.now
            let jobs = try await database.read { try $0.dueJobs(at: now, limit: Self.batchSize) }
            if jobs.isEmpty { return finished }
            for job in jobs where try await run(job) { finished += 1 }
        }
    }

    private func run(_ job: JobRecord) async throws -> Bool {
        do {
            guard let policy = policies[job.app] else {
                throw JobError("the app is not configured")
            }
            switch job.kind {
            case EvidenceJob.kind: try await settleEvidence(job, policy)
            case ParkedJob.kind: try await settleParked(job, policy)
            default: throw JobError("this version does not know the kind of job")
            }
        } catch {
            let pause = min(.seconds(1 << min(job.tries, 12)), Self.maximumPause)
            let runAt = clock.now + pause
            let message = String("\(error)".prefix(500))
            try await database.write { try $0.postpone(job.key, until: runAt, error: message) }
            return false
        }
        try await database.write { try $0.finish(job) }
        return true
    }
}
