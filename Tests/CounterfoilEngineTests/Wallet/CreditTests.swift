// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("A credit that stands in for a purchase", .onEveryDatabase)
struct ACreditThatStandsIn {
    private func credit(
        _ amount: Int64, _ bonus: Int64 = 0, for transaction: String = "T1",
        standingFor order: UniqueID? = nil, in shop: Shop
    ) async throws {
        var credit = WalletOperation.Credit(unit: try WalletBooks.coins)
        credit.amount = amount
        credit.bonus = bonus
        credit.orderID = order
        if order == nil { credit.transactionID = try TransactionID(transaction) }
        let operation = shop.engine.walletOperation(
            .credit(credit), on: try CustomerID("u1"), in: .production, reason: "support",
            reference: nil, under: shop.policy)
        _ = try await shop.engine.database.write { try operation.run(in: $0) }
    }

    @Test("The purchase grants what exceeds it only")
    func offset() async throws {
        let shop = try await Shop()
        try await credit(60, in: shop)
        #expect(try await shop.submit(shop.purchase("coins100")).words == "fulfilled finish")
        #expect(try await shop.coins() == [100, 10])
        try await shop.submit(shop.purchase("coins100"))
        try await shop.submit(shop.purchase("coins100", "T2"))
        #expect(try await shop.coins() == [200, 20])
        try await shop.expectBalancedBooks()
    }

    @Test(
        "One that gave more than the purchase leaves nothing to grant, and the answer is the same")
    func larger() async throws {
        let shop = try await Shop()
        try await credit(150, in: shop)
        #expect(try await shop.submit(shop.purchase("coins100")).words == "fulfilled finish")
        #expect(
            try await shop.submit(shop.purchase("coins100")).words == "already_fulfilled finish")
        #expect(try await shop.coins() == [150, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("What was given as a bonus counts against what was paid for too")
    func kinds() throws {
        let coins = try WalletBooks.coins
        let expected: [(paid: Int64, bonus: Int64, left: [Int64])] = [
            (60, 0, [40, 10]), (0, 10, [100, 0]), (0, 60, [50, 0]), (105, 0, [0, 5]),
            (100, 10, [0, 0]), (500, 500, [0, 0]),
        ]
        for (paid, bonus, left) in expected {
            let credit = CreditRecord(
                creditID: UniqueID.derived(fromDigest: Array(repeating: 1, count: 16)),
                app: Shop.app, environment: .production,
                customer: UniqueID.derived(fromDigest: Array(repeating: 2, count: 16)),
                unit: coins, amount: paid, bonus: bonus, reason: "",
                createdAt: Shop.openingDay)
            let goods = CreditOffset.of(
                [.unit(coins, amount: 100, bonus: 10, holder: .counterfoil)], [credit])
            #expect(
                goods == [.unit(coins, amount: left[0], bonus: left[1], holder: .counterfoil)])
        }
    }

    @Test("A refund takes back the credit and the rest, a reversal gives both back")
    func refund() async throws {
        let shop = try await Shop()
        try await credit(60, in: shop)
        var purchase = shop.purchase("coins100")
        try await shop.submit(purchase)
        purchase.revocation = .init(date: shop.clock.now)
        purchase.signedDate = shop.clock.now
        try await shop.submit(purchase)
        #expect(try await shop.coins() == [0, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("Also where the purchase is heard of after its refund")
    func refundFirst() async throws {
        let shop = try await Shop()
        try await credit(60, in: shop)
        var purchase = shop.purchase("coins100")
        purchase.revocation = .init(date: shop.clock.now - .seconds(60))
        purchase.signedDate = shop.clock.now
        #expect(try await shop.submit(purchase).words == "rejected revoked finish")
        #expect(try await shop.coins() == [0, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("It cannot stand for a purchase that gave its goods already")
    func late() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100"))
        let id = try TransactionID("T1")
        await #expect(throws: WalletRefusal.alreadyGranted(id)) {
            try await credit(60, in: shop)
        }
        #expect(try await shop.coins() == [100, 10])
    }

    @Test(
        "It cannot stand for a purchase that was refunded first, or handing that in again would take it"
    )
    func refundedFirst() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("coins100")
        purchase.revocation = .init(date: shop.clock.now - .seconds(60))
        #expect(try await shop.submit(purchase).words == "rejected revoked finish")
        let id = try TransactionID("T1")
        await #expect(throws: WalletRefusal.alreadyRefunded(id)) {
            try await credit(60, in: shop)
        }
        #expect(try await shop.submit(purchase).words == "rejected revoked finish")
        #expect(try await shop.coins() == [0, 0])
    }

    @Test("It may stand for an order, whose payment then grants the rest")
    func order() async throws {
        let shop = try await Shop()
        let order = try await shop.order()
        try await credit(60, standingFor: order.id, in: shop)
        var purchase = shop.purchase("coins100")
        purchase.appAccountToken = order.token
        try await shop.submit(purchase)
        #expect(try await shop.coins() == [100, 10])
        let id = try TransactionID("T1")
        await #expect(throws: WalletRefusal.alreadyGranted(id)) {
            try await credit(60, standingFor: order.id, in: shop)
        }
        await #expect(throws: WalletRefusal.unknownOrder) {
            try await credit(60, standingFor: shop.engine.freshID(), in: shop)
        }
        try await shop.expectBalancedBooks()
    }

    @Test("It counts for its own customer only")
    func stranger() async throws {
        let shop = try await Shop()
        try await credit(60, in: shop)
        try await shop.submit(shop.purchase("coins100"), by: "u2")
        #expect(try await shop.coins("u2") == [100, 10])
        #expect(try await shop.coins() == [60, 0])
        try await shop.expectBalancedBooks()
    }
}
