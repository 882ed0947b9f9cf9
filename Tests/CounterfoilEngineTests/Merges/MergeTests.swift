// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Two customers become one", .onEveryDatabase)
struct TwoCustomersBecomeOne {
    @Test("Balances, rights and tokens are the target's, and both ids name it")
    func merge() async throws {
        let shop = try await Shop()
        let token = try await shop.engine.registerToken(
            nil, for: CustomerID("guest"), to: shop.policy)
        try await shop.submit(shop.purchase("coins100", "C1"), by: "guest")
        try await shop.submit(shop.purchase("noads", "T1", .nonConsumable), by: "guest")
        try await shop.submit(shop.purchase("coins100", "C2"), by: "known")
        let done = try await shop.merge("guest", into: "known")
        let again = try await shop.merge("guest", into: "known")
        #expect(again.merge.mergeID == done.merge.mergeID)
        for id in ["guest", "known"] {
            #expect(try await shop.coins(id) == [200, 20])
            #expect(try await shop.rights(id) == ["no_ads"])
        }
        var bought = shop.purchase("coins100", "C3")
        bought.appAccountToken = token
        #expect(try await shop.submit(bought, by: "known").words == "fulfilled finish")
        let first = shop.purchase("coins100", "C1")
        #expect(try await shop.submit(first, by: "known").words == "already_fulfilled finish")
        let restored = shop.restored(of: shop.purchase("noads", "T1", .nonConsumable), "T2")
        #expect(try await shop.submit(restored, by: "known").words == "restored finish")
        #expect(try await shop.coins("known") == [300, 30])
        #expect(try await shop.count("SELECT COUNT(*) FROM conflicts") == 0)
        try await shop.expectBalancedBooks()
    }

