// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase

/// What a closure sees of the connection while its transaction is open.
final class SQLiteTransaction: WriteTransaction {
    private let connection: SQLiteConnection

    /// The first failure; it ends the transaction, as it does on PostgreSQL.
    private(set) var failure: DatabaseError?

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// Refuses every later statement, for closures that let the transaction out of their hands.
    func end() {
        failure = DatabaseError(.statement, "a transaction was used after its closure returned")
    }

    func rows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row] {
        try run { () throws(DatabaseError) in try connection.rows(sql, parameters) }
    }

    func change(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> Int {
        try run { () throws(DatabaseError) in try connection.change(sql, parameters) }
    }

    func execute(
        _ sql: SQL, _ parameters: [DatabaseValue], expecting expected: ExpectedRows
    ) throws(DatabaseError) {
        try run { () throws(DatabaseError) in
            try expected.check(connection.change(sql, parameters), of: sql)
        }
    }

    func lock(_ key: LockKey) throws(DatabaseError) {
        if let failure { throw failure }
    }

    /// Statements have no limit of time here.
    func liftTimeLimit() {}

    var hasSingleWriter: Bool { true }

    func currentTime() throws(DatabaseError) -> Instant {
        try run { () throws(DatabaseError) in try connection.currentTime() }
    }

    /// Nobody else holds a row while this transaction writes.
    func unlockedRows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row] {
        try rows(sql, parameters)
    }

    private func run<Value>(
        _ body: () throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        if let failure { throw failure }
        do {
            try connection.checkPatience()
            return try body()
        } catch {
            failure = error
            throw error
        }
    }
}
