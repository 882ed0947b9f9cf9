// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import Synchronization

/// A database that answers with what the closure returned, whatever becomes of the commit: what a
/// caller sees of one that answers before it.
struct EarlyReplies: Database {
    let database: any Database

    var dialect: Dialect { database.dialect }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        let early = Early<Result>()
        do {
            return try await database.write { transaction in
                let result = try body(transaction)
                early.result.withLock { $0 = result }
                return result
            }
        } catch {
            guard let result = early.result.withLock({ $0 }) else { throw error }
            return result
        }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await database.read(body)
    }

    func close() async {
        await database.close()
    }

    private final class Early<Result: Sendable>: Sendable {
        let result = Mutex<Result?>(nil)
    }
}