    @Test("Undoing it gives back what was brought; what is spent is owed")
    func undo() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100", "C1"), by: "guest")
        try await shop.submit(shop.purchase("noads", "T1", .nonConsumable), by: "guest")
        let done = try await shop.merge("guest", into: "known")
        try await shop.submit(shop.purchase("noads", "T9", .nonConsumable), by: "guest")
        try await shop.spend(60, by: "known")
        #expect(try await shop.coins("known") == [50, 0])
        let undone = try await shop.undo(done)
        #expect(try await shop.undo(done).merge.undoneAt == undone.merge.undoneAt)
        #expect(try await shop.coins("guest") == [100, 10])
        #expect(try await shop.coins("known") == [0, 0])
        #expect(try await shop.owed("known") == 60)
        #expect(try await shop.rights("guest") == ["no_ads"])
        // What came in the meantime came to the target.
        #expect(try await shop.rights("known") == ["no_ads"])
        #expect(
            try await shop.submit(shop.purchase("coins100", "C1"), by: "guest").words
                == "already_fulfilled finish")
        #expect(
            try await shop.submit(shop.purchase("noads", "T9", .nonConsumable), by: "guest").words
                == "rejected owned_by_another_customer finish")
        try await shop.expectBalancedBooks()
    }

    @Test("A refund after it takes from the target, and its reversal gives back to the target")
    func refundAfter() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("coins100", "C1")
        try await shop.submit(purchase, by: "guest")
        let done = try await shop.merge("guest", into: "known")
        try await shop.spend(30, by: "known")
        purchase.revocation = .init(date: shop.clock.now - .seconds(60))
        purchase.signedDate = shop.clock.now - .seconds(30)
        try await shop.submit(purchase, by: "known")
        #expect(try await shop.coins("known") == [0, 0])
        #expect(try await shop.owed("known") == 30)
        try await shop.expectBalancedBooks()
        // The sale is gone for both; nobody gets its goods back by parting.
        _ = try await shop.undo(done)
        #expect(try await shop.coins("guest") == [0, 0])
        #expect(try await shop.owed("known") == 30)
        try await shop.expectBalancedBooks()
    }

    @Test("Debt moves with its customer, and goes back as far as it is open")
    func debt() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("coins100", "C1")
        try await shop.submit(purchase, by: "guest")
        try await shop.spend(110, by: "guest")
        purchase.revocation = .init(date: shop.clock.now - .seconds(60))
        purchase.signedDate = shop.clock.now - .seconds(30)
        try await shop.submit(purchase, by: "guest")
        #expect(try await shop.owed("guest") == 110)
        let done = try await shop.merge("guest", into: "known")
        #expect(try await shop.owed("known") == 110)
        _ = try await shop.undo(done)
        #expect(try await shop.owed("guest") == 110)
        #expect(try await shop.owed("known") == 0)
        try await shop.expectBalancedBooks()
    }

    @Test(
        "A refund that is taken back after it cancels the debt that moved, and gives back what paid it"
    )
    func reversalOfMovedDebt() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100", "C1")
        try await shop.submit(purchase, by: "guest")
        try await shop.spend(110, by: "guest")
        try await shop.submit(shop.refunded(purchase), by: "guest")
        let done = try await shop.merge("guest", into: "known")
        // A purchase pays the debt from what was paid for, and the reversal gives that back.
        try await shop.submit(shop.purchase("coins100", "C2"), by: "known")
        #expect(try await shop.owed("known") == 10)
        #expect(try await shop.coins("known") == [0, 10])
        try await shop.notify("REFUND_REVERSED", of: purchase)
        #expect(try await shop.owed("known") == 0)
        #expect(try await shop.coins("known") == [100, 10])
        try await shop.expectBalancedBooks()
        _ = try await shop.undo(done)
        #expect(try await shop.coins("known") == [100, 10])
        #expect(try await shop.coins("guest") == [0, 0])
        #expect(try await shop.owed("guest") == 0)
        try await shop.expectBalancedBooks()
    }

    @Test("A credit stands in for its purchase at the target too, and goes back if none came")
    func standingCredits() async throws {
        let shop = try await Shop()
        for transaction in ["C1", "C9"] {
            try await shop.credit(110, for: transaction, to: "guest")
        }
        let done = try await shop.merge("guest", into: "known")
        try await shop.submit(shop.purchase("coins100", "C1"), by: "known")
        #expect(try await shop.coins("known") == [220, 0])
        _ = try await shop.undo(done)
        // The first has become a purchase, which came to the target.
        #expect(try await shop.coins("known") == [110, 0])
        #expect(try await shop.coins("guest") == [110, 0])
        try await shop.submit(shop.purchase("coins100", "C9"), by: "guest")
        #expect(try await shop.coins("guest") == [110, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("What is reserved stays so at the target, and goes back if nobody has decided")
    func holds() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100", "C1"), by: "guest")
        try await shop.submit(shop.purchase("coins100", "C2"), by: "known")
        let holds = [
            try await shop.reserve(40, by: "guest"), try await shop.reserve(30, by: "guest"),
        ]
        let done = try await shop.merge("guest", into: "known")
        #expect(try await shop.held() == ["known": 70])
        // Either id decides about it.
        try await shop.operate(.post(hold: holds[0], amount: nil), by: "guest")
        #expect(try await shop.held() == ["known": 30])
        _ = try await shop.undo(done)
        #expect(try await shop.held() == ["guest": 30])
        #expect(try await shop.coins("guest") == [70, 10])
        #expect(try await shop.coins("known") == [60, 10])
        try await shop.operate(.void(hold: holds[1]), by: "guest")
        #expect(try await shop.coins("guest") == [100, 10])
        try await shop.expectBalancedBooks()
    }

    @Test("What was paid for a lot is told to it where it is, if it becomes known after the merge")
    func latePrice() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("coins100", "C1")
        purchase.price = Money(amountMilli: 4990, currency: "USD")
        try await shop.submitReceipt(of: [purchase], by: "guest", claiming: "C1")
        try await shop.spend(60, by: "guest")
        let done = try await shop.merge("guest", into: "known")
        #expect(try await shop.prices() == [])
        try await shop.submit(purchase, by: "known")
        // Half of the units moved, and half of the price with them.
        #expect(try await shop.prices() == [2495])
        _ = try await shop.undo(done)
        #expect(try await shop.prices() == [4990])
        try await shop.expectBalancedBooks()
    }

    @Test("Either id sees the order and the submission of the other, and nobody else does")
    func visibility() async throws {
        let shop = try await Shop()
        let made = try await shop.submit(shop.purchase("coins100", "C1"), by: "guest")
        let engine = shop.engine
        let order = try await shop.order(by: "guest")
        _ = try await shop.merge("guest", into: "known")
        for (viewer, sees) in [("guest", true), ("known", true), ("other", false)] {
            let id = try CustomerID(viewer)
            let submission = try await engine.submission(
                made.submissionID, of: Shop.app, visibleTo: id)
            #expect((submission != nil) == sees, "\(viewer)")
            let seen = try await engine.order(order.id, of: Shop.app, visibleTo: id)
            #expect((seen != nil) == sees, "\(viewer)")
        }
    }

    @Test("What cannot be merged is refused by name")
    func refusals() async throws {
        let shop = try await Shop()
        for customer in ["a", "b", "c"] {
            try await shop.submit(shop.purchase("coins100", "C\(customer)"), by: customer)
        }
        await #expect(throws: MergeRefusal.unknownCustomer) {
            try await shop.merge("nobody", into: "a")
        }
        await #expect(throws: MergeRefusal.sameCustomer) { try await shop.merge("a", into: "a") }
        let first = try await shop.merge("a", into: "b")
        await #expect(throws: MergeRefusal.sameCustomer) { try await shop.merge("b", into: "a") }
        await #expect(throws: MergeRefusal.mergedElsewhere) {
            try await shop.merge("a", into: "c")
        }
        let second = try await shop.merge("b", into: "c")
        #expect(try await shop.coins("a") == [300, 30])
        await #expect(throws: MergeRefusal.sameCustomer) { try await shop.merge("c", into: "a") }
        await #expect(throws: MergeRefusal.targetMerged) { try await shop.undo(first) }
        _ = try await shop.undo(second)
        _ = try await shop.undo(first)
        for customer in ["a", "b", "c"] {
            #expect(try await shop.coins(customer) == [100, 10])
        }
        try await shop.expectBalancedBooks()
    }
}

