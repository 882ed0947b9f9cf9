// SPDX-License-Identifier: Apache-2.0

/// A closure that waits for its turn, and the caller who waits for its answer.
package struct PendingCall: Sendable {
    /// Hands the closure's result to the caller; it is called after the commit.
    package typealias Reply = @Sendable () -> Void

    private let body: @Sendable (any WriteTransaction) throws -> Reply

    /// Hands an error to the caller instead.
    package let fail: @Sendable (any Error) -> Void

    package init<Value: Sendable>(
        _ continuation: CheckedContinuation<Value, any Error>,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) {
        self.body = { transaction in
            let value = try body(transaction)
            return { continuation.resume(returning: value) }
        }
        fail = { continuation.resume(throwing: $0) }
    }

    /// Runs the closure once; an engine may do so several times before it answers.
    package func run(in transaction: any WriteTransaction) throws -> Reply {
        try body(transaction)
    }
}
