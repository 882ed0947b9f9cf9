// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Two customers and one purchase", .onEveryDatabase)
struct TwoCustomersAndOnePurchase {
    private func shop(_ answer: OwnershipPolicy.Answer) async throws -> Shop {
        try await Shop(ownership: OwnershipPolicy(nonConsumable: answer))
    }

    private func conflicts(_ shop: Shop) async throws -> [String] {
        try await shop.engine.conflicts(of: Shop.app, in: .production, after: nil, limit: 100)
            .map { view in
                "\(view.holder?.rawValue ?? "?") \(view.contender?.rawValue ?? "?") "
                    + "\(view.conflict.claim) \(view.conflict.answer) \(view.conflict.occurrences)"
            }
    }

    /// The types of a customer's events.
    private func events(_ shop: Shop, _ customer: String) async throws -> [String] {
        try await shop.engine.numberEvents()
        return try await shop.engine.events(of: Shop.app, after: 0, limit: 500)
            .filter { $0.json["customer_id"]?.string == customer }
            .compactMap { $0.json["type"]?.string }
    }

    @Test("Field case 45: by default the right stays, and both stand in the list of conflicts")
    func keep() async throws {
        let shop = try await shop(.keep)
        let purchase = shop.purchase("starter", "T1", .nonConsumable)
        #expect(try await shop.submit(purchase).words == "fulfilled finish")
        for _ in 0..<3 {
            let words = try await shop.submit(shop.restored(of: purchase, "T2"), by: "u2").words
            #expect(words == "rejected owned_by_another_customer finish")
        }
        #expect(try await conflicts(shop) == ["u1 u2 submitter keep 3"])
        #expect(try await events(shop, "u1") == ["purchase.fulfilled", "ownership.conflict"])
        #expect(try await events(shop, "u2").isEmpty)
        #expect(try await shop.rights("u1") == ["founder"])
        #expect(try await shop.rights("u2").isEmpty)
        try await shop.expectBalancedBooks()
    }

