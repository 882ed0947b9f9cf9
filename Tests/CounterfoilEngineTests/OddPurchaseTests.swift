// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilTestSupport
import Foundation
import Testing

@testable import CounterfoilEngine

@Suite("Purchases that look odd", .onEveryDatabase)
struct OddPurchases {
    @Test("A receipt that names one transaction twice grants it once")
    func twiceInOneReceipt() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100")
        let outcome = try await shop.submitReceipt(of: [purchase, purchase], claiming: "T1")
        #expect(outcome.words == "fulfilled finish")
        try await shop.engine.runDueJobs()
        #expect(try await shop.coins() == [100, 10])
        try await shop.expectBalancedBooks()
    }

    private static let crates = Shop.catalogue.replacing(
        "products: [",
        with: """
            products: [
            { id: "thanks", type: "consumable", goods: [] },
            { id: "crate", type: "non_consumable", goods: [{ unit: "coins", amount: 50 }] },
            """)

    @Test("A purchase that gives nothing to hold is fulfilled like any other")
    func nothingToHold() async throws {
        let shop = try await Shop(catalogue: Self.crates)
        var shared = shop.purchase("crate", "T2", .nonConsumable)
        shared.ownershipType = "FAMILY_SHARED"
        for purchase in [shop.purchase("thanks"), shared] {
            #expect(try await shop.submit(purchase).words == "fulfilled finish")
            #expect(try await shop.submit(purchase).words == "already_fulfilled finish")
            #expect(
                try await shop.submit(purchase, by: "u2").words
                    == "rejected owned_by_another_customer finish")
        }
        #expect(try await shop.coins() == [0, 0])
        try await shop.expectBalancedBooks()
    }

    @Test(
        "A purchase whose units all wait for evidence of ownership is not called another's delivery"
    )
    func unitsThatWait() async throws {
        let shop = try await Shop(catalogue: Self.crates)
        let purchase = shop.purchase("crate", "T1", .nonConsumable)
        for word in ["fulfilled", "already_fulfilled"] {
            let outcome = try await shop.submitReceipt(of: [purchase], claiming: "T1")
            #expect(outcome.words == "\(word) finish")
            #expect(try await shop.coins() == [0, 0])
        }
        for _ in 0..<2 {
            #expect(try await shop.submit(purchase).words == "already_fulfilled finish")
            #expect(try await shop.coins() == [50, 0])
        }
        try await shop.expectBalancedBooks()
    }

    @Test(
        "A quantity beyond all reason is cut to the limit and overflows nothing",
        arguments: [1001, Int64.max])
    func quantity(told: Int64) async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("coins100")
        purchase.quantity = told
        #expect(try await shop.submit(purchase).words == "fulfilled finish")
        #expect(try await shop.coins() == [100 * Limits.quantity, 10 * Limits.quantity])
        try await shop.expectBalancedBooks()
    }

    @Test("A type that this version does not know is judged again by one that does")
    func unknownType() async throws {
        var shop = try await Shop()
        let payload = shop.purchase("coins100").transactionPayload.text
            .replacingOccurrences(of: "\"Consumable\"", with: "\"Hireable\"")
        let token = try TestAuthority.shared.sign(try JSONValue(parsing: payload.utf8))
        let outcome = try await shop.submit(.signedTransaction(token))
        #expect(outcome.words == "parked unknown_type finish")

        shop = try await shop.reopened()
        try await shop.engine.runDueJobs()
        #expect(try await shop.eventTypes() == ["purchase.parked"])

        // What a version that knows the type reads.
        try await shop.engine.database.write { transaction in
            try transaction.execute("UPDATE transactions SET type = 'Consumable'")
        }
        shop = try await shop.reopened()
        try await shop.engine.runDueJobs()
        #expect(try await shop.coins() == [100, 10])
        #expect(try await shop.eventTypes() == ["purchase.parked", "purchase.fulfilled"])
        try await shop.expectBalancedBooks()
    }

    @Test(
        "A token that says nonsense is recorded and refused, however long the nonsense is",
        arguments: [String(repeating: "x", count: 2_000), "ES\\u0000256", "ES\\n256"])
    func nonsense(algorithm: String) async throws {
        let shop = try await Shop()
        let header = Base64.encode(Array("{\"alg\":\"\(algorithm)\"}".utf8), .url)
        let outcome = try await shop.submit(.signedTransaction("\(header).e30.AAAA"))
        #expect(outcome.words == "rejected malformed keep")
        #expect(try await shop.count("SELECT COUNT(*) FROM submissions") == 1)
    }
}
