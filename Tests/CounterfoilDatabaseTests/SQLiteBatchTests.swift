// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilTestSupport
import Foundation
import Synchronization
import Testing

@testable import CounterfoilDatabaseSQLite

/// What happens to closures that share one commit; the batch is put together by hand here.
@Suite struct ClosuresShareACommit {
    private typealias Body = @Sendable (any WriteTransaction) throws -> Void

    @Test("A batch without a failure runs once")
    func succeeding() async throws {
        let batch = try await Batch()
        let outcomes = await batch.run([insert(0), insert(1), insert(2)])
        #expect(outcomes.map(\.code) == [nil, nil, nil])
        #expect(outcomes.map(\.runs) == [1, 1, 1])
        #expect(try await batch.names() == ["w0", "w1", "w2"])
    }

    @Test("A closure that fails takes nothing of the others with it")
    func failing() async throws {
        let batch = try await Batch()
        let outcomes = await batch.run([
            insert(0),
            { _ in throw Refusal() },
            insert(0),
            insert(1),
        ])
        #expect(outcomes.map(\.code) == [nil, nil, .uniqueViolation, nil])
        #expect(
            outcomes.map(\.runs) == [2, 2, 1, 1], "again in savepoints after the first failure")
        #expect(outcomes[1].error is Refusal)
        #expect(try await batch.names() == ["w0", "w1"])
    }

    @Test("A lost transaction is run again closure by closure, and only the guilty one fails")
    func lost() async throws {
        let batch = try await Batch()
        let outcomes = await batch.run([
            insert(0),
            { transaction in
                try transaction.execute(insertCounter, [.value("lost"), .value(0), .value(9)])
                // What a full disk or a failed read does to the whole transaction.
                try transaction.execute("ROLLBACK")
            },
            insert(2),
        ])
        #expect(outcomes.map(\.code) == [nil, .unavailable, nil])
        #expect(outcomes.map(\.runs) == [3, 3, 1])
        #expect(try await batch.names() == ["w0", "w2"])
    }

    @Test("A failed commit fails every caller and the next batch starts afresh")
    func failedCommit() async throws {
        let batch = try await Batch()
        let outcomes = await batch.run([
            insert(0),
            { transaction in
                try transaction.execute("PRAGMA defer_foreign_keys = ON")
                try transaction.execute("INSERT INTO children (name) VALUES ('orphan')")
            },
        ])
        #expect(outcomes.map(\.code) == [.unavailable, .unavailable])
        #expect(outcomes.map(\.runs) == [1, 1])
        #expect(try await batch.names() == [])

        let later = await batch.run([insert(0), insert(1)])
        #expect(later.map(\.code) == [nil, nil])
        #expect(try await batch.names() == ["w0", "w1"])
    }

    @Test("A database that cannot be opened again is tried by every call until it can")
    func reopened() async throws {
        let batch = try await Batch()
        try batch.hideFile()
        let failed = await batch.run([
            { transaction in
                try transaction.execute("PRAGMA defer_foreign_keys = ON")
                try transaction.execute("INSERT INTO children (name) VALUES ('orphan')")
            }
        ])
        #expect(failed.map(\.code) == [.unavailable])
        #expect(await batch.run([insert(0)]).map(\.code) == [.unavailable])
        #expect(
            await batch.run([insert(0), insert(1)]).map(\.code) == [.unavailable, .unavailable])
        try batch.showFile()
        #expect(await batch.run([insert(0)]).map(\.code) == [nil])
        #expect(try await batch.names() == ["w0"])
    }

    private func insert(_ number: Int) -> Body {
        { transaction in
            try transaction.execute(
                insertCounter, [.value("w\(number)"), .value(0), .value(number)])
        }
    }
}

/// What one closure of a batch came to.
private struct Outcome: Sendable {
    let error: (any Error)?
    let runs: Int

    var code: DatabaseError.Code? { (error as? DatabaseError)?.code }
}

/// Calls that wait until the last of them is there.
private final class Gathering: Sendable {
    private struct State {
        var calls: [PendingCall?]
        var runs: [Int]
    }

    private let state: Mutex<State>

    init(size: Int) {
        state = Mutex(
            State(
                calls: Array(repeating: nil, count: size), runs: Array(repeating: 0, count: size)))
    }

    /// Adds a call; the last one gets all of them back.
    func add(_ call: PendingCall, at index: Int) -> [PendingCall]? {
        state.withLock { state in
            state.calls[index] = call
            let calls = state.calls.compactMap(\.self)
            return calls.count == state.calls.count ? calls : nil
        }
    }

    func countRun(of index: Int) {
        state.withLock { $0.runs[index] += 1 }
    }

    func runs(of index: Int) -> Int {
        state.withLock { $0.runs[index] }
    }
}

/// A writer whose batches a test puts together.
private final class Batch: Sendable {
    private let folder = TemporaryFolder()
    private let writer: ConfinedRunner

    init() async throws {
        let path = folder.file("books.db")
        let database = try SQLiteDatabase(path: path)
        let children = Table(
            "children", columns: [.text("name", maximum: 64)], primaryKey: ["name"],
            foreignKeys: [.init(["name"], references: "counters", ["name"])])
        try await database.migrate(
            [Migration(1, "tables", [.createTable(counters), .createTable(children)])],
            at: testTime)
        await database.close()
        writer = ConfinedRunner(try BatchWriter(SQLiteFile(path: path)))
    }

    /// Runs the bodies as one batch, in their order.
    func run(
        _ bodies: [@Sendable (any WriteTransaction) throws -> Void]
    ) async -> [Outcome] {
        let gathering = Gathering(size: bodies.count)
        return await withTaskGroup(of: (Int, (any Error)?).self) { group in
            for (index, body) in bodies.enumerated() {
                group.addTask { [writer] in
                    do {
                        try await withCheckedThrowingContinuation { continuation in
                            let call = PendingCall(continuation) { transaction in
                                gathering.countRun(of: index)
                                try body(transaction)
                            }
                            if let batch = gathering.add(call, at: index) { writer.run(batch) }
                        }
                        return (index, nil)
                    } catch {
                        return (index, error)
                    }
                }
            }
            var errors = [(any Error)?](repeating: nil, count: bodies.count)
            for await (index, error) in group { errors[index] = error }
            return errors.enumerated().map { index, error in
                Outcome(error: error, runs: gathering.runs(of: index))
            }
        }
    }

    /// Puts a folder where the database was.
    func hideFile() throws {
        try FileManager.default.moveItem(
            atPath: folder.file("books.db"), toPath: folder.file("hidden.db"))
        try FileManager.default.createDirectory(
            atPath: folder.file("books.db"), withIntermediateDirectories: false)
    }

    func showFile() throws {
        try FileManager.default.removeItem(atPath: folder.file("books.db"))
        try FileManager.default.moveItem(
            atPath: folder.file("hidden.db"), toPath: folder.file("books.db"))
    }

    func names() async throws -> [String] {
        let database = try SQLiteDatabase(path: folder.file("books.db"))
        let names = try await database.counterNames()
        await database.close()
        return names
    }
}
