// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("What waits when its purchase is refunded", .onEveryDatabase)
struct WhatWaitsDuringARefund {
    private func states(_ shop: Shop) async throws -> [String] {
        try await shop.engine.database.read { transaction in
            try transaction.rows(
                """
                SELECT state, COALESCE(parked_reason, '-') FROM grants
                WHERE revision = 0 ORDER BY sale
                """
            ).map { "\(try $0.text(0)) \(try $0.text(1))" }
        }
    }

    @Test(
        "A grant that waited for its product is withdrawn by a whole refund, and waits again after it"
    )
    func unknownProduct() async throws {
        var shop = try await Shop()
        let purchase = shop.purchase("unheard_of")
        try await shop.submit(purchase)
        #expect(try await states(shop) == ["parked unknown_product"])
        try await shop.submit(shop.refunded(purchase))
        #expect(try await states(shop) == ["withdrawn -"])
        try await shop.expectBalancedBooks()
        try await shop.notify("REFUND_REVERSED", of: purchase)
        #expect(try await states(shop) == ["parked unknown_product"])
        shop = try await shop.reopened(
            catalogue: Shop.catalogue.replacing("\"sword1\"", with: "\"unheard_of\""))
        try await shop.engine.runDueJobs()
        #expect(try await states(shop) == ["due -"])
        try await shop.expectBalancedBooks()
    }

    @Test("Units that waited for evidence of ownership are withdrawn, and given after a reversal")
    func ownership() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("starter", "T1", .nonConsumable)
        try await shop.submitReceipt(of: [purchase], claiming: "T1")
        #expect(try await states(shop) == ["parked needs_ownership_evidence"])
        try await shop.submit(shop.refunded(purchase))
        #expect(try await states(shop) == ["withdrawn -"])
        #expect(try await shop.rights().isEmpty)
        try await shop.expectBalancedBooks()
        try await shop.notify("REFUND_REVERSED", of: purchase)
        #expect(try await states(shop) == ["due -"])
        #expect(try await shop.purse() == [500, 0, 0])
        #expect(try await shop.rights() == ["founder"])
        try await shop.expectBalancedBooks()
    }

    @Test("Units whose product left the catalogue are given when it is back, by nobody's hand")
    func productLeft() async throws {
        var shop = try await Shop()
        let purchase = shop.purchase("starter", "T1", .nonConsumable)
        try await shop.submitReceipt(of: [purchase], claiming: "T1")
        shop = try await shop.reopened(
            catalogue: Shop.catalogue.replacing("\"starter\"", with: "\"another\""))
        // The evidence comes while nobody says how many units it is worth.
        #expect(try await shop.submit(purchase).words == "already_fulfilled finish")
        #expect(try await states(shop) == ["parked unknown_product"])
        try await shop.expectBalancedBooks()
        shop = try await shop.reopened()
        try await shop.engine.runDueJobs()
        #expect(try await shop.purse() == [500, 0, 0])
        #expect(try await states(shop) == ["due -"])
        try await shop.expectBalancedBooks()
    }

    @Test("A refunded copy whose type nobody knows ends its sale, and a rebuild says so too")
    func unknownType() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("starter", "T1", .nonConsumable)
        try await shop.submit(purchase)
        var copy = shop.refunded(purchase)
        copy.transactionID = "T2"
        copy.productID = "renamed"
        _ = try await shop.submitUntypedReceipt(of: copy)
        try await shop.engine.runDueJobs()
        #expect(try await shop.purse() == [0, 0, 0])
        #expect(try await shop.rights().isEmpty)
        try await shop.expectBalancedBooks()
    }
}

@Suite("Rights that are counted in months", .onEveryDatabase)
struct RightsInMonths {
    private static let catalogue = Shop.catalogue.replacing("\"P30D\"", with: "\"P1M\"")
    private static let lastOfJanuary = Instant(rfc3339: "2026-01-31T12:00:00Z")

    @Test("Three months from 31 January end on 30 April, as pieces of one sale or one by one")
    func anchor() async throws {
        for pieces: [Int64] in [[3], [1, 1, 1], [2, 1]] {
            let shop = try await Shop(
                catalogue: Self.catalogue,
                deliverFrom: Instant(millisecondsSinceEpoch: 0))
            for (index, quantity) in pieces.enumerated() {
                var pass = shop.purchase("pass30", "P\(index)", .nonRenewingSubscription)
                pass.quantity = quantity
                pass.purchaseDate =
                    try #require(Self.lastOfJanuary) + .seconds(Int64(index) * 60)
                pass.originalPurchaseDate = pass.purchaseDate
                try await shop.submit(pass)
            }
            let ends = try await shop.count("SELECT MAX(ends_at) FROM entitlement_periods")
            #expect(
                Instant(millisecondsSinceEpoch: ends).rfc3339.hasPrefix("2026-04-30T12:00:00"),
                "\(pieces)")
            try await shop.expectBalancedBooks()
        }
    }
}