extension Shop {
    @discardableResult
    func merge(
        _ customer: String, into target: String, at server: Engine? = nil
    ) async throws -> MergeView {
        let server = server ?? engine
        let merge = server.merge(
            try CustomerID(customer), into: try CustomerID(target), reason: "one player", policy)
        return try await server.database.write { try merge.run(in: $0) }
    }

    @discardableResult
    func undo(_ merge: MergeView) async throws -> MergeView {
        let undo = engine.mergeUndo(of: merge.merge.mergeID, reason: "two players", policy)
        return try await engine.database.write { try undo.run(in: $0) }
    }

    @discardableResult
    func operate(
        _ action: WalletOperation.Action, by customer: String
    ) async throws -> WalletChange? {
        let operation = engine.walletOperation(
            action, on: try CustomerID(customer), in: .production, reason: nil, reference: nil,
            under: policy)
        return try await engine.database.write { try operation.run(in: $0) }
    }

    func reserve(_ amount: Int64, by customer: String) async throws -> UniqueID {
        let change = try await operate(
            .reserve(try UnitID("coins"), amount, for: .seconds(3600)), by: customer)
        return try #require(change?.hold).holdID
    }

    /// What is set aside, by the customers' own ids.
    func held() async throws -> [String: Int64] {
        try await engine.database.read { transaction in
            let rows = try transaction.rows(
                """
                SELECT a.customer_id, c.balance FROM accounts c
                JOIN aliases a ON a.customer_key = c.customer_key
                WHERE c.kind = 'held' AND c.balance > 0
                """)
            return Dictionary(
                uniqueKeysWithValues: try rows.map { (try $0.text(0), try $0.integer(1)) })
        }
    }

    /// The prices of the lots that there is something left of.
    func prices() async throws -> [Int64] {
        try await engine.database.read { transaction in
            try transaction.rows(
                "SELECT price_milli FROM lots WHERE remaining > 0 AND price_milli IS NOT NULL"
            ).map { try $0.integer(0) }
        }
    }

    /// Gives paid units in place of a purchase that is still to come.
    func credit(
        _ amount: Int64, for transaction: String, to customer: String
    ) async throws {
        var credit = WalletOperation.Credit(unit: try UnitID("coins"))
        credit.amount = amount
        credit.transactionID = try TransactionID(transaction)
        let operation = engine.walletOperation(
            .credit(credit), on: try CustomerID(customer), in: .production, reason: "support",
            reference: nil, under: policy)
        _ = try await engine.database.write { try operation.run(in: $0) }
    }

    func owed(_ customer: String) async throws -> Int64 {
        let id = try CustomerID(customer)
        return try await engine.database.read { transaction in
            guard let key = try transaction.customerKey(Self.app, id) else { return 0 }
            return
                -(try transaction.balances(Self.app, .production, key)
                .first { $0.kind == .debt }?.amount ?? 0)
        }
    }
}
