// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase

/// What a closure sees of the connection while its transaction is open.
///
/// BEGIN goes out with the first statement, so that a closure without any costs nothing.
final class PostgresTransaction: WriteTransaction {
    private let connection: PostgresConnection
    private let mode: String
    private let clock: (any WallClock)?

    /// The first failure; it ends the transaction.
    private(set) var failure: PostgresFailure?

    init(_ connection: PostgresConnection, mode: String, clock: (any WallClock)?) {
        self.connection = connection
        self.mode = mode
        self.clock = clock
    }

    /// Refuses every later statement, for closures that let the transaction out of their hands.
    func end() {
        failure = PostgresFailure(
            .none,
            DatabaseError(.statement, "a transaction was used after its closure returned"))
    }

    func rows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row] {
        try run { connection throws(PostgresFailure) in try connection.query(sql, parameters) }
    }

    func change(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> Int {
        try run { connection throws(PostgresFailure) in try connection.change(sql, parameters) }
    }

    func execute(
        _ sql: SQL, _ parameters: [DatabaseValue], expecting expected: ExpectedRows
    ) throws(DatabaseError) {
        try run { connection throws(PostgresFailure) in
            try connection.execute(.plain(sql), parameters, expecting: expected)
        }
    }

    /// Waits with the next round trip; until then nothing was read that the lock protects.
    func lock(_ key: LockKey) throws(DatabaseError) {
        try run { connection throws(PostgresFailure) in
            try connection.execute(
                .lock(table: key.table.name, key: key.table.primaryKey), key.values, expecting: .any
            )
        }
    }

    func liftTimeLimit() throws(DatabaseError) {
        try run { connection throws(PostgresFailure) in try connection.liftTimeLimit() }
    }

    var hasSingleWriter: Bool { false }

    func currentTime() throws(DatabaseError) -> Instant {
        if let clock { return clock.now }
        let row = try row(
            "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)")
        guard let row else {
            throw DatabaseError(.unexpectedRowCount, "the database has no time")
        }
        return try row.instant(0)
    }

    func unlockedRows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row] {
        try run { connection throws(PostgresFailure) in
            try connection.query(.unlocked(sql), parameters)
        }
    }

    private func run<Value>(
        _ body: (PostgresConnection) throws(PostgresFailure) -> Value
    ) throws(DatabaseError) -> Value {
        if let failure { throw failure.error }
        do {
            if !connection.isInTransaction { try connection.begin(mode) }
            return try body(connection)
        } catch {
            failure = error
            throw error.error
        }
    }
}
