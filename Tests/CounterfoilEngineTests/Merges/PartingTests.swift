// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Customers who are parted again", .onEveryDatabase)
struct PartedCustomers {
    @Test("A credit goes back through every merge that it went through")
    func creditThroughTwoMerges() async throws {
        let shop = try await Shop()
        for customer in ["b", "c"] {
            try await shop.submit(
                shop.purchase("noads", "T\(customer)", .nonConsumable), by: customer)
        }
        try await shop.credit(110, for: "C9", to: "a")
        let first = try await shop.merge("a", into: "b")
        let second = try await shop.merge("b", into: "c")
        #expect(try await shop.coins("c") == [110, 0])
        _ = try await shop.undo(second)
        #expect(try await shop.coins("b") == [110, 0])
        _ = try await shop.undo(first)
        #expect(try await shop.coins("a") == [110, 0])
        try await shop.submit(shop.purchase("coins100", "C9"), by: "a")
        #expect(try await shop.coins("a") == [110, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("A credit whose purchase came at the second target stays there with it")
    func creditSettledBehindTwoMerges() async throws {
        let shop = try await Shop()
        for customer in ["b", "c"] {
            try await shop.submit(
                shop.purchase("noads", "T\(customer)", .nonConsumable), by: customer)
        }
        try await shop.credit(110, for: "C9", to: "a")
        let first = try await shop.merge("a", into: "b")
        let second = try await shop.merge("b", into: "c")
        try await shop.submit(shop.purchase("coins100", "C9"), by: "c")
        _ = try await shop.undo(second)
        _ = try await shop.undo(first)
        #expect(try await shop.coins("c") == [110, 0])
        for customer in ["a", "b"] {
            #expect(try await shop.coins(customer) == [0, 0])
            #expect(try await shop.owed(customer) == 0)
        }
        try await shop.expectBalancedBooks()
    }

    @Test("An order goes back through every merge that it went through")
    func orderThroughTwoMerges() async throws {
        let shop = try await Shop()
        for customer in ["b", "c"] {
            try await shop.submit(
                shop.purchase("noads", "T\(customer)", .nonConsumable), by: customer)
        }
        let order = try await shop.order(by: "a")
        let first = try await shop.merge("a", into: "b")
        let second = try await shop.merge("b", into: "c")
        _ = try await shop.undo(second)
        _ = try await shop.undo(first)
        for (viewer, sees) in [("a", true), ("b", false), ("c", false)] {
            let seen = try await shop.engine.order(
                order.id, of: Shop.app, visibleTo: CustomerID(viewer))
            #expect((seen != nil) == sees, "\(viewer)")
        }
    }

    @Test("Of a credit whose purchase was refunded meanwhile nothing comes back")
    func refundedCredit() async throws {
        let shop = try await Shop()
        try await shop.credit(110, for: "C1", to: "guest")
        let purchase = shop.purchase("coins100", "C1")
        try await shop.submit(purchase, by: "guest")
        #expect(try await shop.coins("guest") == [110, 0])
        let done = try await shop.merge("guest", into: "known")
        try await shop.submit(shop.refunded(purchase), by: "known")
        #expect(try await shop.coins("known") == [0, 0])
        _ = try await shop.undo(done)
        #expect(try await shop.coins("guest") == [0, 0])
        #expect(try await shop.owed("known") == 0)
        try await shop.expectBalancedBooks()
    }

    @Test("What a refund took before the merge does not excuse what is spent after it")
    func partialRefundBefore() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100", "C1")
        try await shop.submit(purchase, by: "guest")
        try await shop.submit(
            shop.refunded(purchase, percentageMilli: 50_000, type: "REFUND_PRORATED"), by: "guest")
        #expect(try await shop.coins("guest") == [50, 5])
        let done = try await shop.merge("guest", into: "known")
        try await shop.spend(55, by: "known")
        _ = try await shop.undo(done)
        #expect(try await shop.coins("guest") == [50, 5])
        #expect(try await shop.owed("known") == 55)
        try await shop.expectBalancedBooks()
    }

