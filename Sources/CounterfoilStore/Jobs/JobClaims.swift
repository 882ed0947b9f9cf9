// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
package import CounterfoilDatabase

extension ReadTransaction {
    /// Whether a job's time has come; another worker may hold it all the same.
    package func hasDueJob() throws(DatabaseError) -> Bool {
        try row(
            "SELECT 1 FROM jobs WHERE run_at <= $1 LIMIT 1", [.value(try currentTime())]) != nil
    }
}

// When a job is due is written and compared by the database's clock, as its lease is: by that of a
// server which runs ahead, its jobs would wait for hours at the others.
extension WriteTransaction {
    /// Owes the job after a pause; if it is owed already it starts over with the new payload, as soon
    /// as either asked for. A worker that has it in hand goes on, and it runs again afterwards.
    package func enqueue(
        _ job: JobRecord, after pause: Duration = .zero
    ) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO jobs (job_key, kind, app, payload, run_at, tries, last_error, created_at,
            lease_until, fence, requests)
            VALUES ($1, $2, $3, $4, $5, $6, NULL, $7, NULL, 0, 1)
            ON CONFLICT (job_key) DO UPDATE SET payload = excluded.payload,
            requests = jobs.requests + 1,
            run_at = CASE WHEN jobs.run_at < excluded.run_at THEN jobs.run_at
                ELSE excluded.run_at END
            """,
            [
                .value(job.key), .value(job.kind), .value(job.app), .value(job.payload),
                .value(try currentTime() + pause), .value(job.tries), .value(job.createdAt),
            ], expecting: .one)
    }

    /// Takes the job whose time came first and that nobody holds; nil if there is none.
    ///
    /// - Parameters:
    ///   - lease: How long the job is the caller's unless it is extended.
    ///   - pause: When to try again if the caller dies over it, by how often it was tried.
    package func claimJob(
        for lease: Duration, pause: (_ tries: Int64) -> Duration
    ) throws(DatabaseError) -> JobClaim? {
        let time = try currentTime()
        let rows = try unlockedRows(
            """
            SELECT job_key, kind, app, payload, tries, created_at, fence, requests FROM jobs
            WHERE run_at <= $1 AND (lease_until IS NULL OR lease_until <= $1)
            ORDER BY run_at, job_key LIMIT 1
            """,
            [.value(time)])
        guard let row = rows.first else { return nil }
        let tries = try row.integer(4) + 1
        let fence = try row.integer(6)
        let job = JobRecord(
            key: try row.text(0), kind: try row.text(1), app: try row.identifier(2),
            payload: try row.text(3), tries: tries, createdAt: try row.instant(5))
        try execute(
            """
            UPDATE jobs SET fence = fence + 1, lease_until = $3, tries = $4, run_at = $5
            WHERE job_key = $1 AND fence = $2
            """,
            [
                .value(job.key), .value(fence), .value(time + lease), .value(tries),
                .value(time + pause(tries)),
            ], expecting: .one)
        return JobClaim(job: job, fence: fence + 1, requests: try row.integer(7))
    }
}

// What a worker says about its job. Each returns whether the job was still its own; if not, nothing
// was changed.
extension WriteTransaction {
    /// Extends the lease and keeps the payload, by which another worker would go on.
    ///
    /// The row stays locked to the end of the transaction. Called in the transaction of an effect, it
    /// makes the effect that of the job's owner or of nobody.
    package func advance(
        _ claim: JobClaim, for lease: Duration
    ) throws(DatabaseError) -> Bool {
        let time = try currentTime()
        return try change(
            """
            UPDATE jobs SET lease_until = $3,
            payload = CASE WHEN requests = $4 THEN $5 ELSE payload END
            WHERE job_key = $1 AND fence = $2
            """,
            [
                .value(claim.job.key), .value(claim.fence), .value(time + lease),
                .value(claim.requests), .value(claim.job.payload),
            ]) == 1
    }

    /// Strikes the job off, or gives it back if somebody asked for it again meanwhile.
    package func finish(_ claim: JobClaim) throws(DatabaseError) -> Bool {
        let isDone = try change(
            "DELETE FROM jobs WHERE job_key = $1 AND fence = $2 AND requests = $3",
            [.value(claim.job.key), .value(claim.fence), .value(claim.requests)])
        if isDone == 1 { return true }
        return try change(
            """
            UPDATE jobs SET lease_until = NULL, tries = 0, last_error = NULL
            WHERE job_key = $1 AND fence = $2
            """,
            [.value(claim.job.key), .value(claim.fence)]) == 1
    }

    /// Gives the job back after a failure and puts it off, unless somebody asked for it again.
    package func postpone(
        _ claim: JobClaim, for pause: Duration, error: String
    ) throws(DatabaseError) -> Bool {
        let time = try currentTime()
        return try change(
            """
            UPDATE jobs SET lease_until = NULL, last_error = $5,
            run_at = CASE WHEN requests = $3 THEN $4 ELSE run_at END
            WHERE job_key = $1 AND fence = $2
            """,
            [
                .value(claim.job.key), .value(claim.fence), .value(claim.requests),
                .value(time + pause), .value(error),
            ]) == 1
    }

    /// Gives the job back as if it had not been begun, for whoever comes next.
    package func release(_ claim: JobClaim) throws(DatabaseError) -> Bool {
        let time = try currentTime()
        return try change(
            """
            UPDATE jobs SET lease_until = NULL, run_at = $3,
            tries = CASE WHEN tries > 0 THEN tries - 1 ELSE 0 END
            WHERE job_key = $1 AND fence = $2
            """,
            [.value(claim.job.key), .value(claim.fence), .value(time)]) == 1
    }
}
