// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore
import CounterfoilTestSupport
import Dispatch
import Synchronization
import Testing

/// The lock by which a sale is settled by one server at a time, whatever else they hold.
@Suite("A sale that one server has in hand")
struct ASaleInHand {
    private final class Progress: Sendable {
        let isOver = Atomic(false)
    }

    private let now = Instant(secondsSinceEpoch: 1_800_000_000)
    private let owner = UniqueID.random(SeededRandom(seed: 3))

    @Test("Another server waits for it, and sees what came of it", arguments: DatabaseEngine.shared)
    func waiting(on engine: DatabaseEngine) async throws {
        let folder = TemporaryFolder()
        let databases = [try await engine.open(in: folder), try await engine.open(in: folder)]
        try await databases[0].migrate(Schema.migrations, at: now)
        let sale = SaleRecord(
            reference: SaleReference(app: Shop.app, environment: .production, key: "t:T1"),
            type: "Consumable", productID: try ProductID("coins100"), customer: nil, revision: 0,
            createdAt: now)
        _ = try await databases[0].write { try $0.lockSale(sale) }

        let (locked, tell) = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        let second = Progress()
        let seen: [UniqueID] = try await withThrowingTaskGroup(of: UniqueID?.self) { group in
            group.addTask { [owner] in
                defer { tell.finish() }
                return try await databases[0].write { transaction in
                    _ = try transaction.lockSale(sale)
                    tell.yield()
                    mayEnd.wait()
                    try transaction.setOwner(owner, of: sale.reference)
                    return nil
                }
            }
            do {
                // Once for each time that the first may run.
                defer { for _ in 0..<100 { mayEnd.signal() } }
                for await _ in locked.prefix(1) {}
                group.addTask {
                    defer { second.isOver.store(true, ordering: .sequentiallyConsistent) }
                    return try await databases[1].write { try $0.lockSale(sale).customer }
                }
                while !second.isOver.load(ordering: .sequentiallyConsistent) {
                    if try await Self.isAwaited(in: databases[0]) { break }
                }
            }
            var owners: [UniqueID] = []
            for try await case let customer? in group { owners.append(customer) }
            return owners
        }
        #expect(seen == [owner])
        for database in databases { await database.close() }
    }

    /// Whether somebody waits for a row of this test's tables.
    private static func isAwaited(in database: any Database) async throws -> Bool {
        let count = try await database.read { transaction in
            try transaction.row(
                """
                SELECT COUNT(*) FROM pg_locks JOIN pg_class ON pg_class.oid = pg_locks.relation
                WHERE pg_locks.locktype = 'tuple'
                AND pg_class.relnamespace = CAST(current_schema() AS regnamespace)
                """)?.integer(0)
        }
        return count != 0
    }
}
