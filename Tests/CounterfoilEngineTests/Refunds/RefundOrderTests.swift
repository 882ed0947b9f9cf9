// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("P3: refunds come out the same in whatever order they become known", .onEveryDatabase)
struct RefundsInAnyOrder {
    @Test(
        "A reversal leaves no units beside a debt that they caused", arguments: [[0, 1], [1, 0]])
    func reversalBesideAnotherDebt(_ order: [Int]) async throws {
        let shop = try await Shop(catalogue: RefundsTakeGoodsBack.plainCoins)
        let sales = [shop.purchase("coins100", "T1"), shop.purchase("coins100", "T2")]
        try await shop.submit(sales[0])
        try await shop.spend(100)
        try await shop.submit(sales[1])
        for index in order { try await shop.submit(shop.refunded(sales[index])) }
        try await shop.notify("REFUND_REVERSED", of: sales[0])
        #expect(try await shop.purse() == [0, 0, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("A debt that a refunded purchase had paid is owed again when it was paid for nothing")
    func paidByARefundedPurchase() async throws {
        let shop = try await Shop(catalogue: RefundsTakeGoodsBack.plainCoins)
        let (first, second) = (
            shop.purchase("coins100", "T1"), shop.purchase("coins40", "T2")
        )
        try await shop.submit(first)
        try await shop.spend(100)
        try await shop.submit(shop.refunded(first))
        try await shop.submit(second)
        try await shop.submit(shop.refunded(second))
        #expect(try await shop.purse() == [0, 0, -100])
        try await shop.notify("REFUND_REVERSED", of: first)
        #expect(try await shop.purse() == [0, 0, 0])
        try await shop.notify("REFUND_REVERSED", of: second)
        #expect(try await shop.purse() == [40, 0, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("Units that were set aside during a refund pay for it when they come back")
    func setAside() async throws {
        let shop = try await Shop(catalogue: RefundsTakeGoodsBack.plainCoins)
        let purchase = shop.purchase("coins100")
        try await shop.submit(purchase)
        let (policy, now) = (shop.policy, shop.clock.now)
        let (unit, id, holdID) = (
            try UnitID("coins"), try CustomerID("u1"), shop.engine.freshID()
        )
        for step in 0..<2 {
            try await shop.engine.database.write { transaction in
                let key = try #require(try transaction.customerKey(Shop.app, id))
                var wallet = try Wallet.locked(
                    transaction, policy, .production, of: key, at: now)
                if step == 0 {
                    try wallet.reserve(
                        HoldRecord(
                            holdID: holdID, app: Shop.app, environment: .production,
                            customer: key, unit: unit, amount: 70,
                            expiresAt: now + .seconds(600), createdAt: now))
                } else {
                    _ = try wallet.void(try #require(try transaction.hold(holdID)))
                }
            }
            if step == 0 { try await shop.submit(shop.refunded(purchase)) }
            #expect(try await shop.purse() == [0, 0, step == 0 ? -70 : 0])
            #expect(try await shop.balance(.held) == (step == 0 ? 70 : 0))
        }
        try await shop.expectBalancedBooks()
    }

    @Test("A debt that is older than the refund is what it would have been")
    func olderDebt() async throws {
        let shop = try await Shop(
            catalogue: RefundsTakeGoodsBack.plainCoins,
            wallet: WalletPolicy(purchasesPayDebt: false))
        let (first, second) = (
            shop.purchase("coins100", "T1"), shop.purchase("coins100", "T2")
        )
        try await shop.submit(first)
        try await shop.spend(100)
        try await shop.submit(shop.refunded(first))
        shop.clock.advance(by: .seconds(60))
        try await shop.submit(second)
        #expect(try await shop.purse() == [100, 0, -100])
        try await shop.submit(shop.refunded(second))
        try await shop.notify("REFUND_REVERSED", of: second)
        #expect(try await shop.purse() == [100, 0, -100])
        try await shop.expectBalancedBooks()
    }

    @Test("A receipt that tells less about a refund takes nothing away from what a copy told")
    func receiptKeepsTheShare() async throws {
        for isReceiptFirst in [false, true] {
            let shop = try await Shop()
            let purchase = shop.purchase("starter", "T1", .nonConsumable)
            let part = shop.refunded(purchase, percentageMilli: 40_000)
            try await shop.submit(purchase)
            if isReceiptFirst { try await shop.submitReceipt(of: [part], claiming: "T1") }
            try await shop.submit(part)
            if !isReceiptFirst { try await shop.submitReceipt(of: [part], claiming: "T1") }
            #expect(try await shop.purse() == [300, 0, 0], "\(isReceiptFirst)")
            try await shop.expectBalancedBooks()
        }
    }

    @Test("Units that waited for evidence of ownership are given as far as they were not refunded")
    func unitsThatWaited() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("starter", "T1", .nonConsumable)
        try await shop.submitReceipt(of: [purchase], claiming: "T1")
        try await shop.submit(shop.refunded(purchase, percentageMilli: 40_000))
        #expect(try await shop.purse() == [300, 0, 0])
        #expect(try await shop.rights().isEmpty)
        try await shop.expectBalancedBooks()
    }

    @Test(
        "The money of a refund adds up where no unit moves, too",
        arguments: [[40_000, nil], [nil], [40_000, 70_000, nil]] as [[Int64?]])
    func moneyOfARight(_ shares: [Int64?]) async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("noads", "N1", .nonConsumable)
        purchase.price = Money(amountMilli: 990, currency: "USD")
        try await shop.submit(purchase)
        for (index, share) in shares.enumerated() {
            let date = shop.clock.now - .seconds(600 - Int64(index) * 100)
            try await shop.submit(shop.refunded(purchase, percentageMilli: share, at: date))
        }
        #expect(try await Self.revenue(shop) == -990)
        try await shop.expectBalancedBooks()
    }

    @Test("A refund of a part of one piece takes no piece and books the money")
    func onePiece() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("sword1")
        purchase.price = Money(amountMilli: 990, currency: "USD")
        try await shop.submit(purchase)
        try await shop.submit(shop.refunded(purchase, percentageMilli: 40_000))
        let data = try #require(try await shop.events("grant.reversed").first?["data"])
        #expect(data["refunded_price"]?["amount_milli"]?.int64 == -396)
        #expect(data["goods"]?.array?.isEmpty == true)
        try await shop.expectBalancedBooks()
    }

