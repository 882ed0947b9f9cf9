// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilTestSupport
import Synchronization
import Testing

@Suite struct TransactionsAreWholeOrNothing {
    @Test(
        "A closure that throws leaves no trace and its error comes out", arguments: Engine.allCases)
    func throwing(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            await #expect(throws: Refusal()) {
                try await database.write { transaction in
                    try transaction.execute(insertCounter, [.value("a"), .value(0), .value(0)])
                    throw Refusal()
                }
            }
            #expect(try await database.counterNames() == [])
            try await database.addCounter("b", 0, place: 0)
            #expect(try await database.counterNames() == ["b"])
        }
    }

    @Test("A failure that the closure swallows still fails the closure", arguments: Engine.allCases)
    func swallowed(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            try await database.addCounter("a", 0, place: 0)
            await expectFailure(.uniqueViolation) {
                try await database.write { transaction in
                    try transaction.execute(insertCounter, [.value("b"), .value(0), .value(1)])
                    do {
                        try transaction.execute(insertCounter, [.value("a"), .value(0), .value(2)])
                    } catch {
                        // Going on is what the contract forbids.
                    }
                }
            }
            #expect(try await database.counterNames() == ["a"])
        }
    }

    @Test("Nothing runs after the first failure", arguments: Engine.allCases)
    func poisoned(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            let codes = Mutex<[DatabaseError.Code]>([])
            await expectFailure(.statement) {
                try await database.write { transaction in
                    for statement: SQL in ["SELECT wrong", "SELECT 1"] {
                        do throws(DatabaseError) {
                            _ = try transaction.rows(statement)
                        } catch {
                            codes.withLock { $0.append(error.code) }
                        }
                    }
                }
            }
            #expect(codes.withLock { $0 }.suffix(2) == [.statement, .statement])
        }
    }

    @Test("A transaction that outlives its closure is refused", arguments: Engine.allCases)
    func escaped(engine: Engine) async throws {
        try await engine.withDatabase { database in
            let kept = Escaped()
            try await database.write { kept.keep($0) }
            await expectFailure(.statement) { try kept.use() }
        }
    }

    @Test("A reading transaction cannot write", arguments: Engine.allCases)
    func readOnly(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            await expectFailure(.readOnly) {
                _ = try await database.read { transaction in
                    try transaction.rows("DELETE FROM counters RETURNING name")
                }
            }
        }
    }

    @Test("Parallel writers each get their own result", arguments: Engine.allCases, [1, 64, 256])
    func parallelWriters(engine: Engine, writers: Int) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        let stored = try await database.write { transaction in
                            try transaction.execute(
                                insertCounter,
                                [.value("w\(writer)"), .value(writer), .value(writer)])
                            return try transaction.row(
                                "SELECT amount FROM counters WHERE name = $1",
                                [.value("w\(writer)")])?.integer(0)
                        }
                        #expect(stored == Int64(writer))
                        let seen = try await database.read { transaction in
                            try transaction.row(
                                "SELECT amount FROM counters WHERE name = $1",
                                [.value("w\(writer)")])?.integer(0)
                        }
                        #expect(seen == Int64(writer), "a read misses a write that returned")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.counterNames().count == writers)
        }
    }

    @Test("Writers that fail harm none of the others", arguments: Engine.allCases, [2, 64, 256])
    func failingWriters(engine: Engine, writers: Int) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask { try await write(writer, to: database) }
                }
                try await group.waitForAll()
            }
            let expected = (0..<writers).filter { $0 % 4 == 0 }.map { "w\($0)" }.sorted()
            #expect(try await database.counterNames() == expected)
        }
    }

    /// Every fourth writer succeeds; the others throw, break a rule, or take a key that is taken.
    private func write(_ writer: Int, to database: any Database) async throws {
        let insert: @Sendable (any WriteTransaction) throws -> Void = { transaction in
            try transaction.execute(
                insertCounter, [.value("w\(writer)"), .value(writer), .value(writer)])
        }
        switch writer % 4 {
        case 0:
            try await database.write(insert)
        case 1:
            await #expect(throws: Refusal()) {
                try await database.write { transaction in
                    try insert(transaction)
                    throw Refusal()
                }
            }
        case 2:
            await expectFailure(.constraintViolation) {
                try await database.write { transaction in
                    try insert(transaction)
                    try transaction.execute(
                        "UPDATE counters SET amount = -1 WHERE name = $1", [.value("w\(writer)")])
                }
            }
        default:
            await expectFailure(.uniqueViolation) {
                try await database.write { transaction in
                    try insert(transaction)
                    try insert(transaction)
                }
            }
        }
    }

    @Test("Increments by many are all counted", arguments: Engine.allCases)
    func increments(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            try await database.addCounter("a", 0, place: 0)
            let results = try await withThrowingTaskGroup(of: Int64?.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        try await database.write { transaction in
                            try transaction.lock(LockKey(counters, [.value("a")]))
                            return try transaction.row(
                                """
                                UPDATE counters SET amount = amount + 1 WHERE name = 'a'
                                RETURNING amount
                                """)?.integer(0)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1 ?? 0) }
            }
            #expect(results.sorted() == Array(1...200))
        }
    }

    @Test("A read sees one moment, and only what was committed", arguments: Engine.allCases)
    func snapshot(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            try await database.addCounter("a", 500, place: 0)
            try await database.addCounter("b", 500, place: 1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for step in 0..<100 {
                    group.addTask {
                        _ = try? await database.write { transaction in
                            try transaction.execute(
                                "UPDATE counters SET amount = amount - 1 WHERE name = 'a'")
                            // Half of them never happened.
                            if step % 2 == 0 { throw Refusal() }
                            try transaction.execute(
                                "UPDATE counters SET amount = amount + 1 WHERE name = 'b'")
                        }
                    }
                    group.addTask {
                        let sum = try await database.read { transaction in
                            let select: SQL = "SELECT amount FROM counters WHERE name = $1"
                            let first = try transaction.row(select, [.value("a")])?.integer(0)
                            let second = try transaction.row(select, [.value("b")])?.integer(0)
                            return (first ?? 0) + (second ?? 0)
                        }
                        #expect(sum == 1000)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

/// Lets a transaction out of its closure, as no code of ours may.
///
/// `@unchecked Sendable`: it is filled before the write returns and used after.
private final class Escaped: @unchecked Sendable {
    private var transaction: (any WriteTransaction)?

    func keep(_ transaction: any WriteTransaction) {
        self.transaction = transaction
    }

    func use() throws {
        _ = try transaction?.rows("SELECT 1")
    }
}
