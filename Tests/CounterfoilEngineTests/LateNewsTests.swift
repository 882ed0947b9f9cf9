// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

/// What becomes known of one transaction, and decides about others that were settled before.
@Suite("P2 and P3: late news of one transaction reach the others", .onEveryDatabase)
struct LateNews {
    /// A is bought and refunded, then B is bought, of one original.
    private static func story(
        _ shop: Shop, product: String = "starter"
    ) -> (first: SimulatedPurchase, refunded: SimulatedPurchase, again: SimulatedPurchase) {
        var first = shop.purchase(product, "A", .nonConsumable)
        first.purchaseDate = shop.clock.now - .seconds(9000)
        first.originalPurchaseDate = first.purchaseDate
        first.signedDate = first.purchaseDate
        var refunded = first
        refunded.revocation = .init(date: shop.clock.now - .seconds(5000))
        refunded.signedDate = shop.clock.now - .seconds(4000)
        var again = shop.purchase(product, "B", .nonConsumable)
        again.originalTransactionID = "A"
        again.originalPurchaseDate = first.purchaseDate
        return (first, refunded, again)
    }

    @Test("A refund that is heard of last makes the purchase after it a sale of its own")
    func refundHeardLast() async throws {
        var states: Set<String> = []
        for order in [[0, 1, 2], [0, 2, 1], [0, 2, 1, 1, 0, 1]] {
            let shop = try await Shop()
            let (first, refunded, again) = Self.story(shop)
            for index in order {
                try await shop.submit([first, refunded, again][index])
                try await shop.engine.runDueJobs()
            }
            let sales = try await shop.engine.database.read { transaction in
                try transaction.rows(
                    """
                    SELECT g.sale, g.transaction_id, g.state, COUNT(s.customer_key)
                    FROM grants g JOIN sales s ON s.app = g.app AND s.environment = g.environment
                    AND s.sale = g.sale GROUP BY g.sale, g.transaction_id, g.state ORDER BY g.sale
                    """, []
                ).map { "\($0.values)" }
            }
            states.insert("\(sales) \(try await shop.coins())")
            #expect(try await shop.coins() == [500, 0], "\(order)")
            #expect(try await shop.count("SELECT COUNT(*) FROM jobs") == 0)
            #expect(
                try await shop.eventTypes() == [
                    "purchase.fulfilled", "grant.reversed", "purchase.fulfilled",
                ], "\(order)")
            try await shop.expectBalancedBooks()
        }
        #expect(states.count == 1, "\(states)")
    }

    @Test("The job is owed in the transaction that tells of the refund, and once")
    func owed() async throws {
        let shop = try await Shop()
        let (first, refunded, again) = Self.story(shop)
        try await shop.submit(first)
        try await shop.submit(again)
        #expect(try await shop.count("SELECT COUNT(*) FROM jobs") == 0)
        try await shop.submit(refunded)
        let owed = try await shop.engine.database.read {
            try $0.rows("SELECT job_key FROM jobs", []).map { try $0.text(0) }
        }
        #expect(owed == ["settle_family:game:Production:A"])
        #expect(try await shop.engine.runDueJobs() == 1)
        // The same news again is no news.
        try await shop.submit(refunded)
        #expect(try await shop.engine.runDueJobs() == 0)
        #expect(try await shop.submit(again).words == "already_fulfilled finish")
    }

    @Test("A refund that only a receipt's other entry tells of reaches the others too")
    func refundInReceipt() async throws {
        let shop = try await Shop()
        let (first, refunded, again) = Self.story(shop)
        try await shop.submit(first)
        try await shop.submit(again)
        let other = shop.purchase("coins100", "C")
        try await shop.submitReceipt(of: [other, refunded], claiming: "C")
        try await shop.engine.runDueJobs()
        #expect(try await shop.coins() == [600, 10])
        try await shop.expectBalancedBooks()
    }

    @Test("Of several restores after a refund one is the new sale")
    func severalAgain() async throws {
        let shop = try await Shop()
        let (first, refunded, again) = Self.story(shop)
        try await shop.submit(first)
        for index in 1...5 {
            var restore = again
            restore.transactionID = "B\(index)"
            restore.purchaseDate = again.purchaseDate + .seconds(Int64(index))
            restore.signedDate = restore.purchaseDate
            try await shop.submit(restore)
        }
        try await shop.submit(refunded)
        try await shop.engine.runDueJobs()
        #expect(try await shop.coins() == [500, 0])
        #expect(try await shop.count("SELECT COUNT(*) FROM grants WHERE revision = 0") == 2)
        try await shop.expectBalancedBooks()
    }

    @Test("A job that ends before it struck itself off changes nothing when it runs again")
    func twice() async throws {
        let shop = try await Shop()
        let (first, refunded, again) = Self.story(shop)
        for purchase in [first, again, refunded] { try await shop.submit(purchase) }
        try await shop.engine.runDueJobs()
        let job = FamilyJob(payload: #"{"environment":"Production","original":"A","after":""}"#)
        try await shop.engine.database.write { [now = shop.clock.now] transaction in
            try transaction.enqueue(
                #require(job).record(app: Shop.app, at: now))
        }
        #expect(try await shop.engine.runDueJobs() == 1)
        #expect(try await shop.coins() == [500, 0])
        #expect(try await shop.eventTypes().count == 3)
    }

    @Test("The first owner of an original is the owner of what waited for one")
    func firstOwnerHeardLast() async throws {
        for isOwnerFirst in [true, false] {
            let shop = try await Shop()
            let (_, refunded, again) = Self.story(shop)
            let other = shop.purchase("coins100", "C")
            if isOwnerFirst { try await shop.submit(refunded) }
            // Nobody claims B.
            try await shop.submitReceipt(of: [other, again], by: "u2", claiming: "C")
            try await shop.engine.runDueJobs()
            if !isOwnerFirst { try await shop.submit(refunded) }
            try await shop.engine.runDueJobs()
            #expect(try await shop.rights() == ["founder"], "\(isOwnerFirst)")
            let settled = try await shop.count(
                """
                SELECT COUNT(*) FROM transactions WHERE original_transaction_id = 'A'
                AND customer_key IS NOT NULL AND parked_reason IS NULL
                """)
            #expect(settled == 2, "\(isOwnerFirst)")
            #expect(try await shop.rights("u2").isEmpty)
            try await shop.expectBalancedBooks()
        }
    }

    @Test("A purchase after the refund whose owner nobody knows is parked, not lost")
    func nobodys() async throws {
        let shop = try await Shop()
        let (_, refunded, again) = Self.story(shop)
        let other = shop.purchase("coins100", "C")
        try await shop.submitReceipt(of: [other, again, refunded], claiming: "C")
        try await shop.engine.runDueJobs()
        #expect(
            try await shop.count(
                "SELECT COUNT(*) FROM transactions WHERE parked_reason = 'no_owner'") == 1)
        #expect(try await shop.count("SELECT COUNT(*) FROM jobs") == 0)
        #expect(try await shop.submit(again).words == "fulfilled finish")
    }
}
