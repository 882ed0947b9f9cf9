// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilDatabaseSQLite
import FaultyFiles

/// The server's way to the books, with everything that a database may do to its callers: others come
/// in between, a closure runs twice, a call fails, an outcome stays unknown, the process dies inside.
///
/// `@unchecked Sendable`: used on the scheduler's thread alone, as ``Scheduler`` proves.
final class SimulatedDatabase: Database, @unchecked Sendable {

    /// nil once it is closed: abandoned tasks keep what they hold for ever, and a machine is large.
    private var machine: Machine?
    private let books: SQLiteDatabase
    private let process: SimulatedProcess
    private let faults: Faults
    private let hasSingleWriter: Bool

    /// - Parameter hasSingleWriter: Whether the engine shall believe that commits come in the order of
    ///   their transactions, as on SQLite.
    init(
        on machine: Machine, process: SimulatedProcess, clock: SimulatedClock, faults: Faults,
        hasSingleWriter: Bool
    ) throws {
        self.machine = machine
        books = try SQLiteDatabase(path: Machine.books, options: machine.options(clock))
        self.process = process
        self.faults = faults
        self.hasSingleWriter = hasSingleWriter
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
        let discipline = LockDiscipline()
        if case .disk(let operation, let kind) = fault { machine?.fail(at: operation, with: kind) }
        do {
            let result = try await books.write { transaction in
                try body(CountingTransaction(transaction, end, discipline, hasSingleWriter))
            }
            await look(after: fault, discipline)
            if fault.isCrash { await die() }
            if fault != .outcomeUnknown {
                await process.pause()
                return result
            }
        } catch {
            await look(after: fault, discipline)
            if fault.isCrash, end.isReached { await die() }
            throw error
        }
        throw DatabaseError(.unavailable, "simulated: the outcome is unknown")
    }

    /// Takes note of what a transaction may have changed; nobody survives the end of the machine.
    private func look(after fault: Fault, _ discipline: LockDiscipline) async {
        machine?.isChanged = true
        machine?.complaints += discipline.findings
        if case .disk = fault { machine?.endFault() }
        if machine?.isDown == true { await die() }
    }

    /// As after a lost lock or a fail-over: the body runs, and nothing of it stays.
    private func runForNothing<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws {
        let hasSingleWriter = hasSingleWriter
        do {
            try await books.write { transaction in
                _ = try body(
                    CountingTransaction(
                        transaction, StatementCount(nil), LockDiscipline(), hasSingleWriter))
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
        machine = nil
        await books.close()
    }
}
