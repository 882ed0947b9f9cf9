// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("A catalogue that takes another's place", .onEveryDatabase)
struct ACatalogueThatTakesAnothersPlace {
    private static let gems = """
        { units: [{ id: "coins", kind: "currency", held_by: "counterfoil" }],
          products: [
            { id: "gems", type: "consumable", goods: [{ unit: "coins", amount: 7 }] } ] }
        """

    @Test("A replacement that met a database error is completed by repeating it")
    func repeated() async throws {
        let folder = TemporaryFolder()
        let clock = ManualClock()
        let database = WatchedDatabase(
            try await DatabaseEngine.current.open(in: folder, clock: clock))
        let shop = try await Shop(clock: clock, in: folder, on: database)
        #expect(
            try await shop.submit(shop.purchase("gems")).words == "parked unknown_product finish")
        let fresh = try Catalogue(reading: Array(Self.gems.utf8))
        database.beforeEachWrite { _ in throw DatabaseError(.busy, "a passing trouble") }
        await #expect(throws: DatabaseError.self) {
            _ = try await shop.engine.replaceCatalogue(of: Shop.app, by: fresh)
        }
        database.beforeEachWrite { _ in }
        #expect(try await !shop.engine.replaceCatalogue(of: Shop.app, by: fresh))
        try await shop.engine.runDueJobs()
        #expect(try await shop.coins() == [7, 0])
    }
}
