// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore

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

    /// Lets each later statement of this transaction take as long as it needs; for migrations, which
    /// may rebuild a large table. Waits for locks stay limited.
    func liftTimeLimit() throws(DatabaseError)

    /// Whether transactions that write run one behind the other, so that they are committed in the
    /// order in which they were begun: true on SQLite, false on PostgreSQL.
    ///
    /// Only then may a number that readers follow be given inside the transaction.
    var hasSingleWriter: Bool { get }

    /// The rows of a plain `SELECT` from one table that no other transaction holds, locked to the
    /// end of this one; a row that another holds is left out and not waited for.
    ///
    /// The engine appends what that needs to the statement, so it must have neither a `FOR UPDATE`
    /// of its own nor an aggregate. A row that another transaction changed after this statement
    /// began is returned only if it still meets the condition.
    func unlockedRows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row]
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