    @Test("What a refund charged the target for is not charged a second time")
    func partialRefundAfter() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100", "C1")
        try await shop.submit(purchase, by: "guest")
        try await shop.spend(50, by: "guest")
        let done = try await shop.merge("guest", into: "known")
        try await shop.spend(20, by: "known")
        #expect(try await shop.coins("known") == [40, 0])
        try await shop.submit(
            shop.refunded(purchase, percentageMilli: 50_000, type: "REFUND_PRORATED"), by: "known")
        #expect(try await shop.coins("known") == [0, 0])
        #expect(try await shop.owed("known") == 15)
        _ = try await shop.undo(done)
        // 60 came, the refund is of 55, and the target has spent 20.
        #expect(try await shop.coins("guest") == [5, 0])
        #expect(try await shop.owed("known") == 20)
        try await shop.expectBalancedBooks()
    }

    @Test("A reversal that is heard of after the parting gives back to whom the sale is")
    func lateReversal() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100", "C1")
        try await shop.submit(purchase, by: "guest")
        let done = try await shop.merge("guest", into: "known")
        try await shop.submit(shop.refunded(purchase), by: "known")
        _ = try await shop.undo(done)
        try await shop.notify("REFUND_REVERSED", of: purchase)
        #expect(try await shop.coins("guest") == [100, 10])
        #expect(try await shop.coins("known") == [0, 0])
        #expect(try await shop.owed("known") == 0)
        try await shop.expectBalancedBooks()
    }

    @Test(
        "A reversal after the parting leaves the target without what it spent")
    func lateReversalOfDebt() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100", "C1")
        try await shop.submit(purchase, by: "guest")
        let done = try await shop.merge("guest", into: "known")
        try await shop.spend(30, by: "known")
        try await shop.submit(shop.refunded(purchase), by: "known")
        #expect(try await shop.owed("known") == 30)
        _ = try await shop.undo(done)
        try await shop.submit(shop.purchase("coins100", "C2"), by: "known")
        #expect(try await shop.coins("known") == [70, 10])
        try await shop.notify("REFUND_REVERSED", of: purchase)
        #expect(try await shop.coins("guest") == [100, 10])
        #expect(try await shop.coins("known") == [70, 10])
        #expect(try await shop.owed("known") == 0)
        try await shop.expectBalancedBooks()
    }

    @Test("A reversal after the parting tells the target's readers that it owes nothing any more")
    func lateReversalTold() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100", "C1")
        try await shop.submit(purchase, by: "guest")
        try await shop.spend(50, by: "guest")
        let done = try await shop.merge("guest", into: "known")
        try await shop.submit(shop.refunded(purchase), by: "known")
        _ = try await shop.undo(done)
        #expect(try await shop.coins("guest") == [0, 0])
        #expect(try await shop.owed("known") == 50)
        try await shop.notify("REFUND_REVERSED", of: purchase)
        #expect(try await shop.coins("guest") == [60, 0])
        #expect(try await shop.owed("known") == 0)
        let told = try await shop.events(.walletChanged).filter {
            $0["kind"]?.string == "reversal"
        }
        #expect(told.compactMap { $0["changes"]?.array?.first?["debt"]?.int64 } == [-50])
        try await shop.expectBalancedBooks()
    }

    @Test("A reversal after two partings goes back through both")
    func lateReversalThroughTwo() async throws {
        let shop = try await Shop()
        for customer in ["b", "c"] {
            try await shop.submit(
                shop.purchase("noads", "T\(customer)", .nonConsumable), by: customer)
        }
        let purchase = shop.purchase("coins100", "C1")
        try await shop.submit(purchase, by: "a")
        let first = try await shop.merge("a", into: "b")
        let second = try await shop.merge("b", into: "c")
        try await shop.spend(30, by: "c")
        try await shop.submit(shop.refunded(purchase), by: "c")
        _ = try await shop.undo(second)
        _ = try await shop.undo(first)
        #expect(try await shop.coins("a") == [0, 0])
        #expect(try await shop.owed("c") == 30)
        let third = try await shop.merge("a", into: "d")
        try await shop.notify("REFUND_REVERSED", of: purchase)
        #expect(try await shop.coins("d") == [100, 10])
        #expect(try await shop.coins("b") == [0, 0])
        #expect(try await shop.owed("b") + shop.owed("c") == 30)
        try await shop.expectBalancedBooks()
        _ = try await shop.undo(third)
        #expect(try await shop.coins("a") == [100, 10])
        try await shop.expectBalancedBooks()
    }

    @Test("A smaller refund that replaces a whole one after the parting is the customer's own")
    func lateSmallerRefund() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100", "C1")
        try await shop.submit(purchase, by: "guest")
        let done = try await shop.merge("guest", into: "known")
        try await shop.submit(shop.refunded(purchase), by: "known")
        _ = try await shop.undo(done)
        try await shop.notify("REFUND_REVERSED", of: purchase, at: shop.clock.now - .seconds(500))
        try await shop.notify(
            "REFUND",
            of: shop.refunded(
                purchase, percentageMilli: 50_000, type: "REFUND_PRORATED",
                at: shop.clock.now - .seconds(400)), at: shop.clock.now - .seconds(390))
        #expect(try await shop.coins("guest") == [50, 5])
        #expect(try await shop.coins("known") == [0, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("What moved keeps its date, and is not consumed by moving")
    func movedLots() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100", "C1"), by: "guest")
        let bought = shop.clock.now
        shop.clock.advance(by: .seconds(3600))
        try await shop.submit(shop.purchase("coins100", "C2"), by: "known")
        let done = try await shop.merge("guest", into: "known")
        #expect(
            try await shop.engine.database.read { transaction in
                try transaction.row(
                    "SELECT COUNT(*) FROM lots WHERE remaining > 0 AND created_at = $1",
                    [.value(bought)])?.integer(0)
            } == 2)
        try await shop.operate(.spend(try UnitID("coins"), 30), by: "known")
        #expect(try await shop.consumed() == 30)
        _ = try await shop.undo(done)
        #expect(try await shop.consumed() <= 30)
        try await shop.expectBalancedBooks()
    }

    @Test("An undo looks at what its merge moved, however much the target has had since")
    func boundedUndo() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100", "C1"), by: "guest")
        try await shop.submit(shop.purchase("noads", "T1", .nonConsumable), by: "known")
        let done = try await shop.merge("guest", into: "known")
        try await shop.submit(shop.purchase("noads", "T2", .nonConsumable), by: "known")
        _ = try await shop.undo(done)
        #expect(try await shop.rights("known") == ["no_ads"])
        #expect(try await shop.rights("guest") == [])
        #expect(try await shop.coins("guest") == [100, 10])
        try await shop.expectBalancedBooks()
    }
}

extension Shop {
    /// What customers used of all sales together.
    fileprivate func consumed() async throws -> Int64 {
        var sum: Int64 = 0
        for transaction in ["C1", "C2"] {
            let view = try await engine.transaction(
                TransactionID(transaction), of: Self.app, in: .production)
            sum += view?.lots.reduce(0) { $0 + $1.consumed } ?? 0
        }
        return sum
    }
}
