// SPDX-License-Identifier: Apache-2.0
import CSQLite
import CounterfoilDatabase

// Every call into the C library is in this file; nothing of it shows outside.

/// Leaves out the library's count of its memory, which takes a lock at each allocation; it must be
/// said before the first connection, and is only lost if somebody else used the library earlier.
private let hasNoMemoryCount: Bool = counterfoil_sqlite_leave_out_memory_count() == SQLITE_OK

/// An open connection.
///
/// It is used by one thread at a time: the library's own mutex is left out.
final class SQLiteHandle {
    /// How far a checkpoint goes.
    enum Checkpoint {
        /// Copies what nobody is in the way of.
        case passive

        /// Waits for readers of old pages, copies everything and cuts the log to nothing.
        case truncate
    }

    fileprivate let pointer: OpaquePointer

    /// Where the library notes the length of the log after each commit.
    private let loggedPages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    private var patience: Patience?

    /// - Parameter fileSystem: The name under which the library knows it; nil for the system's,
    ///   where the file must exist.
    init(path: String, isReadOnly: Bool, fileSystem: String? = nil) throws(DatabaseError) {
        let creates = fileSystem == nil ? 0 : SQLITE_OPEN_CREATE
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | creates
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        _ = hasNoMemoryCount
        var opened: OpaquePointer?
        loggedPages.initialize(to: 0)
        let status = sqlite3_open_v2(path, &opened, flags, fileSystem)
        guard let opened else {
            throw DatabaseError(.unavailable, "there is no memory for a connection")
        }
        guard status == SQLITE_OK else {
            let error = databaseError(status, of: opened, sql: "open \(path)")
            sqlite3_close_v2(opened)
            throw error
        }
        pointer = opened
        // Before any statement: opening a reader beside a busy writer fails at once without it.
        sqlite3_busy_timeout(opened, SQLiteLimits.busyTimeoutMilliseconds)
        sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, Int32(DatabaseLimits.valueBytes))
    }

    deinit {
        sqlite3_close_v2(pointer)
        loggedPages.deallocate()
    }

    /// Whether a transaction is open; a full disk or a failed read can end one from inside.
    var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }

    /// Rows changed since the connection was opened.
    var totalChanges: Int64 { sqlite3_total_changes64(pointer) }

    /// How many pages the log held after the last commit.
    var logPages: Int32 { loggedPages.pointee }

    /// Takes note of the log's length, in place of the library's own checkpoints after a commit.
    func watchLog() {
        _ = sqlite3_wal_hook(
            pointer,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, loggedPages)
    }

    /// Lets a long statement fail when the patience is over.
    func giveUp(when patience: Patience) {
        self.patience = patience
        sqlite3_progress_handler(
            pointer, SQLiteLimits.stepsBetweenLooks,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Patience>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
            }, Unmanaged.passUnretained(patience).toOpaque())
    }

    func checkpoint(_ mode: Checkpoint) throws(DatabaseError) {
        let code = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
        let status = sqlite3_wal_checkpoint_v2(pointer, nil, code, nil, nil)
        guard status & 0xFF == SQLITE_OK || status & 0xFF == SQLITE_BUSY else {
            throw databaseError(status, of: pointer, sql: "checkpoint")
        }
    }

    /// Writes the log over itself and syncs it; the connection must hold the writer's lock.
    func rewriteLog() throws(DatabaseError) {
        let status = counterfoil_sqlite_rewrite_log(pointer)
        guard status == SQLITE_OK else {
            throw databaseError(status, of: pointer, sql: "rewrite the log")
        }
    }

    /// Compiles one statement.
    func prepare(_ text: String, isReusable: Bool) throws(DatabaseError) -> SQLiteStatement {
        var text = text
        let flags = isReusable ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        var prepared: OpaquePointer?
        var hasRest = false
        let status = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                var rest: UnsafePointer<CChar>?
                let status = sqlite3_prepare_v3(
                    pointer, characters.baseAddress, Int32(clamping: characters.count), flags,
                    &prepared, &rest)
                if let rest, let start = characters.baseAddress {
                    hasRest = characters[(rest - start)...].contains { $0 != 10 && $0 != 32 }
                }
                return status
            }
        }
        guard status == SQLITE_OK else { throw databaseError(status, of: pointer, sql: text) }
        guard let prepared else {
            throw DatabaseError(.statement, "a statement is empty", details: text)
        }
        let statement = SQLiteStatement(prepared, handle: self)
        guard !hasRest else {
            throw DatabaseError(.statement, "there are two statements in one", details: text)
        }
        try statement.readParameters()
        return statement
    }
}

/// A compiled statement of one connection, which it keeps open.
final class SQLiteStatement {
    private let pointer: OpaquePointer
    private let handle: SQLiteHandle

    /// Where the library put parameter `$n`, at index n - 1: it numbers them as they appear.
    private var positions: [Int32] = []

    /// When the statement cache last handed it out.
    var lastUse: UInt64 = 0

    fileprivate init(_ pointer: OpaquePointer, handle: SQLiteHandle) {
        self.pointer = pointer
        self.handle = handle
    }

    deinit {
        sqlite3_finalize(pointer)
    }

