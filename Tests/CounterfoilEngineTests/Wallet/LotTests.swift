// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Lots of a wallet", .onEveryDatabase)
struct LotsOfAWallet {
    @Test("A purchase makes a lot for what was paid and one for the bonus")
    func purchase() async throws {
        let shop = try await Shop()
        var coins = shop.purchase("coins100")
        coins.price = Money(amountMilli: 1990, currency: "EUR")
        try await shop.submit(coins)
        let books = try await WalletBooks(in: shop)
        #expect(try await books.lots() == ["t:T1 paid": 100, "t:T1 bonus": 10])
        #expect(try await price(in: shop) == 1990)
        try await shop.expectBalancedBooks()
    }

    @Test("What was paid is told to the lots also when it becomes known later")
    func latePrice() async throws {
        let shop = try await Shop()
        var coins = shop.purchase("coins100")
        coins.price = Money(amountMilli: 1990, currency: "EUR")
        try await shop.submitReceipt(of: [coins], claiming: "T1")
        #expect(try await price(in: shop) == 0)
        try await shop.submit(coins)
        #expect(try await price(in: shop) == 1990)
    }

    private func price(in shop: Shop) async throws -> Int64 {
        try await shop.count("SELECT CAST(COALESCE(SUM(price_milli), 0) AS BIGINT) FROM lots")
    }

    @Test("What is spent comes from the bonus first, or as the policy says")
    func order() async throws {
        let expected: [(ConsumptionOrder, [Int64])] = [
            (.bonusFirst, [100, 0, 0, 0]), (.paidFirst, [80, 20, 0, 0]),
            (.oldestFirst, [80, 20, 0, 0]),
        ]
        for (order, left) in expected {
            let books = try await WalletBooks(WalletPolicy(order: order))
            try await books.issue("t:T1", paid: 100)
            books.shop.clock.advance(by: .seconds(1))
            try await books.issue("t:T2", bonus: 20)
            try await books.spend(20)
            #expect(try await books.balances() == left, "\(order)")
        }
    }

