// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import Synchronization

/// Lets a test interfere before each write of one server, in that server's own task.
final class WatchedDatabase: Database {
    typealias Watch = @Sendable (_ number: Int) throws -> Void

    private let base: any Database
    private let state = Mutex<(writes: Int, watch: Watch)>((0, { _ in }))

    init(_ base: any Database) {
        self.base = base
    }

    var dialect: Dialect { base.dialect }

    /// Writes since then, or since the beginning.
    var writeCount: Int { state.withLock { $0.writes } }

    /// Counts writes from here on; one for which the watch throws does not happen.
    func beforeEachWrite(_ watch: @escaping Watch) {
        state.withLock { $0 = (0, watch) }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        let (number, watch) = state.withLock { state in
            state.writes += 1
            return state
        }
        try watch(number)
        return try await base.write(body)
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(body)
    }

    /// The base is another's.
    func close() async {}
}