    var text: String {
        sqlite3_sql(pointer).map { String(cString: $0) } ?? ""
    }

    var columnCount: Int { Int(sqlite3_column_count(pointer)) }

    /// The names of the result's columns.
    private(set) lazy var columnNames = ColumnNames(
        (0..<sqlite3_column_count(pointer)).map { index in
            sqlite3_column_name(pointer, index).map { String(cString: $0) } ?? ""
        })

    fileprivate func readParameters() throws(DatabaseError) {
        let count = sqlite3_bind_parameter_count(pointer)
        positions = Array(repeating: 0, count: Int(count))
        for position in 0..<count {
            let name =
                sqlite3_bind_parameter_name(pointer, position + 1)
                .map { String(cString: $0) } ?? "?"
            guard name.hasPrefix("$"), let number = Int(name.dropFirst()),
                positions.indices.contains(number - 1)
            else {
                throw DatabaseError(
                    .statement, "parameters are not numbered from $1 without gaps", details: text)
            }
            positions[number - 1] = position + 1
        }
    }

    func bind(_ values: [DatabaseValue]) throws(DatabaseError) {
        guard values.count == positions.count else {
            throw DatabaseError(
                .statement, "a statement has \(positions.count) parameters, not \(values.count)",
                details: text)
        }
        for (value, position) in zip(values, positions) {
            let status = bind(value, at: position)
            guard status == SQLITE_OK else {
                throw databaseError(status, of: handle.pointer, sql: text)
            }
        }
    }

    private func bind(_ value: DatabaseValue, at position: Int32) -> Int32 {
        let copied = counterfoil_sqlite_transient()
        switch value {
        case .null:
            return sqlite3_bind_null(pointer, position)
        case .integer(let number):
            return sqlite3_bind_int64(pointer, position, number)
        case .text(""):
            // Without bytes there may be no address, which the library would take for NULL.
            return sqlite3_bind_text64(pointer, position, "", 0, copied, UInt8(SQLITE_UTF8))
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    sqlite3_bind_text64(
                        pointer, position, characters.baseAddress, UInt64(characters.count),
                        copied, UInt8(SQLITE_UTF8))
                }
            }
        case .bytes(let bytes):
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(pointer, position, 0) }
            return bytes.withUnsafeBytes { bytes in
                sqlite3_bind_blob64(
                    pointer, position, bytes.baseAddress, UInt64(bytes.count), copied)
            }
        }
    }

    /// Runs to the next row; false at the end.
    func step() throws(DatabaseError) -> Bool {
        let status = sqlite3_step(pointer)
        switch status {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw databaseError(status, of: handle.pointer, sql: text)
        }
    }

    /// Ends the run and forgets the parameters; the outcome was reported by `step`.
    func reset() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    /// The value in a column of the current row.
    func value(at column: Int) throws(DatabaseError) -> DatabaseValue {
        let index = Int32(column)
        switch sqlite3_column_type(pointer, index) {
        case SQLITE_NULL:
            return .null
        case SQLITE_INTEGER:
            return .integer(sqlite3_column_int64(pointer, index))
        case SQLITE_TEXT:
            let start = sqlite3_column_text(pointer, index)
            let count = Int(sqlite3_column_bytes(pointer, index))
            let bytes = UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
            return .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(pointer, index)
            let count = Int(sqlite3_column_bytes(pointer, index))
            return .bytes(
                Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)))
        default:
            throw DatabaseError(
                .unexpectedValue, "a column holds a fraction, which nothing of ours does",
                details: text)
        }
    }
}

/// Turns a result code into our error, with the library's words for the log.
private func databaseError(_ status: Int32, of pointer: OpaquePointer, sql: String) -> DatabaseError
{
    let words = sqlite3_errmsg(pointer).map { String(cString: $0) } ?? ""
    let (code, message) = meaning(of: status)
    return DatabaseError(code, message, details: "\(words) (\(status)) in: \(sql)")
}

private func meaning(of status: Int32) -> (DatabaseError.Code, String) {
    if counterfoil_sqlite_is_key_violation(status) != 0 {
        return (.uniqueViolation, "a row with this key exists")
    }
    return switch status & 0xFF {
    case SQLITE_CONSTRAINT: (.constraintViolation, "a row breaks a rule of its table")
    case SQLITE_INTERRUPT: (.busy, "the read took so long that writes wait for it")
    case SQLITE_BUSY, SQLITE_LOCKED: (.busy, "another process holds the database")
    case SQLITE_FULL: (.full, "there is no space left for the database")
    case SQLITE_TOOBIG: (.tooLarge, "a value is larger than the limit")
    case SQLITE_READONLY, SQLITE_PERM: (.readOnly, "the database cannot be written to")
    case SQLITE_CANTOPEN: (.cannotOpen, "the database file cannot be opened")
    case SQLITE_CORRUPT: (.corrupt, "the database file is damaged")
    case SQLITE_NOTADB: (.corrupt, "the file is not a database")
    case SQLITE_IOERR: (.unavailable, "the database file could not be read or written")
    case SQLITE_NOMEM: (.unavailable, "there is no memory for the database")
    default: (.statement, "a statement is wrong")
    }
}
