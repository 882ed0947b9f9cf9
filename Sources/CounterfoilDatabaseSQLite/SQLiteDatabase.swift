// SPDX-License-Identifier: Apache-2.0
package import CounterfoilDatabase

/// The default engine: one file, a write-ahead log, one sync for all the writes that wait together.
package final class SQLiteDatabase: Database {
    private let writes: any Lane
    private let reads: any Lane

    package var dialect: Dialect { .sqlite }

    /// Opens the file, or makes it with mode 0600; its folder must exist.
    ///
    /// - Throws: ``DatabaseError`` with `cannotOpen`, `readOnly`, `corrupt` or `busy`.
    package init(path: String, options: SQLiteOptions = SQLiteOptions()) throws(DatabaseError) {
        let writer = ConfinedRunner(try BatchWriter(path: path, clock: options.clock))
        switch options.scheduling {
        case .threads(let count):
            precondition(count > 0, "somebody must read")
            let readers = (0..<count).map { _ in ConfinedRunner(SnapshotReader(path: path)) }
            writes = try ThreadLane(
                runners: [writer], waiting: SQLiteLimits.waitingWrites,
                together: SQLiteLimits.closuresPerCommit)
            reads = try ThreadLane(
                runners: readers, waiting: SQLiteLimits.waitingReads, together: 1)
        case .inline:
            writes = InlineLane(runner: writer)
            reads = InlineLane(runner: ConfinedRunner(SnapshotReader(path: path)))
        }
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            writes.submit(PendingCall(continuation) { try body($0) })
        }
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            reads.submit(PendingCall(continuation) { try body($0) })
        }
    }

    package func close() async {
        await reads.close()
        await writes.close()
    }
}
