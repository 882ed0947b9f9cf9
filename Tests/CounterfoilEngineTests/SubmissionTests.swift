// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("P1: a sale yields its goods once", .onEveryDatabase)
struct SaleIsDeliveredOnce {
    @Test("The first proof grants, every later one says so and grants nothing")
    func repeats() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100")
        #expect(try await shop.submit(purchase).words == "fulfilled finish")
        for _ in 0..<3 {
            #expect(try await shop.submit(purchase).words == "already_fulfilled finish")
        }
        #expect(try await shop.coins() == [100, 10])
        #expect(try await shop.eventTypes() == ["purchase.fulfilled"])
        #expect(try await shop.count("SELECT COUNT(*) FROM submissions") == 4)
        try await shop.expectBalancedBooks()
    }

    @Test("Fifty submissions at the same time grant once", arguments: [false, true])
    func parallel(isReceipt: Bool) async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100")
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    isReceipt
                        ? try await shop.submitReceipt(of: [purchase], claiming: "T1").words
                        : try await shop.submit(purchase).words
                }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(answers == ["fulfilled finish": 1, "already_fulfilled finish": 49])
        #expect(try await shop.coins() == [100, 10])
        try await shop.expectBalancedBooks()
    }

    @Test("The same sale in other bytes is the same sale: field case 21")
    func otherBytes() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("coins100")
        #expect(try await shop.submit(purchase).words == "fulfilled finish")
        purchase.signedDate = purchase.signedDate + .seconds(60)
        #expect(try await shop.submit(purchase).words == "already_fulfilled finish")
        for seconds in [10, 20] {
            let outcome = try await shop.submitReceipt(
                of: [purchase], claiming: "T1", createdAt: shop.clock.now - .seconds(seconds))
            #expect(outcome.words == "already_fulfilled finish")
        }
        #expect(try await shop.coins() == [100, 10])
        #expect(try await shop.count("SELECT COUNT(*) FROM evidence") == 4)
    }

    @Test("Quantity multiplies the goods; the client's word about it does not count")
    func quantity() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("coins100")
        purchase.quantity = 3
        try await shop.submit(purchase)
        #expect(try await shop.coins() == [300, 30])
        try await shop.expectBalancedBooks()
    }

    @Test("Goods that the game holds are granted without inventing a balance")
    func heldByGame() async throws {
        let shop = try await Shop()
        #expect(try await shop.submit(shop.purchase("sword1")).words == "fulfilled finish")
        #expect(try await shop.view()?.balances.isEmpty == true)
        let grants = try await shop.engine.grants(
            of: Shop.app, in: .production, state: .due, after: nil, limit: 10)
        #expect(grants.first?.goods.array?.first?["unit"] == "sword")
    }

    @Test("A restart with another catalogue does not move delivered goods")
    func frozenGoods() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100"))
        let dearer = Shop.catalogue.replacing("amount: 100", with: "amount: 999")
        let later = try await shop.reopened(catalogue: dearer)
        #expect(
            try await later.submit(later.purchase("coins100")).words == "already_fulfilled finish")
        #expect(try await later.coins() == [100, 10])
        let smaller = try await later.reopened(
            catalogue: "{ products: [{ id: \"other\", type: \"consumable\", goods: [] }] }")
        #expect(
            try await smaller.submit(smaller.purchase("coins100")).words
                == "already_fulfilled finish")
        #expect(try await smaller.coins() == [100, 10])
    }

    @Test("Moving the cut-over does not take back what was delivered")
    func frozenPolicy() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100"))
        let later = try await shop.reopened(deliverFrom: shop.clock.now)
        #expect(
            try await later.submit(later.purchase("coins100")).words == "already_fulfilled finish")
        #expect(try await later.coins() == [100, 10])
    }
}