    @Test("A price that becomes known after the refund is booked then")
    func latePrice() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("noads", "N1", .nonConsumable)
        try await shop.submitReceipt(
            of: [purchase], claiming: "N1", createdAt: shop.clock.now - .seconds(700))
        try await shop.submitReceipt(of: [shop.refunded(purchase)], claiming: "N1")
        purchase.price = Money(amountMilli: 990, currency: "USD")
        try await shop.submit(purchase)
        #expect(try await Self.revenue(shop) == -990)
        try await shop.expectBalancedBooks()
    }

    @Test("A purchase of which a part is refunded already is told without a reason against it")
    func fulfilledWithoutReason() async throws {
        let shop = try await Shop()
        try await shop.submit(
            shop.refunded(shop.purchase("coins100"), percentageMilli: 40_000))
        let fulfilled = try #require(try await shop.events("purchase.fulfilled").first)
        #expect(fulfilled["data"]?["reason"] == nil)
        #expect(try await shop.purse() == [60, 6, 0])
    }

    @Test("A correction to a smaller share is told as goods given back")
    func correction() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100")
        try await shop.submit(purchase)
        try await shop.submit(shop.refunded(purchase))
        try await shop.submit(
            shop.refunded(
                purchase, percentageMilli: 40_000, at: shop.clock.now - .seconds(400)))
        let restored = try #require(try await shop.events("grant.restored").first?["data"])
        #expect(restored["goods"]?.array?.first?["amount"]?.int64 == 60)
        #expect(restored["revocation"]?["percentage_milli"]?.int64 == 40_000)
        try await shop.expectBalancedBooks()
    }

    @Test("A lot that paid a debt which was undone counts as untouched")
    func usageOfALotThatPaidADebt() async throws {
        let shop = try await Shop(catalogue: RefundsTakeGoodsBack.plainCoins)
        let first = shop.purchase("coins100", "T1")
        try await shop.submit(first)
        try await shop.spend(100)
        try await shop.submit(shop.refunded(first))
        try await shop.submit(shop.purchase("coins40", "T2"))
        try await shop.notify("REFUND_REVERSED", of: first)
        let view = try await shop.engine.transaction(
            try TransactionID("T2"), of: Shop.app, in: .production)
        let lot = try #require(view?.lots.first)
        #expect([lot.remaining, lot.refunded, lot.consumed] == [40, 0, 0])
    }

    /// The sum over all changes of prices.
    private static func revenue(_ shop: Shop) async throws -> Int64 {
        try await shop.count("SELECT CAST(COALESCE(SUM(price_milli), 0) AS BIGINT) FROM refunds")
    }
}
