// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore

/// One consistent view of the database, valid only inside the closure that received it.
///
/// The first statement that fails ends the transaction: every later one throws the same error, and
/// so does the closure's caller, even if the closure swallowed it. PostgreSQL behaves so, and code
/// that needs to go on after a conflict says `ON CONFLICT DO NOTHING`.
package protocol ReadTransaction: AnyObject {
    /// Runs a query (in a write transaction also `INSERT … RETURNING`) and returns all its rows.
    ///
    /// - Throws: ``DatabaseError`` with `tooLarge` above ``DatabaseLimits/rowsPerQuery`` rows.
    func rows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row]

    /// The time by the database's own clock, which all servers on one database share.
    ///
    /// Jobs and their leases go by it and by nothing else: the clocks of two servers may be far
    /// apart. Two calls in one transaction may differ.
    func currentTime() throws(DatabaseError) -> Instant
}

extension ReadTransaction {
    package func rows(_ sql: SQL) throws(DatabaseError) -> [Row] {
        try rows(sql, [])
    }

    /// Runs a query for one row at most; nil when there is none.
    ///
    /// - Throws: ``DatabaseError`` with `unexpectedRowCount` when there are several.
    package func row(
        _ sql: SQL, _ parameters: [DatabaseValue] = []
    ) throws(DatabaseError) -> Row? {
        let rows = try rows(sql, parameters)
        guard rows.count <= 1 else {
            throw DatabaseError(
                .unexpectedRowCount, "a query for one row returned \(rows.count)", details: sql.text
            )
        }
        return rows.first
    }
}