@Suite("Receipts with many purchases", .onEveryDatabase)
struct ReceiptWithManyPurchases {
    @Test("Only the claimed purchase goes to the submitter; others wait for their owner")
    func claims() async throws {
        let shop = try await Shop()
        let purchases = (1...5).map { shop.purchase("coins100", "T\($0)") }
        let bytes = try TestAuthority.shared.appReceipt(
            SimulatedReceipt(
                bundleID: Shop.bundleID, environment: .production,
                creationDate: shop.clock.now - .seconds(60), purchases: purchases))
        let proof = Submission.Proof.receipt(Base64.encode(bytes, .standard))
        let outcome = try await shop.submit(proof, claiming: "T3")
        #expect(outcome.words == "fulfilled finish")
        #expect(outcome.entries.map(\.transactionID.rawValue) == ["T3", "T1", "T2", "T4", "T5"])
        #expect(outcome.entries.dropFirst().allSatisfy { $0.decision.client == .keep })
        #expect(try await shop.engine.runDueJobs() == 1)
        #expect(try await shop.coins() == [100, 10])
        #expect(
            try await shop.count(
                "SELECT COUNT(*) FROM transactions WHERE parked_reason = 'no_owner'") == 4)
        // Repeating the same bytes owes nothing new.
        #expect(try await shop.submit(proof, claiming: "T3").words == "already_fulfilled finish")
        #expect(try await shop.engine.runDueJobs() == 0)
        // Each is still there for whoever claims it.
        for id in ["T1", "T2", "T4", "T5"] {
            #expect(
                try await shop.submitReceipt(of: purchases, claiming: id).words
                    == "fulfilled finish")
        }
        try await shop.engine.runDueJobs()
        #expect(try await shop.coins() == [500, 50])
        try await shop.expectBalancedBooks()
    }

    @Test("A claim that the receipt does not hold is pending: field case 12")
    func missingClaim() async throws {
        let shop = try await Shop()
        let empty = try await shop.submitReceipt(of: [], claiming: "T5")
        #expect(empty.words == "pending not_in_evidence keep")
        #expect(empty.retryAfter == .seconds(5))
        let other = try await shop.submitReceipt(of: [shop.purchase("coins100")], claiming: "T5")
        #expect(other.words == "pending not_in_evidence keep")
        let none = try await shop.submitReceipt(of: [shop.purchase("coins100")], claiming: nil)
        #expect(none.words == "pending nothing_claimed keep")
        try await shop.engine.runDueJobs()
        #expect(try await shop.coins() == [0, 0])
    }

    @Test("The pause before another try grows with each one")
    func retryAdvice() async throws {
        let shop = try await Shop()
        var pauses: [Duration?] = []
        for _ in 0..<3 {
            pauses.append(
                try await shop.submitReceipt(
                    of: [], claiming: "T5", createdAt: shop.clock.now - .seconds(5)
                ).retryAfter)
        }
        #expect(pauses == [.seconds(5), .seconds(10), .seconds(20)])
    }

    @Test("Two thousand renewals and one new coin pack: field case 9")
    func hugeReceipt() async throws {
        let shop = try await Shop()
        var purchases = (0..<2000).map { index in
            var renewal = shop.purchase("vip", "R\(index)", .autoRenewableSubscription)
            renewal.originalTransactionID = "R0"
            return renewal
        }
        purchases.append(shop.purchase("coins100", "NEW"))
        let outcome = try await shop.submitReceipt(of: purchases, claiming: "NEW")
        #expect(outcome.words == "fulfilled finish")
        #expect(outcome.entries.count == Limits.transactionsPerAnswer)
        #expect(try await shop.coins() == [100, 10])
    }
}

@Suite("Refunded purchases", .onEveryDatabase)
struct RefundedPurchases {
    private let refund = SimulatedPurchase.Revocation(
        date: TestAuthority.clock.now - .seconds(600), type: "REFUND_FULL")

    @Test("A refund that comes first leaves nothing to grant, and the old proof does not undo it")
    func refundFirst() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("coins100")
        var refunded = purchase
        refunded.revocation = refund
        refunded.signedDate = shop.clock.now - .seconds(500)
        #expect(try await shop.submit(refunded).words == "rejected revoked finish")
        #expect(try await shop.submit(purchase).words == "rejected revoked finish")
        // A copy that the device had signed again after the refund, by a clock or cache of its own.
        purchase.signedDate = shop.clock.now
        #expect(try await shop.submit(purchase).words == "rejected revoked finish")
        #expect(try await shop.coins() == [0, 0])
        #expect(try await shop.eventTypes().isEmpty)
    }

    @Test("Buying again after a refund is a new sale, in whatever order it becomes known")
    func boughtAgainInAnyOrder() async throws {
        for order in [[0, 1, 2], [0, 2, 1], [2, 1], [1, 2, 0], [2, 0, 1]] {
            let shop = try await Shop()
            let first = shop.purchase("starter", "T1", .nonConsumable)
            var refunded = first
            refunded.revocation = refund
            refunded.signedDate = shop.clock.now - .seconds(500)
            var again = shop.purchase("starter", "T2", .nonConsumable)
            again.originalTransactionID = "T1"
            again.originalPurchaseDate = first.purchaseDate
            again.purchaseDate = refund.date + .seconds(60)
            again.signedDate = again.purchaseDate
            let copies = [first, refunded, again]
            for index in order { try await shop.submit(copies[index]) }
            try await shop.engine.runDueJobs()
            #expect(try await shop.coins() == [500, 0], "\(order)")
            let last = try await shop.submit(again)
            #expect(last.words == "already_fulfilled finish", "\(order)")
            try await shop.expectBalancedBooks()
        }
    }

    @Test("Buying a non-consumable again after its refund is a new sale")
    func boughtAgain() async throws {
        let shop = try await Shop()
        var first = shop.purchase("noads", "T1", .nonConsumable)
        first.revocation = refund
        #expect(try await shop.submit(first).words == "rejected revoked finish")
        var again = shop.purchase("noads", "T2", .nonConsumable)
        again.originalTransactionID = "T1"
        again.originalPurchaseDate = first.purchaseDate
        again.purchaseDate = refund.date + .seconds(60)
        again.signedDate = again.purchaseDate
        #expect(try await shop.submit(again).words == "fulfilled finish")
        #expect(try await shop.rights() == ["no_ads"])
    }
}
