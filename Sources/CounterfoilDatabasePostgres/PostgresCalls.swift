// SPDX-License-Identifier: Apache-2.0
import CPostgreSQL
import CounterfoilDatabase
import Glibc

// Every call into the C library is in this file; nothing of it shows outside.

/// What became of one command of a pipeline.
struct CommandResult {
    var rows: [Row] = []

    /// How many rows it inserted, changed, deleted, locked or returned.
    var rowCount = 0

    /// What the server calls that which it did, such as COMMIT; empty when it did nothing.
    var tag = ""

    /// Why it did nothing.
    var failure: PostgresFailure?

    /// Whether it was left out because one before it failed.
    var wasSkipped = false
}

/// Splits an address into libpq's words and their values.
///
/// - Returns: Nil if it is not one. The library's reason may quote a password, so it is left out.
func connectionWords(of address: String) -> [String: String]? {
    var reason: UnsafeMutablePointer<CChar>?
    let options = PQconninfoParse(address, &reason)
    PQfreemem(reason)
    return takeWords(of: options)
}

/// The words that libpq takes from the environment and its own defaults.
func defaultConnectionWords() -> [String: String] {
    takeWords(of: PQconndefaults()) ?? [:]
}

private func takeWords(
    of options: UnsafeMutablePointer<PQconninfoOption>?
) -> [String: String]? {
    guard let options else { return nil }
    defer { PQconninfoFree(options) }
    var words: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
        if let value = option.pointee.val {
            words[String(cString: keyword)] = String(cString: value)
        }
        option += 1
    }
    return words
}

/// Blocks the thread; for threads of our own, between tries.
func pauseThread(milliseconds: Int64) {
    poll(nil, 0, Int32(clamping: milliseconds))
}

/// An open connection in pipeline mode: commands are sent one after the other, and their results are
/// read in the same order.
///
/// It is used by one thread at a time.
final class PostgresHandle {
    private let pointer: OpaquePointer

    /// How many warnings came, as the library's callback counts them.
    private let warnings: UnsafeMutablePointer<Int32>

    /// Whether the server may be silent for as long as it likes.
    var isPatient = false

