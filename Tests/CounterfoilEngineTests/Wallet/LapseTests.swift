// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("What runs out by itself", .onEveryDatabase)
struct WhatRunsOutByItself {
    private static let catalogue = """
        {
          units: [
            { id: "coins", kind: "currency", held_by: "counterfoil", bonus_expires_after: "P1D" },
          ],
          products: [
            { id: "coins100", type: "consumable",
              goods: [{ unit: "coins", amount: 100, bonus: 10 }] },
          ],
        }
        """

    @Test("A bonus runs out after its time, what was paid for stays")
    func bonus() async throws {
        let shop = try await Shop(catalogue: Self.catalogue)
        try await shop.submit(shop.purchase("coins100"))
        shop.clock.advance(by: .seconds(86_399))
        #expect(try await shop.engine.settleLapses() == 0)
        shop.clock.advance(by: .seconds(1))
        #expect(try await shop.engine.settleLapses() == 1)
        #expect(try await shop.coins() == [100, 0])
        #expect(try await shop.eventTypes() == ["purchase.fulfilled", "wallet.changed"])
        #expect(try await shop.engine.settleLapses() == 0)
        try await shop.expectDocumentedEvents()
        try await shop.expectBalancedBooks()
    }

    @Test("Nobody spends what ran out a moment ago")
    func spendAfterExpiry() async throws {
        let shop = try await Shop(catalogue: Self.catalogue)
        try await shop.submit(shop.purchase("coins100"))
        let books = try await WalletBooks(in: shop)
        shop.clock.advance(by: .seconds(86_400))
        let coins = try WalletBooks.coins
        await #expect(
            throws: WalletRefusal.insufficientBalance(coins, available: 100, wanted: 101)
        ) { try await books.spend(101) }
        try await books.spend(100)
        #expect(try await books.balances() == [0, 0, 0, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("A hold that nobody decided about goes back, and its bonus may run out again")
    func hold() async throws {
        let shop = try await Shop(catalogue: Self.catalogue)
        try await shop.submit(shop.purchase("coins100"))
        let books = try await WalletBooks(in: shop)
        let hold = try await books.reserve(50)
        #expect(try await books.balances() == [60, 0, 50, 0])
        shop.clock.advance(by: .seconds(86_400))
        #expect(try await shop.engine.settleLapses() == 2)
        #expect(try await books.balances() == [100, 0, 0, 0])
        let closed = try await shop.engine.database.read { try $0.hold(hold.holdID) }
        #expect(closed?.state == .lapsed)
        await #expect(throws: WalletRefusal.holdIsOver(.lapsed)) {
            try await books.change { wallet in
                guard let hold = try wallet.transaction.hold(hold.holdID) else { return }
                _ = try wallet.post(hold)
            }
        }
        try await shop.expectBalancedBooks()
    }

    @Test("A catalogue that lets run out what was paid for is refused, with the reason")
    func paidExpiry() {
        let text = """
            { units: [{ id: "coins", kind: "currency", held_by: "counterfoil",
                        paid_expires_after: "P1Y" }], products: [] }
            """
        let error = #expect(throws: CatalogueError.self) {
            try Catalogue(reading: Array(text.utf8))
        }
        #expect(error?.description.contains("never runs out") == true)
    }

    @Test("A customer who owes spends nothing where the policy says so, and all else where not")
    func debt() async throws {
        for blocks in [true, false] {
            let books = try await WalletBooks(
                WalletPolicy(purchasesPayDebt: false, debtBlocksSpending: blocks))
            try await books.issue("t:T1", paid: 100)
            try await books.spend(100)
            _ = try await books.takeBack("t:T1", paid: 100)
            try await books.issue("t:T2", paid: 50)
            #expect(try await books.balances() == [50, 0, 0, -100])
            let coins = try WalletBooks.coins
            if blocks {
                await #expect(throws: WalletRefusal.debtBlocksSpending(coins, owed: 100)) {
                    try await books.spend(1)
                }
            } else {
                try await books.spend(1)
            }
        }
    }
}
