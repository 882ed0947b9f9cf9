// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilDatabaseSQLite

/// The server's way to the books, with everything that a database may do to its callers: others come
/// in between, a closure runs twice, a call fails, an outcome stays unknown, the process dies inside.
///
/// `@unchecked Sendable`: used on the scheduler's thread alone, as ``Scheduler`` proves.
final class SimulatedDatabase: Database, @unchecked Sendable {
    private let books: SQLiteDatabase
    private let process: SimulatedProcess
    private let faults: Faults
    private let hasSingleWriter: Bool

    /// Told after each commit.
    private let committed: () -> Void

    /// - Parameter hasSingleWriter: Whether the engine shall believe that commits come in the order of
    ///   their transactions, as on SQLite.
    init(
        path: String, process: SimulatedProcess, clock: SimulatedClock, faults: Faults,
        hasSingleWriter: Bool, committed: @escaping () -> Void
    ) throws {
        books = try SQLiteDatabase(
            path: path, options: SQLiteOptions(scheduling: .inline, clock: clock))
        self.process = process
        self.faults = faults
        self.hasSingleWriter = hasSingleWriter
        self.committed = committed
    }

    var dialect: Dialect { books.dialect }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        await process.pause()
        let fault = faults.next()
        if fault == .refused { throw DatabaseError(.busy, "simulated: too much waits") }
        if fault == .runsTwice { try await runForNothing(body) }
        let end = StatementCount(fault.statements)
        let hasSingleWriter = hasSingleWriter
        do {
            let result = try await books.write { transaction in
                try body(CountingTransaction(transaction, end, hasSingleWriter))
            }
            committed()
            if fault == .outcomeUnknown {
                throw DatabaseError(.unavailable, "simulated: the outcome is unknown")
            }
            if fault.isCrash { await die() }
            await process.pause()
            return result
        } catch {
            if fault.isCrash, end.isReached { await die() }
            throw error
        }
    }

    /// As after a lost lock or a fail-over: the body runs, and nothing of it stays.
    private func runForNothing<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws {
        let hasSingleWriter = hasSingleWriter
        do {
            try await books.write { transaction in
                _ = try body(
                    CountingTransaction(transaction, StatementCount(nil), hasSingleWriter))
                throw Undone()
            }
        } catch is Undone {}
    }

    private struct Undone: Error {}

    private func die() async {
        process.crash()
        await process.endOfLife()
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        await process.pause()
        return try await books.read(body)
    }

    func close() async {
        await books.close()
    }
}
