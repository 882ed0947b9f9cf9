// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// A piece of work that is owed until it is done.
package struct JobRecord: Hashable, Sendable {
    /// Names the work, so that asking for it twice is asking once.
    package let key: String
    package let kind: String
    package let app: AppID

    /// What the kind needs to know; its form is the kind's own.
    package var payload: String
    package var runAt: Instant
    package var tries: Int64
    package let createdAt: Instant

    package init(
        key: String, kind: String, app: AppID, payload: String, runAt: Instant, tries: Int64,
        createdAt: Instant
    ) {
        self.key = key
        self.kind = kind
        self.app = app
        self.payload = payload
        self.runAt = runAt
        self.tries = tries
        self.createdAt = createdAt
    }
}

extension ReadTransaction {
    /// Jobs whose time has come, oldest first.
    package func dueJobs(at now: Instant, limit: Int64) throws(DatabaseError) -> [JobRecord] {
        try rows(
            """
            SELECT job_key, kind, app, payload, run_at, tries, created_at FROM jobs
            WHERE run_at <= $1 ORDER BY run_at, job_key LIMIT $2
            """,
            [.value(now), .value(limit)]
        ).map { row throws(DatabaseError) in
            JobRecord(
                key: try row.text(0), kind: try row.text(1), app: try row.identifier(2),
                payload: try row.text(3), runAt: try row.instant(4), tries: try row.integer(5),
                createdAt: try row.instant(6))
        }
    }

    /// The number of jobs that wait, whatever their time.
    package func jobCount() throws(DatabaseError) -> Int64 {
        try row("SELECT COUNT(*) FROM jobs")?.integer(0) ?? 0
    }
}

extension WriteTransaction {
    /// Owes the job; if it is owed already it starts over with the new payload, as soon as either
    /// asked for.
    package func enqueue(_ job: JobRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO jobs (job_key, kind, app, payload, run_at, tries, last_error, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, NULL, $7)
            ON CONFLICT (job_key) DO UPDATE SET payload = excluded.payload,
            run_at = CASE WHEN jobs.run_at < excluded.run_at THEN jobs.run_at
                ELSE excluded.run_at END
            """,
            [
                .value(job.key), .value(job.kind), .value(job.app), .value(job.payload),
                .value(job.runAt), .value(job.tries), .value(job.createdAt),
            ], expecting: .one)
    }

    /// Moves the job on to its next part.
    package func advance(_ job: JobRecord) throws(DatabaseError) {
        try execute(
            "UPDATE jobs SET payload = $2, run_at = $3, tries = 0 WHERE job_key = $1",
            [.value(job.key), .value(job.payload), .value(job.runAt)])
    }

    /// Puts the job off after a failure.
    package func postpone(
        _ key: String, until runAt: Instant, error: String
    ) throws(DatabaseError) {
        try execute(
            """
            UPDATE jobs SET run_at = $2, tries = tries + 1, last_error = $3 WHERE job_key = $1
            """,
            [.value(key), .value(runAt), .value(error)])
    }

    /// Strikes the job off, unless somebody owed it anew with another payload meanwhile.
    package func finish(_ job: JobRecord) throws(DatabaseError) {
        try execute(
            "DELETE FROM jobs WHERE job_key = $1 AND payload = $2",
            [.value(job.key), .value(job.payload)])
    }
}
