// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

extension PendingCall {
    /// Runs the closure once on the open transaction of the connection.
    ///
    /// - Throws: What the closure throws, or the failure of a statement even if the closure
    ///   swallowed it.
    func run(on connection: SQLiteConnection) throws -> Reply {
        let transaction = SQLiteTransaction(connection)
        defer { transaction.end() }
        let reply = try run(in: transaction)
        if let failure = transaction.failure { throw failure }
        return reply
    }
}
