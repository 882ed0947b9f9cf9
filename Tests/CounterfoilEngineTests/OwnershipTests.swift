// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Whose is it", .onEveryDatabase)
struct WhoseIsIt {
    private func token(_ shop: Shop, of customer: String) async throws -> UniqueID {
        try await shop.engine.registerToken(nil, for: CustomerID(customer), to: shop.policy)
    }

    @Test("The signed token decides, whoever is logged in: requirement 000-30")
    func tokenWins() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("coins100")
        purchase.appAccountToken = try await token(shop, of: "u1")
        let outcome = try await shop.submit(purchase, by: "u2")
        #expect(outcome.words == "rejected owned_by_another_customer finish")
        #expect(try await shop.coins("u1") == [100, 10])
        #expect(try await shop.coins("u2") == [0, 0])
        #expect(outcome.entries.first?.grantID == nil, "a stranger learns nothing of the grant")
        #expect(try await shop.submit(purchase, by: "u1").words == "already_fulfilled finish")
    }

    @Test("A token that nobody knows parks, and its registration delivers: field case 47")
    func unknownToken() async throws {
        let shop = try await Shop()
        let token = UniqueID.random(SeededRandom(seed: 7))
        var purchase = shop.purchase("coins100")
        purchase.appAccountToken = token
        #expect(try await shop.submit(purchase).words == "parked unknown_token keep")
        #expect(try await shop.coins("u1") == [0, 0])
        try await shop.engine.registerToken(token, for: CustomerID("u2"), to: shop.policy)
        try await shop.engine.runDueJobs()
        #expect(try await shop.coins("u2") == [100, 10])
        #expect(try await shop.eventTypes() == ["purchase.parked", "purchase.fulfilled"])
        #expect(
            try await shop.submit(purchase, by: "u1").words
                == "rejected owned_by_another_customer finish")
        try await shop.expectBalancedBooks()
    }

    @Test("A token keeps its customer; registering it again changes nothing")
    func tokenStays() async throws {
        let shop = try await Shop()
        let token = try await token(shop, of: "u1")
        let again = try await shop.engine.registerToken(
            token, for: CustomerID("u1"), to: shop.policy)
        #expect(again == token)
        await #expect(throws: TokenRefusal.takenByAnother) {
            try await shop.engine.registerToken(token, for: CustomerID("u2"), to: shop.policy)
        }
    }

    @Test("A consumable belongs to the first who proves it: field case 46")
    func consumableIsBound() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100")
        #expect(try await shop.submit(purchase, by: "u1").words == "fulfilled finish")
        for thief in ["u2", "u3"] {
            #expect(
                try await shop.submit(purchase, by: thief).words
                    == "rejected owned_by_another_customer finish")
            #expect(try await shop.coins(thief) == [0, 0])
        }
    }

    @Test("A restored non-consumable is the same sale, for its owner only: field case 45")
    func restore() async throws {
        let shop = try await Shop()
        let first = shop.purchase("noads", "T1", .nonConsumable)
        #expect(try await shop.submit(first).words == "fulfilled finish")
        var restored = shop.purchase("noads", "T2", .nonConsumable)
        restored.originalTransactionID = "T1"
        restored.originalPurchaseDate = first.purchaseDate
        restored.purchaseDate = shop.clock.now - .seconds(30)
        restored.signedDate = restored.purchaseDate
        #expect(try await shop.submit(restored).words == "restored finish")
        #expect(
            try await shop.submit(restored, by: "u2").words
                == "rejected owned_by_another_customer finish")
        #expect(try await shop.rights("u1") == ["no_ads"])
        #expect(try await shop.rights("u2").isEmpty)
        #expect(try await shop.count("SELECT COUNT(*) FROM grants") == 1)
    }

    @Test("Family sharing gives the right but no coins")
    func familyShared() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("starter", "T1", .nonConsumable)
        purchase.ownershipType = "FAMILY_SHARED"
        #expect(try await shop.submit(purchase).words == "fulfilled finish")
        #expect(try await shop.rights() == ["founder"])
        #expect(try await shop.coins() == [0, 0])
    }

    @Test("A bare receipt gives the right of a non-consumable; its coins wait for the signed copy")
    func receiptCannotShowOwnership() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("starter", "T1", .nonConsumable)
        #expect(
            try await shop.submitReceipt(of: [purchase], claiming: "T1").words
                == "fulfilled finish")
        #expect(try await shop.rights() == ["founder"])
        #expect(try await shop.coins() == [0, 0])
        #expect(try await shop.submit(purchase).words == "already_fulfilled finish")
        #expect(try await shop.coins() == [500, 0])
        #expect(try await shop.submit(purchase).words == "already_fulfilled finish")
        #expect(try await shop.coins() == [500, 0])
        #expect(
            try await shop.eventTypes() == ["purchase.fulfilled", "purchase.fulfilled"])
        try await shop.expectBalancedBooks()
    }
}

