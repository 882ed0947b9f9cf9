// SPDX-License-Identifier: Apache-2.0
package import CounterfoilDatabase

/// The engine for several servers on one database: connections of libpq, each owned by a thread.
package final class PostgresDatabase: Database {
    private let writes: any Lane
    private let reads: any Lane

    package var dialect: Dialect { .postgres }

    /// Opens a first connection and checks the server; the others are opened when they are needed.
    ///
    /// Blocks until the server has answered, for the connect time-out at most, or longer if the
    /// options say to wait for it.
    ///
    /// - Parameter address: A `postgres://` URI, or libpq's `key=value` words.
    /// - Throws: ``DatabaseError`` with `cannotOpen` (refused, too old, not durable), `unavailable`
    ///   (nobody answers, or it is starting), `readOnly` (a standby) or `busy` (too many
    ///   connections).
    package init(address: String, options: PostgresOptions) throws(DatabaseError) {
        let source = try ConnectionSource(address: address, options: options)
        let first = try Self.firstConnection(from: source, options)
        let writer = TransactionRunner(.write, source, options, connection: first)
        switch options.scheduling {
        case .threads(let count):
            precondition(count > 0, "somebody must write")
            let others = (1..<count).map { _ in
                ConfinedRunner(TransactionRunner(.write, source, options))
            }
            let readers = (0..<max(1, count / PostgresLimits.writersPerReader)).map { _ in
                ConfinedRunner(TransactionRunner(.read, source, options))
            }
            writes = try ThreadLane(
                runners: [ConfinedRunner(writer)] + others,
                waiting: PostgresLimits.waitingCalls, together: 1)
            reads = try ThreadLane(
                runners: readers, waiting: PostgresLimits.waitingCalls, together: 1)
        case .inline:
            writes = InlineLane(runner: ConfinedRunner(writer))
            reads = InlineLane(runner: ConfinedRunner(TransactionRunner(.read, source, options)))
        }
    }

    private static func firstConnection(
        from source: ConnectionSource, _ options: PostgresOptions
    ) throws(DatabaseError) -> sending PostgresConnection {
        var pauses = Pauses(
            random: options.random,
            firstMilliseconds: PostgresLimits.firstStartPauseMilliseconds,
            longestMilliseconds: PostgresLimits.longestStartPauseMilliseconds)
        var tries = 1
        while true {
            do throws(PostgresFailure) {
                return try source.open(explains: true)
            } catch {
                let mayPass = [.unavailable, .busy, .readOnly].contains(error.error.code)
                guard mayPass, tries < PostgresLimits.startTries,
                    options.waitsForServer?(error.error) == true
                else { throw error.error }
            }
            tries += 1
            pauses.pause()
        }
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            writes.submit(PendingCall(continuation, body))
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
