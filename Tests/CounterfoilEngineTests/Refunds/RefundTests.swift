// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Refunds take goods back", .onEveryDatabase)
struct RefundsTakeGoodsBack {
    @Test("A refund takes what is there, once, and says so")
    func once() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("coins100")
        purchase.price = Money(amountMilli: 990, currency: "USD")
        try await shop.submit(purchase)
        for _ in 0..<3 {
            let outcome = try await shop.submit(shop.refunded(purchase))
            #expect(outcome.words == "rejected revoked finish")
        }
        #expect(try await shop.purse() == [0, 0, 0])
        let events = try await shop.events("grant.reversed")
        #expect(events.count == 1)
        let data = try #require(events.first?["data"])
        #expect(data["goods"]?.array?.first?["amount"]?.int64 == -100)
        #expect(data["goods"]?.array?.first?["bonus"]?.int64 == -10)
        #expect(data["refunded_price"]?["amount_milli"]?.int64 == -990)
        #expect(data["debt"]?.array?.isEmpty == true)
        try await shop.expectBalancedBooks()
    }

    @Test("Field case 44: bought 100, spent 70, refunded, reversed: 30, then a debt of 70, then 30")
    func spentThenReversed() async throws {
        let shop = try await Shop(catalogue: Self.plainCoins)
        let purchase = shop.purchase("coins100")
        try await shop.submit(purchase)
        try await shop.spend(70)
        try await shop.submit(shop.refunded(purchase))
        #expect(try await shop.purse() == [0, 0, -70])
        #expect(
            try await shop.events("grant.reversed").first?["data"]?["debt"]?.array?.first?[
                "amount"]?
                .int64 == 70)
        try await shop.notify("REFUND_REVERSED", of: purchase)
        #expect(try await shop.purse() == [30, 0, 0])
        #expect(try await shop.events("grant.restored").count == 1)
        #expect(try await shop.submit(purchase).words == "already_fulfilled finish")
        try await shop.expectBalancedBooks()
    }

    @Test("A debt that was paid meanwhile is credited by the reversal")
    func paidDebt() async throws {
        let shop = try await Shop(catalogue: Self.plainCoins)
        let purchase = shop.purchase("coins100", "T1")
        try await shop.submit(purchase)
        try await shop.spend(100)
        try await shop.submit(shop.refunded(purchase))
        #expect(try await shop.purse() == [0, 0, -100])
        try await shop.submit(shop.purchase("coins40", "T2"))
        #expect(try await shop.purse() == [0, 0, -60])
        try await shop.notify("REFUND_REVERSED", of: purchase)
        #expect(try await shop.purse() == [40, 0, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("A refund, its reversal, and a refund again, as often as Apple changes its mind")
    func changesOfMind() async throws {
        let shop = try await Shop(catalogue: Self.plainCoins)
        let purchase = shop.purchase("coins100")
        try await shop.submit(purchase)
        try await shop.spend(70)
        for round in 0..<3 {
            let start = shop.clock.now - .seconds(2000) + .seconds(Int64(round) * 100)
            try await shop.submit(shop.refunded(purchase, at: start))
            #expect(try await shop.purse() == [0, 0, -70], "\(round)")
            try await shop.notify("REFUND_REVERSED", of: purchase, at: start + .seconds(50))
            #expect(try await shop.purse() == [30, 0, 0], "\(round)")
        }
        try await shop.expectBalancedBooks()
    }

    @Test(
        "A part of a refund takes a part, a larger share takes the rest of it",
        arguments: [(40_000, 66, 6), (33_333, 74, 7), (0, 110, 10), (99_800, 1, 1)])
    func parts(_ share: Int64, _ paid: Int64, _ bonus: Int64) async throws {
        let shop = try await Shop(catalogue: Self.odd)
        let purchase = shop.purchase("coins110")
        try await shop.submit(purchase)
        let part = shop.refunded(purchase, percentageMilli: share, type: "REFUND_PRORATED")
        try await shop.submit(part)
        #expect(try await shop.purse() == [paid, bonus, 0])
        try await shop.expectBalancedBooks()
        try await shop.submit(shop.refunded(purchase, at: shop.clock.now - .seconds(400)))
        #expect(try await shop.purse() == [0, 0, 0])
        try await shop.expectBalancedBooks()
        try await shop.submit(
            shop.refunded(
                purchase, percentageMilli: share, type: "REFUND_PRORATED",
                at: shop.clock.now - .seconds(200)))
        #expect(try await shop.purse() == [paid, bonus, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("One of three pieces is taken back whole")
    func pieces() async throws {
        let shop = try await Shop(catalogue: Self.plainCoins)
        var purchase = shop.purchase("coins100")
        purchase.quantity = 3
        try await shop.submit(purchase)
        #expect(try await shop.purse() == [300, 0, 0])
        try await shop.submit(shop.refunded(purchase, percentageMilli: 33_333))
        #expect(try await shop.purse() == [200, 0, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("Whether a refund of a part comes first or last, the rest is there")
    func anyOrder() async throws {
        for order in [[0, 1], [1, 0], [1], [1, 0, 1, 0]] {
            let shop = try await Shop()
            let purchase = shop.purchase("starter", "T1", .nonConsumable)
            let copies = [purchase, shop.refunded(purchase, percentageMilli: 40_000)]
            for index in order { try await shop.submit(copies[index]) }
            try await shop.engine.runDueJobs()
            #expect(try await shop.purse() == [300, 0, 0], "\(order)")
            #expect(try await shop.rights().isEmpty, "\(order)")
            try await shop.expectBalancedBooks()
        }
    }

    @Test("Field case 40: the old proof handed in after the refund gives nothing back")
    func oldProof() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100")
        try await shop.submit(purchase)
        try await shop.submit(shop.refunded(purchase))
        #expect(try await shop.submit(purchase).words == "rejected revoked finish")
        _ = try await shop.submitReceipt(of: [purchase], claiming: "T1")
        #expect(try await shop.purse() == [0, 0, 0])
        #expect(try await shop.events("grant.restored").isEmpty)
        try await shop.expectBalancedBooks()
    }

    @Test("Field case 41: what was refunded is still there to be seen")
    func kept() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100")
        try await shop.submit(purchase)
        try await shop.submit(shop.refunded(purchase))
        #expect(try await shop.count("SELECT COUNT(*) FROM grants") == 2)
        #expect(
            try await shop.count(
                "SELECT COUNT(*) FROM refunds WHERE revocation_date IS NOT NULL") == 1)
        let fulfilled = try await shop.events("purchase.fulfilled")
        #expect(fulfilled.count == 1)
    }

    static let plainCoins = """
        {
          units: [{ id: "coins", kind: "currency", held_by: "counterfoil" }],
          products: [
            { id: "coins100", type: "consumable", goods: [{ unit: "coins", amount: 100 }] },
            { id: "coins40", type: "consumable", goods: [{ unit: "coins", amount: 40 }] },
          ],
        }
        """

    private static let odd = """
        {
          units: [{ id: "coins", kind: "currency", held_by: "counterfoil" }],
          products: [
            { id: "coins110", type: "consumable",
              goods: [{ unit: "coins", amount: 110, bonus: 10 }] },
          ],
        }
        """
}

