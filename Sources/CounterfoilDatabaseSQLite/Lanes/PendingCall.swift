// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// A closure that waits for its turn, and the caller who waits for its answer.
struct PendingCall: Sendable {
    /// Hands the closure's result to the caller; it is called after the commit.
    typealias Reply = @Sendable () -> Void

    private let body: @Sendable (SQLiteTransaction) throws -> Reply
    let fail: @Sendable (any Error) -> Void

    init<Value: Sendable>(
        _ continuation: CheckedContinuation<Value, any Error>,
        _ body: @escaping @Sendable (SQLiteTransaction) throws -> Value
    ) {
        self.body = { transaction in
            let value = try body(transaction)
            return { continuation.resume(returning: value) }
        }
        fail = { continuation.resume(throwing: $0) }
    }

    /// Runs the closure once on the open transaction of the connection.
    ///
    /// - Throws: What the closure throws, or the failure of a statement even if the closure
    ///   swallowed it.
    func run(on connection: SQLiteConnection) throws -> Reply {
        let transaction = SQLiteTransaction(connection)
        defer { transaction.end() }
        let reply = try body(transaction)
        if let failure = transaction.failure { throw failure }
        return reply
    }
}