    @Test("Field case 45: by the policy the rights go to the last who proves it, the wallet stays")
    func transfer() async throws {
        let shop = try await shop(.transfer)
        let purchase = shop.purchase("starter", "T1", .nonConsumable)
        let restored = shop.restored(of: purchase, "T2")
        #expect(try await shop.submit(purchase).words == "fulfilled finish")
        #expect(try await shop.submit(restored, by: "u2").words == "restored finish")
        #expect(try await shop.rights("u1").isEmpty)
        #expect(try await shop.rights("u2") == ["founder"])
        #expect(try await shop.coins("u1") == [500, 0])
        #expect(try await shop.coins("u2") == [0, 0])
        #expect(try await shop.submit(restored, by: "u2").words == "restored finish")
        #expect(try await conflicts(shop) == ["u1 u2 submitter transfer 1"])
        #expect(
            try await events(shop, "u1")
                == ["purchase.fulfilled", "ownership.changed", "ownership.conflict"])
        #expect(try await events(shop, "u2") == ["ownership.changed"])
        // And back, as the first customer logs in again.
        #expect(try await shop.submit(purchase, by: "u1").words == "restored finish")
        #expect(try await shop.rights("u1") == ["founder"])
        #expect(try await shop.rights("u2").isEmpty)
        #expect(try await shop.coins("u1") == [500, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("Field case 45: by the policy both have the rights, and one wallet the goods")
    func share() async throws {
        let shop = try await shop(.share)
        let purchase = shop.purchase("starter", "T1", .nonConsumable)
        try await shop.submit(purchase)
        for customer in ["u2", "u3", "u2"] {
            #expect(try await shop.submit(purchase, by: customer).words == "restored finish")
        }
        for customer in ["u1", "u2", "u3"] {
            #expect(try await shop.rights(customer) == ["founder"])
        }
        #expect(try await shop.submit(purchase, by: "u1").words == "already_fulfilled finish")
        #expect(try await shop.coins("u1") == [500, 0])
        #expect(try await shop.coins("u2") == [0, 0])
        #expect(
            try await conflicts(shop).sorted()
                == ["u1 u2 submitter share 1", "u1 u3 submitter share 1"])
        #expect(try await events(shop, "u2") == ["ownership.changed"])
        try await shop.expectBalancedBooks()
    }

    @Test(
        "Field case 46: a consumable stays with its first owner under every policy",
        arguments: OwnershipPolicy.Answer.allCases)
    func consumable(answer: OwnershipPolicy.Answer) async throws {
        let shop = try await shop(answer)
        let purchase = shop.purchase("coins100")
        try await shop.submit(purchase)
        for thief in ["u2", "u3", "u2"] {
            #expect(
                try await shop.submit(purchase, by: thief).words
                    == "rejected owned_by_another_customer finish")
        }
        #expect(
            try await conflicts(shop).sorted()
                == ["u1 u2 submitter keep 2", "u1 u3 submitter keep 1"])
        #expect(try await shop.coins("u1") == [100, 10])
        #expect(try await shop.coins("u2") == [0, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("A token that names another customer than the owner is a conflict, told once")
    func token() async throws {
        let shop = try await shop(.keep)
        let token = try await shop.engine.registerToken(
            nil, for: CustomerID("u2"), to: shop.policy)
        let first = shop.purchase("noads", "T1", .nonConsumable)
        try await shop.submit(first)
        var restored = shop.restored(of: first, "T2")
        restored.appAccountToken = token
        for _ in 0..<2 {
            #expect(try await shop.submit(restored, by: "u1").words == "restored finish")
        }
        #expect(try await conflicts(shop) == ["u1 u2 token keep 1"])
        try await shop.expectBalancedBooks()
    }

    @Test("A token that has had its say does not take back what was transferred since")
    func tokenOnce() async throws {
        let shop = try await shop(.transfer)
        let token = try await shop.engine.registerToken(
            nil, for: CustomerID("u1"), to: shop.policy)
        var purchase = shop.purchase("noads", "T1", .nonConsumable)
        purchase.appAccountToken = token
        // The buyer is named by Apple's signature; the policy then gives the right to the one who
        // restores.
        #expect(try await shop.submit(purchase, by: "u2").words == "restored finish")
        #expect(try await shop.submit(purchase, by: "u2").words == "restored finish")
        #expect(try await shop.rights("u2") == ["no_ads"])
        #expect(
            try await events(shop, "u1")
                == ["purchase.fulfilled", "ownership.changed", "ownership.conflict"])
        try await shop.expectBalancedBooks()
    }

    @Test("Units that come after the rights have moved on go to the first owner")
    func lateUnits() async throws {
        let shop = try await shop(.transfer)
        let purchase = shop.purchase("starter", "T1", .nonConsumable)
        // A bare receipt cannot show that it was not shared by the family, so the coins wait.
        try await shop.submitReceipt(of: [purchase], by: "u1", claiming: "T1")
        try await shop.submitReceipt(of: [purchase], by: "u2", claiming: "T1")
        #expect(try await shop.rights("u2") == ["founder"])
        #expect(try await shop.submit(purchase, by: "u2").words == "restored finish")
        #expect(try await shop.coins("u1") == [500, 0])
        #expect(try await shop.coins("u2") == [0, 0])
        try await shop.expectBalancedBooks()
    }
}

extension Shop {
    /// The same purchase as a restore shows it.
    func restored(of first: SimulatedPurchase, _ transaction: String) -> SimulatedPurchase {
        var restored = purchase(first.productID, transaction, .nonConsumable)
        restored.originalTransactionID = first.transactionID
        restored.originalPurchaseDate = first.purchaseDate
        restored.purchaseDate = clock.now - .seconds(30)
        restored.signedDate = restored.purchaseDate
        return restored
    }
}
