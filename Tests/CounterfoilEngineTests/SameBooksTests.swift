// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Both engines keep the same books", .enabled(if: TestPostgres.isThere))
struct BothEnginesKeepTheSameBooks {
    /// What is signed is signed once, since a signature is part of the evidence's digest.
    private struct Story {
        struct Entry {
            let proof: Submission.Proof
            var claim: String?
        }

        let token = UniqueID.random(SeededRandom(seed: 3))
        let proofs: [Entry]

        init() throws {
            let clock = TestAuthority.clock
            let authority = try TestAuthority.shared
            func purchase(
                _ product: String, _ id: String, _ kind: SimulatedPurchase.Kind = .consumable
            ) -> SimulatedPurchase {
                SimulatedPurchase(
                    environment: .production, bundleID: Shop.bundleID, transactionID: id,
                    productID: product, kind: kind, purchaseDate: clock.now - .seconds(3600))
            }
            var refunded = purchase("coins100", "T1")
            refunded.revocation = .init(date: clock.now - .seconds(100))
            refunded.signedDate = clock.now - .seconds(90)
            var addressed = purchase("sword1", "T2")
            addressed.appAccountToken = token
            var unknown = purchase("coins100", "T3")
            unknown.appAccountToken = UniqueID.random(SeededRandom(seed: 4))
            let tokens = try [
                purchase("coins100", "T1"), refunded, addressed, unknown,
                purchase("nothing we know", "T4"), purchase("noads", "T5", .nonConsumable),
                purchase("pass30", "T6", .nonRenewingSubscription), purchase("coins100", "T1"),
            ].map { Entry(proof: .signedTransaction(try authority.signedTransaction($0))) }
            let receipt = SimulatedReceipt(
                bundleID: Shop.bundleID, environment: .production,
                creationDate: clock.now - .seconds(30),
                purchases: (7...12).map { purchase("coins100", "T\($0)") }
                    + [purchase("starter", "T13", .nonConsumable)])
            let bytes = try authority.appReceipt(receipt)
            proofs =
                tokens + [
                    Entry(proof: .receipt(Base64.encode(bytes, .standard)), claim: "T7"),
                    Entry(proof: .receipt("bm90aGluZw=="), claim: "T8"),
                ]
        }

        /// Plays all of it and returns every table but those that say who works.
        ///
        /// SQLite plays as if several transactions could write at the same time: events are numbered
        /// after the commit, and what parked is looked at once more.
        func books(on engine: DatabaseEngine) async throws -> [(
            table: Table, rows: [[DatabaseValue]]
        )] {
            let folder = TemporaryFolder()
            let clock = ManualClock()
            let database = try await engine.open(in: folder, clock: clock)
            let shop = try await Shop(
                hasManyWriters: engine == .sqliteInline, random: SeededRandom(seed: 1),
                clock: clock,
                on: database)
            try await shop.engine.registerToken(token, for: CustomerID("u1"), to: shop.policy)
            for (index, entry) in proofs.enumerated() {
                try await shop.submit(entry.proof, by: "u\(index % 3)", claiming: entry.claim)
                clock.advance(by: .seconds(1))
                try await shop.engine.runDueJobs()
                try await shop.engine.numberEvents()
            }
            try await shop.expectBalancedBooks()
            let tables = Migration.tables(after: Schema.migrations)
                .filter { $0.name != "sequencers" }
            let books = try await database.read { transaction in
                try tables.map { ($0, try transaction.rows($0.allRows).map(\.values)) }
            }
            await database.close()
            return books
        }
    }

    @Test("The same story gives the same rows in every table, byte for byte")
    func sameRows() async throws {
        let story = try Story()
        let expected = try await story.books(on: .sqliteInline)
        #expect(expected.map(\.rows.count).reduce(0, +) > 100)
        for engine in [DatabaseEngine.postgresInline, .postgres] {
            let books = try await story.books(on: engine)
            for ((table, rows), other) in zip(expected, books) {
                #expect(rows == other.rows, "\(table.name) on \(engine)")
            }
        }
    }
}