@Suite(
    "P4: a refund and its reversal leave nothing, however debts were settled meanwhile",
    .onEveryDatabase)
struct DebtsBesideReversals {
    private func shop(_ clock: ManualClock = ManualClock()) async throws -> Shop {
        try await Shop(
            catalogue: RefundsTakeGoodsBack.plainCoins,
            refunds: RefundPolicy(writesOffBelow: ["USD": 1000]), clock: clock)
    }

    private func bought(_ shop: Shop, _ id: String, _ price: Int64) -> SimulatedPurchase {
        var purchase = shop.purchase("coins100", id)
        purchase.price = Money(amountMilli: price, currency: "USD")
        return purchase
    }

    private func writtenOff(_ shop: Shop) async throws -> Int64 {
        -(try await shop.count(
            """
            SELECT CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) FROM entries e
            JOIN accounts a ON a.account_id = e.account_id WHERE a.kind = 'written_off'
            """))
    }

    @Test("What was written off since the units left is paid from them when they come back")
    func writtenOff() async throws {
        let shop = try await shop()
        let (large, small) = (bought(shop, "T1", 9_990), bought(shop, "T2", 990))
        try await shop.submit(small)
        try await shop.spend(100)
        try await shop.submit(large)
        try await shop.submit(shop.refunded(large))
        #expect(try await shop.purse() == [0, 0, 0])
        try await shop.submit(shop.refunded(small))
        #expect(try await writtenOff(shop) == 100)
        // Without the refund of T1 that of T2 would have taken its units.
        try await shop.notify("REFUND_REVERSED", of: large)
        #expect(try await shop.purse() == [0, 0, 0])
        #expect(try await writtenOff(shop) == 0)
        try await shop.expectBalancedBooks()
        try await shop.notify("REFUND_REVERSED", of: small)
        #expect(try await shop.purse() == [100, 0, 0])
        #expect(try await writtenOff(shop) == 0)
        try await shop.expectBalancedBooks()
    }

    @Test("What was written off before the units left stays written off")
    func writtenOffBefore() async throws {
        let shop = try await shop()
        let (large, small) = (bought(shop, "T1", 9_990), bought(shop, "T2", 990))
        try await shop.submit(small)
        try await shop.spend(100)
        try await shop.submit(shop.refunded(small))
        try await shop.submit(large)
        try await shop.submit(shop.refunded(large))
        try await shop.notify("REFUND_REVERSED", of: large)
        #expect(try await shop.purse() == [100, 0, 0])
        #expect(try await writtenOff(shop) == 100)
        try await shop.expectBalancedBooks()
    }

    @Test("Which debt is older the books say, whatever the servers' clocks show")
    func clocks() async throws {
        let shop = try await Shop(
            catalogue: RefundsTakeGoodsBack.plainCoins,
            wallet: WalletPolicy(purchasesPayDebt: false))
        let late = try await shop.anotherServer(
            clock: ManualClock(shop.clock.now + .seconds(3_600)))
        let purchases = ["T1", "T2", "T3"].map { shop.purchase("coins100", $0) }
        // A debt that is older than the refund of T2, made by a server whose clock is ahead.
        try await shop.submit(purchases[0])
        try await shop.spend(100)
        try await shop.submit(shop.refunded(purchases[0]), to: late)
        try await shop.submit(purchases[1])
        try await shop.submit(shop.refunded(purchases[1]))
        try await shop.notify("REFUND_REVERSED", of: purchases[1])
        #expect(try await shop.purse() == [100, 0, -100])
        // One that is younger, made by a server whose clock is behind the one that refunded T2.
        try await shop.submit(
            shop.refunded(purchases[1], at: shop.clock.now - .seconds(200)), to: late)
        #expect(try await shop.purse() == [0, 0, -100])
        try await shop.submit(purchases[2])
        try await shop.spend(100)
        try await shop.submit(shop.refunded(purchases[2]))
        #expect(try await shop.purse() == [0, 0, -200])
        try await shop.notify(
            "REFUND_REVERSED", of: purchases[1], at: shop.clock.now - .seconds(100))
        #expect(try await shop.purse() == [0, 0, -100])
        try await shop.expectBalancedBooks()
    }
}
