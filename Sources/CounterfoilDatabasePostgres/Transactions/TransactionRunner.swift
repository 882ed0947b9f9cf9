// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// Runs closures on a connection of its own, each in a transaction, and again when others were
/// first or the connection was lost.
final class TransactionRunner: CallRunner {
    enum Kind {
        case write, read
    }

    private let kind: Kind
    private let source: ConnectionSource
    private let options: PostgresOptions
    private var connection: PostgresConnection?

    init(
        _ kind: Kind, _ source: ConnectionSource, _ options: PostgresOptions,
        connection: sending PostgresConnection? = nil
    ) {
        self.kind = kind
        self.source = source
        self.options = options
        self.connection = connection
    }

    func run(_ calls: [PendingCall]) {
        for call in calls { run(call) }
    }

    func close() {
        connection = nil
    }

    private func run(_ call: PendingCall) {
        var tries = Tries(random: options.random)
        while true {
            do {
                return try attempt(call)
            } catch let failure as PostgresFailure {
                guard tries.again(after: failure) else { return call.fail(failure.error) }
            } catch {
                return call.fail(error)
            }
        }
    }

    /// Runs the call once and answers it.
    ///
    /// - Throws: What the closure threw, or ``PostgresFailure``; then nothing was kept, and nobody
    ///   answered.
    private func attempt(_ call: PendingCall) throws {
        let connection = try connected()
        do {
            let reply = try run(call, on: connection)
            switch (kind, options.isolation) {
            // What a serializable transaction read is not valid before it has committed.
            case (.write, _), (.read, .serializable): try commit(connection, reply)
            case (.read, .readCommitted):
                reply()
                endSnapshot(of: connection)
            }
        } catch {
            connection.rollBack()
            giveUpIfBroken(connection)
            throw error
        }
    }

    /// Runs the closure; afterwards it can do nothing more, even if it kept the transaction.
    private func run(
        _ call: PendingCall, on connection: PostgresConnection
    ) throws -> PendingCall.Reply {
        let transaction = PostgresTransaction(connection, mode: mode, clock: options.clock)
        defer { transaction.end() }
        do {
            let reply = try call.run(in: transaction)
            if let failure = transaction.failure { throw failure }
            return reply
        } catch {
            // A failed statement decides, whatever the closure made of it.
            throw transaction.failure ?? error
        }
    }

    private var mode: String {
        switch (kind, options.isolation) {
        case (.write, .readCommitted): "READ COMMITTED READ WRITE"
        case (.write, .serializable): "SERIALIZABLE READ WRITE"
        case (.read, .readCommitted): "REPEATABLE READ READ ONLY"
        case (.read, .serializable): "SERIALIZABLE READ ONLY"
        }
    }

    // MARK: Connections

    private func connected() throws(PostgresFailure) -> PostgresConnection {
        if let connection { return connection }
        do {
            let opened = try source.open()
            connection = opened
            return opened
        } catch {
            // At the start this ends the program; from then on it may pass.
            throw PostgresFailure(
                error.remedy,
                DatabaseError(
                    error.error.code == .busy ? .busy : .unavailable,
                    "the database could not be opened again", details: error.error.debugDescription
                ))
        }
    }

    private func giveUpIfBroken(_ connection: PostgresConnection) {
        if !connection.isUsable { self.connection = nil }
    }

    // MARK: Ends

    /// The caller has its answer; only the connection matters now.
    private func endSnapshot(of connection: PostgresConnection) {
        connection.rollBack()
        giveUpIfBroken(connection)
    }

    private func commit(
        _ connection: PostgresConnection, _ reply: PendingCall.Reply
    ) throws(PostgresFailure) {
        guard connection.isInTransaction else { return reply() }
        try connection.flush()
        do {
            try connection.commit()
        } catch {
            // What wrote nothing runs again without harm.
            guard !connection.isUsable, connection.hasWritten else { throw error }
            // Nobody can say whether it happened. The server's own word on the transaction's number
            // is worth nothing: after a crash it gives numbers again that were not on its disk yet.
            throw PostgresFailure(
                .none,
                DatabaseError(
                    .unavailable, "it is not known whether a commit was kept",
                    details: error.error.debugDescription))
        }
        reply()
    }
}