@Suite("Refunds end rights", .onEveryDatabase)
struct RefundsEndRights {
    @Test("A right ends with the refund and comes back with its reversal")
    func right() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("noads", "N1", .nonConsumable)
        try await shop.submit(purchase)
        #expect(try await shop.rights() == ["no_ads"])
        try await shop.submit(shop.refunded(purchase))
        #expect(try await shop.rights().isEmpty)
        #expect(try await shop.events("grant.reversed").count == 1)
        try await shop.expectBalancedBooks()
        try await shop.notify("REFUND_REVERSED", of: purchase)
        #expect(try await shop.rights() == ["no_ads"])
        try await shop.expectBalancedBooks()
    }

    @Test("A refunded period makes room for those behind it")
    func stacked() async throws {
        let shop = try await Shop()
        let passes = (0..<3).map { index in
            var pass = shop.purchase("pass30", "P\(index)", .nonRenewingSubscription)
            pass.purchaseDate = pass.purchaseDate + .seconds(Int64(index))
            return pass
        }
        for pass in passes { try await shop.submit(pass) }
        let end = try #require(try await shop.view()?.entitlements.first?.endsAt)
        try await shop.submit(shop.refunded(passes[1]))
        let earlier = try #require(try await shop.view()?.entitlements.first?.endsAt)
        #expect(earlier.millisecondsSinceEpoch == end.millisecondsSinceEpoch - 30 * 86_400_000)
        try await shop.expectBalancedBooks()
    }

    @Test("The end of family sharing ends the right and takes no units")
    func familyRevoke() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("starter", "S1", .nonConsumable)
        purchase.ownershipType = "FAMILY_SHARED"
        try await shop.submit(purchase)
        #expect(try await shop.rights() == ["founder"])
        try await shop.submit(shop.refunded(purchase, type: "FAMILY_REVOKE"))
        #expect(try await shop.rights().isEmpty)
        #expect(try await shop.purse() == [0, 0, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("What another backend delivered loses its right only")
    func deliveredElsewhere() async throws {
        let shop = try await Shop(deliverFrom: TestAuthority.clock.now)
        let purchase = shop.purchase("starter", "S1", .nonConsumable)
        #expect(try await shop.submit(purchase).words == "restored finish")
        try await shop.submit(shop.refunded(purchase))
        #expect(try await shop.rights().isEmpty)
        #expect(try await shop.purse() == [0, 0, 0])
        try await shop.expectBalancedBooks()
    }
}

