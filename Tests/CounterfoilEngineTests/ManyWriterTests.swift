// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

/// What settling does only where several transactions write at the same time.
@Suite("Settling beside other servers", .onEveryDatabase)
struct SettlingBesideOthers {
    @Test("A token that was registered while its purchase was being parked delivers")
    func tokenMeanwhile() async throws {
        let shop = try await Shop(hasManyWriters: true)
        let token = UniqueID.random(SeededRandom(seed: 3))
        var purchase = shop.purchase("coins100")
        purchase.appAccountToken = token
        #expect(try await shop.submit(purchase, by: "u2").words == "parked unknown_token keep")
        // The other server's transaction and its job were over before this one was visible.
        let key = UniqueID.random(SeededRandom(seed: 4))
        try await shop.engine.database.write { [now = shop.clock.now] transaction in
            let customer = try transaction.ensureCustomer(
                Shop.app, CustomerID("u1"), freshKey: key, at: now)
            _ = try transaction.registerToken(Shop.app, token, of: customer, at: now)
        }
        try await shop.engine.runDueJobs()
        #expect(try await shop.coins("u1") == [100, 10])
        try await shop.engine.numberEvents()
        try await shop.expectBalancedBooks()
    }

    @Test("A token that nobody registers keeps no job going")
    func unknownToken() async throws {
        let shop = try await Shop(hasManyWriters: true)
        var purchase = shop.purchase("coins100")
        purchase.appAccountToken = UniqueID.random(SeededRandom(seed: 3))
        try await shop.submit(purchase)
        try await shop.submit(purchase)
        #expect(try await shop.engine.runDueJobs() == 1)
        #expect(try await shop.count("SELECT COUNT(*) FROM jobs") == 0)
    }

    @Test("The story of a non-consumable with its refund comes out the same as with one writer")
    func nonConsumable() async throws {
        var words: [[String]] = []
        for hasManyWriters in [false, true] {
            let shop = try await Shop(hasManyWriters: hasManyWriters)
            var answers: [String] = []
            for (customer, id) in [("u1", "T1"), ("u1", "T2"), ("u2", "T3")] {
                var purchase = shop.purchase("starter", id, .nonConsumable)
                purchase.originalTransactionID = "T1"
                answers.append(try await shop.submit(purchase, by: customer).words)
            }
            try await shop.engine.numberEvents()
            answers += try await shop.eventTypes()
            try await shop.expectBalancedBooks()
            words.append(answers)
        }
        #expect(words[0] == words[1])
    }
}
