// SPDX-License-Identifier: Apache-2.0

/// Where everything is kept: one contract, several engines.
///
/// Bodies are synchronous and short: no heavy computation, no input or output of their own. They
/// may run more than once (after a lost transaction, a deadlock, a fail-over), and not on the
/// caller's thread; so they only use what they captured and return what they found. Values that
/// must not change between runs, such as fresh ids, are drawn before the call.
package protocol Database: Sendable {
    /// How this engine spells a schema.
    var dialect: Dialect { get }

    /// Runs the body in a transaction of its own and commits it.
    ///
    /// When this returns, what the body did is durable. When it throws, nothing of it is there,
    /// with one exception: after `unavailable` the commit may have happened. Whoever repeats the
    /// call therefore uses ids and keys by which the first attempt is recognised.
    /// Cancelling the calling task does not stop it.
    ///
    /// - Throws: What the body throws, or ``DatabaseError``.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result

    /// Runs the body on one consistent snapshot of what was committed; it includes every write
    /// that returned before the call.
    ///
    /// - Throws: What the body throws, or ``DatabaseError``.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result

    /// Finishes what was accepted, refuses what comes later with `closed`, and lets go of the
    /// database. Closing twice is harmless.
    func close() async
}
