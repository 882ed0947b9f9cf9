// SPDX-License-Identifier: Apache-2.0

/// A transaction that may change the database; it sees its own changes, nobody else does before
/// the commit.
package protocol WriteTransaction: ReadTransaction {
    /// Runs a statement whose result is not needed.
    ///
    /// An engine may queue it and report its failure, or a row count that was not expected, at the
    /// next query or at the commit.
    func execute(
        _ sql: SQL, _ parameters: [DatabaseValue], expecting: ExpectedRows
    ) throws(DatabaseError)

    /// Runs a statement now and returns how many rows it inserted, updated or deleted.
    func change(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> Int

    /// Waits for the row's lock and keeps it to the end of the transaction. A row that does not
    /// exist is not locked: insert it first, `ON CONFLICT DO NOTHING`.
    ///
    /// Locks are taken in a fixed order: sale, order, then customers by key. SQLite has one writer,
    /// so there is nothing to wait for.
    func lock(_ key: LockKey) throws(DatabaseError)
}

extension WriteTransaction {
    package func execute(
        _ sql: SQL, _ parameters: [DatabaseValue] = []
    ) throws(DatabaseError) {
        try execute(sql, parameters, expecting: .any)
    }

    package func change(_ sql: SQL) throws(DatabaseError) -> Int {
        try change(sql, [])
    }
}