@Suite("Policies of refunds", .onEveryDatabase)
struct PoliciesOfRefunds {
    @Test("A shortfall of a small refund is written off, and its reversal owes nothing")
    func writtenOff() async throws {
        let shop = try await Shop(refunds: RefundPolicy(writesOffBelow: ["USD": 1000]))
        var purchase = shop.purchase("coins100")
        purchase.price = Money(amountMilli: 990, currency: "USD")
        try await shop.submit(purchase)
        try await shop.spend(110)
        try await shop.submit(shop.refunded(purchase))
        #expect(try await shop.purse() == [0, 0, 0])
        let data = try await shop.events("grant.reversed").first?["data"]
        #expect(data?["written_off"]?.array?.first?["amount"]?.int64 == 110)
        #expect(data?["debt"]?.array?.isEmpty == true)
        try await shop.expectBalancedBooks()
        try await shop.notify("REFUND_REVERSED", of: purchase)
        #expect(try await shop.purse() == [0, 0, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("A refund that is not small is owed")
    func owed() async throws {
        let shop = try await Shop(refunds: RefundPolicy(writesOffBelow: ["USD": 990]))
        var purchase = shop.purchase("coins100")
        purchase.price = Money(amountMilli: 990, currency: "USD")
        try await shop.submit(purchase)
        try await shop.spend(110)
        try await shop.submit(shop.refunded(purchase))
        #expect(try await shop.purse() == [0, 0, -110])
    }

    @Test("Whether a refund is small is asked of all of it, not of its last change")
    func smallerShareOfALargeRefund() async throws {
        let shop = try await Shop(refunds: RefundPolicy(writesOffBelow: ["USD": 1000]))
        var purchase = shop.purchase("coins100")
        purchase.price = Money(amountMilli: 99_900, currency: "USD")
        try await shop.submit(purchase)
        try await shop.spend(110)
        try await shop.submit(shop.refunded(purchase))
        #expect(try await shop.purse() == [0, 0, -110])
        try await shop.submit(
            shop.refunded(
                purchase, percentageMilli: 40_000, at: shop.clock.now - .seconds(400)))
        #expect(try await shop.purse() == [0, 0, -44])
        try await shop.expectBalancedBooks()
    }

    @Test("The end of family sharing is no refund, and one refund in two parts is one")
    func whatIsNoRisk() async throws {
        let shop = try await Shop(refunds: RefundPolicy(suggestsBanFrom: 2))
        for index in 0..<3 {
            var copy = shop.purchase("starter", "S\(index)", .nonConsumable)
            copy.ownershipType = "FAMILY_SHARED"
            try await shop.submit(copy)
            try await shop.submit(shop.refunded(copy, type: "FAMILY_REVOKE"))
        }
        let purchase = shop.purchase("coins100")
        try await shop.submit(purchase)
        for share: Int64? in [40_000, nil] {
            let date = shop.clock.now - .seconds(share == nil ? 400 : 600)
            try await shop.submit(shop.refunded(purchase, percentageMilli: share, at: date))
        }
        let suggestions = try await shop.events("grant.reversed")
            .map { $0["data"]?["suggests_ban"]?.bool }
        #expect(suggestions == [false, false, false, false, false])
    }

    @Test("Many refunds suggest to look at the customer, and nothing more")
    func suggestsBan() async throws {
        let shop = try await Shop(refunds: RefundPolicy(suggestsBanFrom: 2))
        for index in 0..<3 {
            let purchase = shop.purchase("coins100", "T\(index)")
            try await shop.submit(purchase)
            try await shop.submit(shop.refunded(purchase))
        }
        let suggestions = try await shop.events("grant.reversed")
            .map { $0["data"]?["suggests_ban"]?.bool }
        #expect(suggestions == [false, true, true])
        #expect(try await shop.submit(shop.purchase("coins100", "T9")).words == "fulfilled finish")
    }
}
