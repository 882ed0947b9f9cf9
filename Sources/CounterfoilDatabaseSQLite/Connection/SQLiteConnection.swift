// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase

/// A configured connection with its prepared statements; used by one thread at a time.
final class SQLiteConnection {
    private let handle: SQLiteHandle
    private var statements: [SQL: SQLiteStatement] = [:]
    private var uses: UInt64 = 0
    private let clock: (any WallClock)?

    private init(
        path: String, isReadOnly: Bool, clock: (any WallClock)? = nil
    ) throws(DatabaseError) {
        self.clock = clock
        handle = try SQLiteHandle(path: path, isReadOnly: isReadOnly)
    }

    /// Opens the connection that writes, and sees to it that a commit is on disk when it returns.
    static func writer(
        path: String, clock: (any WallClock)? = nil
    ) throws(DatabaseError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, isReadOnly: false, clock: clock)
        let mode = try connection.rows("PRAGMA journal_mode = WAL", []).first?.values.first
        guard mode == .text("wal") else {
            throw DatabaseError(
                .cannotOpen, "the file system of \(path) cannot hold a write-ahead log")
        }
        try connection.run("PRAGMA synchronous = FULL")
        try connection.run("PRAGMA foreign_keys = ON")
        try connection.run("PRAGMA trusted_schema = OFF")
        try connection.run("PRAGMA temp_store = MEMORY")
        try connection.run(pragma: "cache_size = -\(SQLiteLimits.writerCacheKiB)")
        // What a crash or a failed sync left in the log may be in memory only. Copied into the
        // database file it is written and synced afresh, and the log starts over.
        try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
        return connection
    }

    /// Opens a connection that can only read; the writer's must exist.
    static func reader(path: String) throws(DatabaseError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, isReadOnly: true)
        try connection.run("PRAGMA trusted_schema = OFF")
        try connection.run("PRAGMA temp_store = MEMORY")
        try connection.run(pragma: "cache_size = -\(SQLiteLimits.readerCacheKiB)")
        return connection
    }

    /// Opens a connection after the start, when any failure may pass: the program runs on and tries
    /// again.
    static func reopened(
        _ open: () throws(DatabaseError) -> SQLiteConnection
    ) throws(DatabaseError) -> SQLiteConnection {
        do throws(DatabaseError) {
            return try open()
        } catch {
            throw DatabaseError(
                error.code == .busy ? .busy : .unavailable,
                "the database could not be opened again",
                details: error.debugDescription)
        }
    }

    var isInTransaction: Bool { handle.isInTransaction }

    /// Runs a statement without parameters and drops its result.
    func run(_ sql: SQL) throws(DatabaseError) {
        _ = try rows(sql, [])
    }

    private func run(pragma: String) throws(DatabaseError) {
        let statement = try handle.prepare("PRAGMA \(pragma)", isReusable: false)
        while try statement.step() {}
    }

    /// Runs a statement and returns its rows.
    func rows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row] {
        let statement = try statement(for: sql)
        defer { statement.reset() }
        try statement.bind(parameters)
        var rows: [Row] = []
        while try statement.step() {
            guard rows.count < DatabaseLimits.rowsPerQuery else {
                throw DatabaseError(
                    .tooLarge, "a result has more than \(DatabaseLimits.rowsPerQuery) rows",
                    details: statement.text)
            }
            var values: [DatabaseValue] = []
            values.reserveCapacity(statement.columnCount)
            for column in 0..<statement.columnCount {
                values.append(try statement.value(at: column))
            }
            rows.append(Row(columns: statement.columnNames, values: values))
        }
        return rows
    }

    /// Runs a statement and returns how many rows it changed.
    func change(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> Int {
        let statement = try statement(for: sql)
        defer { statement.reset() }
        try statement.bind(parameters)
        let before = handle.totalChanges
        while try statement.step() {}
        return Int(handle.totalChanges - before)
    }

    /// The time by the clock that was given, or by the library's, which is the system's.
    func currentTime() throws(DatabaseError) -> Instant {
        if let clock { return clock.now }
        // The Julian day number of 1970-01-01T00:00Z is 2440587.5; a double holds far below 1 ms.
        let rows = try rows(
            "SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)", [])
        guard let row = rows.first else {
            throw DatabaseError(.unexpectedRowCount, "the clock said nothing")
        }
        return try row.instant(0)
    }

    private func statement(for sql: SQL) throws(DatabaseError) -> SQLiteStatement {
        guard sql.isReusable else { return try handle.prepare(sql.text, isReusable: false) }
        uses += 1
        if let statement = statements[sql] {
            statement.lastUse = uses
            return statement
        }
        let statement = try handle.prepare(sql.text, isReusable: true)
        statement.lastUse = uses
        if statements.count >= SQLiteLimits.preparedStatements,
            let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            statements[oldest.key] = nil
        }
        statements[sql] = statement
        return statement
    }
}
