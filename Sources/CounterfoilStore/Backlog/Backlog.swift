// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// How much of one kind waits.
package struct Backlog: Hashable, Sendable {
    /// How many, counted up to ``Limits/backlogCount``.
    package let count: Int64

    /// Since when the oldest of those that were counted waits; nil where nothing does.
    package let oldest: Instant?
}

private let countParked: SQL = """
    SELECT COUNT(*), MIN(created_at) FROM (SELECT created_at FROM transactions
    WHERE app = $1 AND environment = $2 AND parked_reason IS NOT NULL
    ORDER BY transaction_id LIMIT $3) AS waiting
    """

private let countGrants: SQL = """
    SELECT COUNT(*), MIN(created_at) FROM (SELECT created_at FROM grants
    WHERE app = $1 AND environment = $2 AND state = $3
    ORDER BY created_at, grant_id LIMIT $4) AS waiting
    """

private let countJobs: SQL = """
    SELECT COUNT(*), MIN(created_at) FROM (SELECT created_at FROM jobs LIMIT $1) AS waiting
    """

// Each is the walk along one index and ends at the limit.
extension ReadTransaction {
    /// The parked transactions of an environment.
    package func parkedBacklog(
        _ app: AppID, _ environment: AppStoreEnvironment
    ) throws(DatabaseError) -> Backlog {
        try backlog(countParked, [.value(app), .value(environment), limit])
    }

    /// The grants of an environment that are in a state.
    package func grantBacklog(
        _ app: AppID, _ environment: AppStoreEnvironment, in state: GrantState
    ) throws(DatabaseError) -> Backlog {
        try backlog(
            countGrants, [.value(app), .value(environment), .value(state.rawValue), limit])
    }

    /// All jobs that are owed, of every app.
    package func jobBacklog() throws(DatabaseError) -> Backlog {
        try backlog(countJobs, [limit])
    }

    private var limit: DatabaseValue { .integer(Limits.backlogCount) }

    private func backlog(
        _ sql: SQL, _ parameters: [DatabaseValue]
    ) throws(DatabaseError) -> Backlog {
        let row = try row(sql, parameters)
        return Backlog(
            count: try row?.integer(0) ?? 0, oldest: try row?.optionalInstant(1))
    }
}