@Suite("What waits, and what lets it go", .onEveryDatabase)
struct Parking {
    @Test(
        "An unknown product is held with the proof, and delivered once when it is listed: case 59")
    func unknownProduct() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("new_coins")
        #expect(try await shop.submit(purchase).words == "parked unknown_product finish")
        #expect(try await shop.submit(purchase).words == "parked unknown_product finish")
        let line =
            "{ id: \"new_coins\", type: \"consumable\", goods: [{ unit: \"coins\", amount: 7 }] },"
        let later = try await shop.reopened(
            catalogue: Shop.catalogue.replacing("products: [", with: "products: [\(line)"))
        #expect(try await later.engine.runDueJobs() == 1)
        #expect(try await later.coins() == [7, 0])
        #expect(try await later.submit(purchase).words == "already_fulfilled finish")
        #expect(try await later.eventTypes() == ["purchase.parked", "purchase.fulfilled"])
        try await later.expectBalancedBooks()
    }

    @Test("A type that the catalogue contradicts is held")
    func typeMismatch() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100", "T1", .nonConsumable)
        #expect(try await shop.submit(purchase).words == "parked type_mismatch finish")
        let fixed = try await shop.reopened(
            catalogue: Shop.catalogue.replacing(
                "\"coins100\", type: \"consumable\"", with: "\"coins100\", type: \"non_consumable\""
            ))
        try await fixed.engine.runDueJobs()
        #expect(try await fixed.coins() == [100, 10])
    }

    @Test("Correcting a wrong type in the catalogue gives no goods a second time")
    func correctedType() async throws {
        let wrong = Shop.catalogue.replacing(
            "\"starter\", type: \"non_consumable\"", with: "\"starter\", type: \"consumable\"")
        let shop = try await Shop(catalogue: wrong)
        let purchase = shop.purchase("starter", "T1", .nonConsumable)
        #expect(
            try await shop.submitUntypedReceipt(of: purchase).words == "fulfilled finish")
        var restored = shop.purchase("starter", "T2", .nonConsumable)
        restored.originalTransactionID = "T1"
        #expect(try await shop.submit(restored).words == "parked type_mismatch finish")
        let fixed = try await shop.reopened()
        try await fixed.engine.runDueJobs()
        try await fixed.submit(restored)
        #expect(try await fixed.submit(purchase).words == "already_fulfilled finish")
        #expect(try await fixed.coins() == [500, 0])
        try await fixed.expectBalancedBooks()
    }

    @Test("A receipt without a type does not take the signed type away")
    func untypedReceipt() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100", "T1", .nonConsumable)
        #expect(try await shop.submit(purchase).words == "parked type_mismatch finish")
        #expect(
            try await shop.submitUntypedReceipt(of: purchase).words
                == "parked type_mismatch finish")
        #expect(try await shop.coins() == [0, 0])
    }

    @Test("Another app with the same bundle settles a receipt's other purchases as well")
    func twoApps() async throws {
        let shop = try await Shop()
        let other = AppPolicy(
            app: try AppID("game2"), bundleID: shop.policy.bundleID, isSimulated: true,
            catalogue: shop.policy.catalogue, sandbox: .isolate,
            deliverFrom: shop.policy.deliverFrom, verifier: shop.policy.verifier)
        let receipt = SimulatedReceipt(
            bundleID: Shop.bundleID, environment: .production,
            creationDate: shop.clock.now - .seconds(60),
            purchases: [shop.purchase("coins100", "T1"), shop.purchase("coins100", "T2")])
        let bytes = try TestAuthority.shared.appReceipt(receipt)
        let submission = Submission(
            customer: try CustomerID("u1"), proof: .receipt(Base64.encode(bytes, .standard)),
            claimedTransactionID: try TransactionID("T1"), claimedProductID: nil, address: "")
        for policy in [shop.policy, other] {
            _ = try await shop.engine.submit(submission, to: policy)
        }
        #expect(try await shop.count("SELECT COUNT(*) FROM jobs") == 2)
    }

    @Test("A subscription is held until subscriptions are served")
    func subscription() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("vip", "T1", .autoRenewableSubscription)
        #expect(
            try await shop.submit(purchase).words == "parked subscriptions_not_served finish")
    }

    @Test("Before the cut-over nothing is delivered, but rights are restored")
    func cutOver() async throws {
        let shop = try await Shop(deliverFrom: TestAuthority.clock.now)
        #expect(
            try await shop.submit(shop.purchase("coins100")).words
                == "rejected delivered_elsewhere finish")
        for _ in 0..<2 {
            #expect(
                try await shop.submit(shop.purchase("starter", "T2", .nonConsumable)).words
                    == "restored finish")
        }
        #expect(try await shop.coins() == [0, 0])
        #expect(try await shop.rights() == ["founder"])
        try await shop.expectBalancedBooks()
    }

    @Test("Periods of a non-renewing product stack, whatever the order of their proofs")
    func stacking() async throws {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let shop = try await Shop()
            let purchases = (0..<3).map { index in
                var purchase = shop.purchase("pass30", "T\(index)", .nonRenewingSubscription)
                purchase.purchaseDate = shop.clock.now - .seconds(3600 - Int64(index) * 60)
                purchase.signedDate = purchase.purchaseDate
                return purchase
            }
            for index in order { try await shop.submit(purchases[index]) }
            let pass = try await shop.view()?.entitlements.first
            #expect(pass?.startsAt == purchases[0].purchaseDate)
            #expect(pass?.endsAt == purchases[0].purchaseDate + .seconds(90 * 86_400))
        }
    }
}
