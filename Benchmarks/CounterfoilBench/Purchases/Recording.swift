// SPDX-License-Identifier: Apache-2.0
import CYardsticks
import CounterfoilCore
import CounterfoilDatabase
import Synchronization

/// Every statement that pieces of work ran, with its parameters, in the form that the C loop takes.
struct Recording: Sendable {
    struct Statement: Hashable, Sendable {
        let text: String

        /// Whether it ran on a connection that only reads.
        let reads: Bool
    }

    private(set) var statements: [Statement] = []
    private(set) var calls: [counterfoil_call] = []
    private(set) var values: [counterfoil_value] = []
    private(set) var bytes: [UInt8] = []
    private(set) var callsOfPiece: [Int32] = []
    private var indices: [Statement: Int32] = [:]

    /// Calls from here on belong to the next piece of work.
    mutating func beginPiece() {
        callsOfPiece.append(0)
    }

    /// Before the first piece begins, nothing is recorded.
    mutating func append(_ statement: Statement, _ parameters: [DatabaseValue]) {
        guard let piece = callsOfPiece.indices.last else { return }
        callsOfPiece[piece] += 1
        let index = indices[statement] ?? Int32(statements.count)
        if indices.updateValue(index, forKey: statement) == nil { statements.append(statement) }
        calls.append(
            counterfoil_call(statement: index, value_count: Int32(parameters.count)))
        for parameter in parameters { append(parameter) }
    }

    private mutating func append(_ parameter: DatabaseValue) {
        switch parameter {
        case .null: append(counterfoil_value_null, [])
        case .integer(let number):
            values.append(
                counterfoil_value(
                    kind: Int32(counterfoil_value_integer.rawValue), length: 0, number: number))
        case .text(let text): append(counterfoil_value_text, Array(text.utf8))
        case .bytes(let content): append(counterfoil_value_bytes, content)
        }
    }

    private mutating func append(_ kind: counterfoil_value_kind, _ content: [UInt8]) {
        values.append(
            counterfoil_value(
                kind: Int32(kind.rawValue), length: Int32(content.count),
                number: Int64(bytes.count)))
        bytes += content
    }
}

/// A database that records what is asked of another one.
final class RecordingDatabase: Database {
    private let database: any Database
    private let recording = Mutex(Recording())

    init(_ database: any Database) {
        self.database = database
    }

    var dialect: Dialect { database.dialect }

    /// What was recorded so far.
    var recorded: Recording { recording.withLock { $0 } }

    func beginPiece() {
        recording.withLock { $0.beginPiece() }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await database.write { [self] transaction in
            try body(RecordingWrite(transaction, record))
        }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await database.read { [self] transaction in
            try body(RecordingRead(transaction, record))
        }
    }

    func close() async {
        await database.close()
    }

    private func record(_ text: String, _ parameters: [DatabaseValue], reads: Bool) {
        recording.withLock { $0.append(.init(text: text, reads: reads), parameters) }
    }
}

private typealias Record = (_ text: String, _ parameters: [DatabaseValue], _ reads: Bool) -> Void

private final class RecordingRead: ReadTransaction {
    private let transaction: any ReadTransaction
    private let record: Record

    init(_ transaction: any ReadTransaction, _ record: @escaping Record) {
        self.transaction = transaction
        self.record = record
    }

    func rows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row] {
        record(sql.text, parameters, true)
        return try transaction.rows(sql, parameters)
    }

    func currentTime() throws(DatabaseError) -> Instant {
        try transaction.currentTime()
    }
}

private final class RecordingWrite: WriteTransaction {
    private let transaction: any WriteTransaction
    private let record: Record

    init(_ transaction: any WriteTransaction, _ record: @escaping Record) {
        self.transaction = transaction
        self.record = record
    }

    func rows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row] {
        record(sql.text, parameters, false)
        return try transaction.rows(sql, parameters)
    }

    func execute(
        _ sql: SQL, _ parameters: [DatabaseValue], expecting expected: ExpectedRows
    ) throws(DatabaseError) {
        record(sql.text, parameters, false)
        try transaction.execute(sql, parameters, expecting: expected)
    }

    func change(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> Int {
        record(sql.text, parameters, false)
        return try transaction.change(sql, parameters)
    }

    func lock(_ key: LockKey) throws(DatabaseError) {
        if !hasSingleWriter { record(Self.text(of: key), key.values, false) }
        try transaction.lock(key)
    }

    /// What an engine with several writers says for a lock.
    private static func text(of key: LockKey) -> String {
        let conditions = key.table.primaryKey.enumerated().map { "\($1) = $\($0 + 1)" }
        return "SELECT 1 FROM \(key.table.name) WHERE "
            + conditions.joined(separator: " AND ") + " FOR UPDATE"
    }

    var hasSingleWriter: Bool { transaction.hasSingleWriter }

    func liftTimeLimit() throws(DatabaseError) {
        try transaction.liftTimeLimit()
    }

    func currentTime() throws(DatabaseError) -> Instant {
        try transaction.currentTime()
    }

    func unlockedRows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row] {
        record(sql.text, parameters, false)
        return try transaction.unlockedRows(sql, parameters)
    }
}