    @Test("Nobody spends more than there is")
    func tooMuch() async throws {
        let books = try await WalletBooks()
        try await books.issue("t:T1", paid: 10, bonus: 5)
        let coins = try WalletBooks.coins
        await #expect(throws: WalletRefusal.insufficientBalance(coins, available: 15, wanted: 16)) {
            try await books.spend(16)
        }
        try await books.spend(15)
        #expect(try await books.balances() == [0, 0, 0, 0])
    }

    @Test("A refund takes from its own lot first, then from others, and the rest is owed")
    func refund() async throws {
        let books = try await WalletBooks()
        try await books.issue("t:T1", paid: 100, bonus: 10)
        try await books.issue("t:T2", paid: 50)
        try await books.spend(30)
        // The bonus is gone, 80 of T1 are left and all of T2.
        let taken = try await books.takeBack("t:T1", paid: 100, bonus: 10)
        #expect(taken == .init(paid: 110, bonus: 0, owed: 0))
        #expect(try await books.lots() == ["t:T2 paid": 20])
        let more = try await books.takeBack("t:T2", paid: 50)
        #expect(more == .init(paid: 20, bonus: 0, owed: 30))
        #expect(try await books.balances() == [0, 0, 0, -30])
        #expect(try await books.lots() == ["t:T2 debt": 30])
    }

    @Test("What is held is not taken back")
    func heldStays() async throws {
        let books = try await WalletBooks()
        try await books.issue("t:T1", paid: 100)
        let hold = try await books.reserve(60)
        let taken = try await books.takeBack("t:T1", paid: 100)
        #expect(taken == .init(paid: 40, bonus: 0, owed: 60))
        #expect(try await books.balances() == [0, 0, 60, -60])
        try await books.change { _ = try $0.void(hold) }
        #expect(try await books.balances() == [0, 0, 0, 0])
    }

    @Test("A reversal leaves the lots as if there had been no refund")
    func reversal() async throws {
        let books = try await WalletBooks()
        try await books.issue("t:T1", paid: 100, bonus: 10)
        try await books.issue("t:T2", paid: 50)
        try await books.spend(130)
        let before = try await books.lots()
        _ = try await books.takeBack("t:T1", paid: 100, bonus: 10)
        try await books.reverse("t:T1")
        #expect(try await books.lots() == before)
        #expect(try await books.balances() == [30, 0, 0, 0])
        // A second refund and reversal of the same sale are others.
        _ = try await books.takeBack("t:T1", paid: 100, bonus: 10, revision: 3)
        try await books.reverse("t:T1", revision: 3)
        #expect(try await books.lots() == before)
    }

    @Test("A reversal credits what was paid of its debt, and cancels what is open or written off")
    func reversedDebt() async throws {
        let books = try await WalletBooks()
        try await books.issue("t:T1", paid: 100)
        try await books.spend(100)
        _ = try await books.takeBack("t:T1", paid: 100)
        #expect(try await books.balances() == [0, 0, 0, -100])
        try await books.issue("t:T2", paid: 30, bonus: 5)
        #expect(try await books.balances() == [0, 5, 0, -70])
        let id = books.shop.engine.freshID()
        let written = try await books.change { wallet in
            try wallet.writeOff(
                WalletBooks.coins, upTo: 20, for: WalletAct(.writeOff, .operation(id)))
        }
        #expect(written == 20)
        #expect(try await books.balances() == [0, 5, 0, -50])
        try await books.reverse("t:T1")
        #expect(try await books.balances() == [30, 5, 0, 0])
        #expect(try await books.lots() == ["t:T2 paid": 30, "t:T2 bonus": 5])
        let left = try await books.shop.count(
            """
            SELECT CAST(SUM(e.amount) AS BIGINT) FROM entries e
            JOIN accounts a ON a.account_id = e.account_id WHERE a.kind = 'written_off'
            """)
        #expect(left == 0)
    }

    @Test("A transfer is undone once")
    func mirrorTwice() async throws {
        let books = try await WalletBooks()
        try await books.issue("t:T1", paid: 100)
        _ = try await books.takeBack("t:T1", paid: 100)
        try await books.reverse("t:T1")
        await #expect(throws: (any Error).self) { try await books.reverse("t:T1") }
        #expect(try await books.balances() == [100, 0, 0, 0])
    }

    @Test("Goods that were given are not undone by a mirror")
    func noMirrorOfGoods() async throws {
        let books = try await WalletBooks()
        try await books.issue("t:T1", paid: 100)
        await #expect(throws: LedgerError.cannotBeMirrored) {
            try await books.change { wallet in
                let id = WalletAct(.grant, .sale(WalletBooks.sale("t:T1"), revision: 0))
                    .transferID("paid:coins")
                try wallet.mirror(id, for: WalletBooks.refund("t:T1", 1))
            }
        }
    }

    @Test("A hold is posted in part; the rest goes back to the lots it came from")
    func partlyPosted() async throws {
        let books = try await WalletBooks()
        try await books.issue("t:T1", paid: 100, bonus: 10)
        let hold = try await books.reserve(50)
        #expect(try await books.balances() == [60, 0, 50, 0])
        let posted = try await books.change { try $0.post(hold, amount: 15) }
        #expect(posted.state == .posted)
        // The bonus would have been spent first.
        #expect(try await books.balances() == [95, 0, 0, 0])
        await #expect(throws: WalletRefusal.holdIsOver(.posted)) {
            try await books.change { _ = try $0.void(posted) }
        }
        await #expect(throws: WalletRefusal.aboveHold(held: 50, wanted: 51)) {
            try await books.change { _ = try $0.post(hold, amount: 51) }
        }
    }

    @Test("A hold is posted once, also while another one would cover it")
    func postedOnce() async throws {
        let books = try await WalletBooks()
        try await books.issue("t:T1", paid: 100)
        let hold = try await books.reserve(30)
        _ = try await books.reserve(40)
        let posted = try await books.change { try $0.post(hold) }
        await #expect(throws: WalletRefusal.holdIsOver(.posted)) {
            try await books.change { _ = try $0.post(posted) }
        }
        #expect(try await books.balances() == [30, 0, 40, 0])
    }

    @Test("The share of a price goes to the parts that were paid for")
    func shares() throws {
        let (coins, gems) = (try UnitID("coins"), try UnitID("gems"))
        let goods: [Goods] = [
            .unit(gems, amount: 0, bonus: 5, holder: .counterfoil),
            .unit(coins, amount: 100, bonus: 0, holder: .counterfoil),
            .entitlement(try EntitlementID("vip"), duration: nil),
        ]
        let price = Money(amountMilli: 4991, currency: "EUR")
        #expect(PriceShares.share(of: coins, in: goods, price)?.amountMilli == 2496)
        #expect(PriceShares.share(of: gems, in: goods, price) == nil)
        #expect(PriceShares.share(of: coins, in: goods, nil) == nil)
    }
}