    /// Connects, trying each host of the settings.
    ///
    /// - Parameter explains: Whether a second try may find out if the server refuses us
    ///   (`cannotOpen`) or is only not there (`unavailable`, `busy`).
    init(words: [String: String], explains: Bool) throws(PostgresFailure) {
        let entries = words.sorted { $0.key < $1.key }
        let keywords = entries.map { strdup($0.key) }
        let values = entries.map { strdup($0.value) }
        defer { for text in keywords + values { free(text) } }
        let opened = (keywords.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer {
            keywords in
            (values.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { values in
                PQconnectdbParams(keywords.baseAddress, values.baseAddress, 0)
            }
        }
        guard let opened else {
            throw .lost("there is no memory for a connection")
        }
        pointer = opened
        warnings = .allocate(capacity: 1)
        warnings.initialize(to: 0)
        counterfoil_postgres_count_warnings(opened, warnings)
        if PQstatus(opened) != CONNECTION_OK {
            let reason = "no connection to the database: \(lastWords)"
            let code = explains ? codeOfSecondTry() : .unavailable
            guard PQstatus(opened) == CONNECTION_OK else {
                throw PostgresFailure(.reconnect, DatabaseError(code, reason))
            }
        }
        // From here on the words name no values, which the server's own messages do.
        PQsetErrorVerbosity(opened, PQERRORS_SQLSTATE)
        guard PQenterPipelineMode(opened) == 1 else { throw lost }
    }

    deinit {
        PQfinish(pointer)
        warnings.deallocate()
    }

    /// Tries once more to connect, with the states in the library's words: it offers them nowhere
    /// else while there is no connection.
    private func codeOfSecondTry() -> DatabaseError.Code {
        PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
        PQreset(pointer)
        if PQconnectionNeedsPassword(pointer) == 1 { return .cannotOpen }
        return PostgresFailure.codeOfRefusal(lastWords)
    }

    /// What the library says of its last failure, in one line; it never holds a password.
    private var lastWords: String {
        let words = PQerrorMessage(pointer).map { String(cString: $0) } ?? ""
        return words.split(separator: "\n").map { $0.drop { $0 == "\t" || $0 == " " } }
            .joined(separator: "; ")
    }

    private var lost: PostgresFailure { .lost(lastWords) }

    /// Whether a warning came since this was called last.
    func takeWarning() -> Bool {
        defer { warnings.pointee = 0 }
        return warnings.pointee > 0
    }

    // MARK: Sending

    /// Sends a statement without parameters that runs once.
    func send(_ text: String) throws(PostgresFailure) {
        guard PQsendQueryParams(pointer, text, 0, nil, nil, nil, nil, 1) == 1 else { throw lost }
    }

    func sendPreparation(
        of text: String, as name: String, types: [UInt32]
    ) throws(PostgresFailure) {
        guard PQsendPrepare(pointer, name, text, Int32(types.count), types) == 1 else { throw lost }
    }

    /// Sends a run of a prepared statement; values and results go in binary form.
    func sendRun(of name: String, _ values: [DatabaseValue]) throws(PostgresFailure) {
        var buffer: [UInt8] = []
        var ends: [Int] = []
        ends.reserveCapacity(values.count)
        for value in values {
            BinaryValue.append(value, to: &buffer)
            ends.append(buffer.count)
        }
        // An empty value needs an address too, which NULL has not.
        buffer.append(0)
        let formats = [Int32](repeating: 1, count: values.count)
        let status = buffer.withUnsafeBytes { bytes in
            let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress
            var addresses: [UnsafePointer<CChar>?] = []
            var lengths: [Int32] = []
            addresses.reserveCapacity(values.count)
            lengths.reserveCapacity(values.count)
            var begin = 0
            for (value, end) in zip(values, ends) {
                addresses.append(value == .null ? nil : start.map { $0 + begin })
                lengths.append(Int32(clamping: end - begin))
                begin = end
            }
            return PQsendQueryPrepared(
                pointer, name, Int32(values.count), addresses, lengths, formats, 1)
        }
        guard status == 1 else { throw lost }
    }

    /// Ends a round trip's commands and pushes them out.
    func sendSync() throws(PostgresFailure) {
        guard PQpipelineSync(pointer) == 1 else { throw lost }
    }

    // MARK: Receiving

    /// Reads all that the server has to say to the next command.
    ///
    /// - Throws: When the connection cannot be used any more: it is lost, or there are rows without
    ///   end on it. What the server refused is in the result.
    func result(of sql: String, wantsRows: Bool) throws(PostgresFailure) -> CommandResult {
        // Row by row, so that a result without an end is noticed before it fills the memory.
        if wantsRows { PQsetSingleRowMode(pointer) }
        var command = CommandResult()
        var columns: ColumnNames?
        while let result = try nextResult() {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK:
                readEnd(of: result, into: &command)
            case PGRES_TUPLES_OK:
                if wantsRows { try readRows(of: result, into: &command, &columns, sql) }
                readEnd(of: result, into: &command)
            case PGRES_SINGLE_TUPLE:
                try readRows(of: result, into: &command, &columns, sql)
            case PGRES_PIPELINE_ABORTED:
                command.wasSkipped = true
            case PGRES_EMPTY_QUERY:
                command.failure = PostgresFailure(
                    .none, DatabaseError(.statement, "a statement is empty", details: sql))
            default:
                command.failure = try failure(of: result, sql)
            }
        }
        return command
    }

    /// Reads the end of a round trip.
    func readSync() throws(PostgresFailure) {
        guard let result = try nextResult() else { throw .lost("a round trip has no end") }
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_PIPELINE_SYNC else {
            throw .lost("a round trip has no end: \(lastWords)")
        }
    }

    private func nextResult() throws(PostgresFailure) -> OpaquePointer? {
        while PQisBusy(pointer) == 1 {
            var descriptor = pollfd(fd: PQsocket(pointer), events: Int16(POLLIN), revents: 0)
            let ready = poll(&descriptor, 1, isPatient ? -1 : PostgresLimits.silenceMilliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw .lost("the database server says nothing") }
            guard PQconsumeInput(pointer) == 1 else { throw lost }
        }
        return PQgetResult(pointer)
    }

    private func readEnd(of result: OpaquePointer, into command: inout CommandResult) {
        command.tag = PQcmdStatus(result).map { String(cString: $0) } ?? ""
        command.rowCount = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// - Throws: Only when the connection is gone; it is unusable after a fatal error of the server.
    private func failure(
        of result: OpaquePointer, _ sql: String
    ) throws(PostgresFailure) -> PostgresFailure {
        guard let state = counterfoil_postgres_sqlstate(result) else { throw lost }
        let failure = PostgresFailure(
            state: String(cString: state),
            message: counterfoil_postgres_primary_message(result).map { String(cString: $0) },
            table: counterfoil_postgres_table(result).map { String(cString: $0) },
            constraint: counterfoil_postgres_constraint(result).map { String(cString: $0) },
            sql: sql)
        if case .reconnect = failure.remedy { throw failure }
        return failure
    }

    private func readRows(
        of result: OpaquePointer, into command: inout CommandResult, _ columns: inout ColumnNames?,
        _ sql: String
    ) throws(PostgresFailure) {
        let columnCount = PQnfields(result)
        let names = columns ?? columnNames(of: result)
        columns = names
        for row in 0..<PQntuples(result) {
            guard command.rows.count < DatabaseLimits.rowsPerQuery else {
                throw PostgresFailure(
                    .none,
                    DatabaseError(
                        .tooLarge, "a result has more than \(DatabaseLimits.rowsPerQuery) rows",
                        details: sql))
            }
            var values: [DatabaseValue] = []
            values.reserveCapacity(Int(columnCount))
            for column in 0..<columnCount {
                guard let value = value(of: result, row, column) else {
                    if command.failure == nil { command.failure = unreadable(sql) }
                    return
                }
                values.append(value)
            }
            command.rows.append(Row(columns: names, values: values))
        }
    }

    private func columnNames(of result: OpaquePointer) -> ColumnNames {
        ColumnNames(
            (0..<PQnfields(result)).map { PQfname(result, $0).map { String(cString: $0) } ?? "" })
    }

    private func value(
        of result: OpaquePointer, _ row: Int32, _ column: Int32
    ) -> DatabaseValue? {
        guard PQgetisnull(result, row, column) == 0 else { return .null }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
        return BinaryValue.value(bytes, type: PQftype(result, column))
    }

    private func unreadable(_ sql: String) -> PostgresFailure {
        PostgresFailure(
            .none,
            DatabaseError(
                .unexpectedValue, "a column holds a fraction or a type that nothing of ours has",
                details: sql))
    }
}
