// SPDX-License-Identifier: Apache-2.0
package import CounterfoilDatabase
import Synchronization

/// The default engine: one file, a write-ahead log, one sync for all the writes that wait together.
package final class SQLiteDatabase: Database {
    private let writes: any Lane
    private let reads: any Lane
    private let keeper: LogKeeper
    private let claim: Mutex<ServerClaim?>

    package var dialect: Dialect { .sqlite }

    /// Opens the file, or makes it with mode 0600; its folder must exist.
    ///
    /// - Throws: ``DatabaseError`` with `cannotOpen`, `readOnly`, `corrupt` or `busy`; the last also if
    ///   this is a second server.
    package init(path: String, options: SQLiteOptions = SQLiteOptions()) throws(DatabaseError) {
        let file = SQLiteFile(path: path, options: options)
        claim = Mutex(options.isServer ? try ServerClaim(file) : nil)
        let turns = WriterTurns()
        let (readerCount, hasThreads) =
            switch options.scheduling {
            case .threads(let count): (count, true)
            case .inline: (1, false)
            }
        precondition(readerCount > 0, "somebody must read")
        let patience = (0..<readerCount).map { _ in Patience() }
        let checkpointer = Checkpointer(file: file, turns: turns, readers: patience)
        let batchWriter = try BatchWriter(file)
        keeper = try LogKeeper(checkpointer, hasThread: hasThreads)
        batchWriter.share(turns, with: keeper)
        let writer = ConfinedRunner(batchWriter)
        let readers = patience.map { ConfinedRunner(SnapshotReader(file, patience: $0)) }
        if hasThreads {
            writes = try ThreadLane(
                runners: [writer], waiting: SQLiteLimits.waitingWrites,
                together: SQLiteLimits.closuresPerCommit)
            reads = try ThreadLane(
                runners: readers, waiting: SQLiteLimits.waitingReads, together: 1)
        } else {
            writes = InlineLane(runner: writer)
            reads = InlineLane(runner: readers[0])
        }
    }

    deinit {
        keeper.abandon()
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
        await keeper.close()
        claim.withLock { $0 = nil }
    }
}
