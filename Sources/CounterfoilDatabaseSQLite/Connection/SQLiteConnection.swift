// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase

/// A configured connection with its prepared statements; used by one thread at a time.
final class SQLiteConnection {
    private let handle: SQLiteHandle
    private var statements: [SQL: SQLiteStatement] = [:]
    private var uses: UInt64 = 0
    private let clock: (any WallClock)?
    private let patience: Patience?

    private init(
        _ file: SQLiteFile, isReadOnly: Bool, patience: Patience? = nil
    ) throws(DatabaseError) {
        clock = file.options.clock
        self.patience = patience
        handle = try SQLiteHandle(
            path: file.path, isReadOnly: isReadOnly, fileSystem: file.options.fileSystem)
        if let patience { handle.giveUp(when: patience) }
    }

    /// Opens the connection that writes, and sees to it that a commit is on disk when it returns.
    ///
    /// - Throws: ``DatabaseError`` with `cannotOpen` where commits would not wait for the disk.
    static func writer(_ file: SQLiteFile) throws(DatabaseError) -> SQLiteConnection {
        let connection = try SQLiteConnection(file, isReadOnly: false)
        // Only an empty file takes it.
        try connection.run(pragma: "page_size = \(SQLiteLimits.pageBytes)")
        let mode = try connection.rows("PRAGMA journal_mode = WAL", []).first?.values.first
        guard mode == .text("wal") else {
            throw DatabaseError(
                .cannotOpen, "the file system of \(file.path) cannot hold a write-ahead log")
        }
        let wanted = file.options.synchronous
        try connection.run(pragma: "synchronous = \(wanted.rawValue)")
        let got = try connection.rows("PRAGMA synchronous", []).first?.values.first
        guard got == .integer(wanted.rawValue) else {
            throw DatabaseError(
                .cannotOpen, "the SQLite library does not wait for the disk (synchronous = FULL)")
        }
        try connection.run("PRAGMA foreign_keys = ON")
        try connection.configure(cacheKiB: SQLiteLimits.writerCacheKiB)
        connection.handle.watchLog()
        try connection.recoverLog()
        return connection
    }

    /// Opens a connection that can only read; the writer's must exist.
    ///
    /// - Parameter patience: When it is over, statements fail with `busy`.
    static func reader(
        _ file: SQLiteFile, patience: Patience
    ) throws(DatabaseError) -> SQLiteConnection {
        let connection = try SQLiteConnection(file, isReadOnly: true, patience: patience)
        try connection.configure(cacheKiB: SQLiteLimits.readerCacheKiB)
        return connection
    }

    /// Opens a connection that copies the log into the file; the writer's must exist.
    static func checkpointer(_ file: SQLiteFile) throws(DatabaseError) -> SQLiteConnection {
        let connection = try SQLiteConnection(file, isReadOnly: false)
        try connection.run(pragma: "synchronous = \(file.options.synchronous.rawValue)")
        try connection.configure(cacheKiB: SQLiteLimits.checkpointerCacheKiB)
        try connection.run(pragma: "busy_timeout = \(SQLiteLimits.cutTimeoutMilliseconds)")
        connection.handle.watchLog()
        // A connection that has not read yet does not know that there is a log.
        try connection.run("SELECT COUNT(*) FROM sqlite_master")
        return connection
    }

    private func configure(cacheKiB: Int) throws(DatabaseError) {
        try run("PRAGMA trusted_schema = OFF")
        try run("PRAGMA temp_store = MEMORY")
        try run(pragma: "cache_size = -\(cacheKiB)")
    }

    /// Brings what an earlier connection left in the log into the database file.
    ///
    /// After a sync that failed, a log can be read that is on no disk, and syncing it again does
    /// nothing: the system has forgotten that it was to be written. Copying from it into the file and
    /// losing power would leave half a transaction. So the log is written over itself first, with the
    /// lock that keeps every writer out.
    private func recoverLog() throws(DatabaseError) {
        try run("BEGIN IMMEDIATE")
        try handle.rewriteLog()
        try run("COMMIT")
        try checkpoint(.truncate)
    }

    /// Copies the log into the file as far as others let it; that they did not is no failure.
    func checkpoint(_ mode: SQLiteHandle.Checkpoint) throws(DatabaseError) {
        try handle.checkpoint(mode)
    }

    /// Fails when the snapshot that is being read is needed back.
    func checkPatience() throws(DatabaseError) {
        guard let patience, patience.isOver else { return }
        throw DatabaseError(.busy, "the read took so long that writes wait for it")
    }

    /// How many pages the log held after the last commit of this connection.
    var logPages: Int32 { handle.logPages }

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
