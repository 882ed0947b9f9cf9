// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase

/// A database that says of itself that several transactions write at the same time, so that events are
/// numbered after the commit.
struct ManyWriterDatabase: Database {
    let base: any Database

    var dialect: Dialect { base.dialect }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await base.write { try body(ManyWriterTransaction(base: $0)) }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(body)
    }

    func close() async {
        await base.close()
    }
}

private final class ManyWriterTransaction: WriteTransaction {
    private let base: any WriteTransaction

    init(base: any WriteTransaction) {
        self.base = base
    }

    var hasSingleWriter: Bool { false }

    func liftTimeLimit() throws(DatabaseError) {
        try base.liftTimeLimit()
    }

    func currentTime() throws(DatabaseError) -> Instant {
        try base.currentTime()
    }

    func unlockedRows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row] {
        try base.unlockedRows(sql, parameters)
    }

    func rows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row] {
        try base.rows(sql, parameters)
    }

    func execute(
        _ sql: SQL, _ parameters: [DatabaseValue], expecting expected: ExpectedRows
    ) throws(DatabaseError) {
        try base.execute(sql, parameters, expecting: expected)
    }

    func change(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> Int {
        try base.change(sql, parameters)
    }

    func lock(_ key: LockKey) throws(DatabaseError) {
        try base.lock(key)
    }
}
