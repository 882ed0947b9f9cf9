// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

struct OneTimePurchase {
    @Test(
        "One-time products are charged and announced once",
        arguments: [
            ("coins_100", "Consumable", Int64(3), Int64(2970)),
            ("unlock_all", "Non-Consumable", 1, 4990),
            ("season", "Non-Renewing Subscription", 2, 5980),
        ])
    func buying(product: String, type: String, quantity: Int64, total: Int64) throws {
        var store = try TestShop.store()
        var options = PurchaseOptions()
        options.quantity = quantity
        options.appAccountToken = TestShop.token
        let outcome = try store.buy(product, by: "u1", options)
        let bought = try #require(outcome.transaction)
        #expect(outcome.report == .purchased && outcome.isNew)
        #expect(bought.kind.rawValue == type)
        #expect(bought.quantity == quantity)
        #expect(bought.price == Money(amountMilli: total, currency: "USD"))
        #expect(bought.originalTransactionID == bought.transactionID)
        #expect(bought.appAccountToken == TestShop.token)
        #expect(bought.transactionID.hasPrefix("2") && bought.transactionID.count == 16)
        let told = store.takeNotifications()
        #expect(told.map(\.name) == ["ONE_TIME_CHARGE"])
        #expect(told.first?.transaction == bought)
        #expect(told.first?.account == "u1")
        #expect(store.outbox.isEmpty)
    }

    @Test("A non-consumable that the customer has is handed out again")
    func ownedAlready() throws {
        var store = try TestShop.store()
        let first = try store.buy("unlock_all", by: "u1")
        let second = try store.buy("unlock_all", by: "u1")
        #expect(second.transaction == first.transaction && !second.isNew)
        #expect(store.told() == ["ONE_TIME_CHARGE"])
        try store.refund(try #require(first.transaction).transactionID)
        #expect(try store.buy("unlock_all", by: "u1").isNew)
    }

    @Test("Field case 02: a price in a weak currency exceeds 32 bits and survives")
    func highPrice() throws {
        var store = try TestShop.store()
        try store.setStorefront(try #require(Storefront(country: "VNM")), of: "u1")
        let bought = try #require(try store.buy("coins_100", by: "u1").transaction)
        #expect(bought.price == Money(amountMilli: 4_999_000_000, currency: "VND"))
        #expect(bought.storefrontID == "143471")
    }

    @Test("Field case 54: a code for a one-time product costs nothing and has no token")
    func code() throws {
        var store = try TestShop.store()
        let outcome = try store.buy(
            "coins_100", by: "u1", TestShop.offer(.code(referenceName: "FREECOINS")))
        let payload = try #require(outcome.transaction?.transactionPayload)
        #expect(payload["price"]?.int64 == 0)
        #expect(payload["offerType"]?.int64 == 3)
        #expect(payload["offerDiscountType"]?.string == "ONE_TIME")
        #expect(payload["appAccountToken"] == nil)
    }

    @Test("Ask to Buy waits for a parent; what is declined never arrives")
    func askToBuy() throws {
        var store = try TestShop.store()
        try store.createAccount("child", isChild: true)
        let first = try store.buy("coins_100", by: "child")
        let second = try store.buy("coins_100", by: "child")
        #expect(first.report == .pending && first.transaction == nil)
        #expect(store.outbox.isEmpty)
        try store.decline(try #require(first.pendingID))
        try store.advance(days: 3)
        let approved = try store.approve(try #require(second.pendingID))
        #expect(approved.transaction?.purchaseDate == store.now)
        #expect(store.told() == ["ONE_TIME_CHARGE"])
        #expect(refusal { _ = try store.approve(first.pendingID ?? "") } == "purchase.unknown")
        #expect(store.waitingPurchases.isEmpty)
    }

    @Test("An interrupted purchase is made when it is resolved")
    func interrupted() throws {
        var store = try TestShop.store { $0.isInterruptionOn = true }
        let outcome = try store.buy("coins_100", by: "u1")
        #expect(outcome.report == .interrupted && store.outbox.isEmpty)
        let resolved = try store.resolvePurchase(try #require(outcome.pendingID))
        #expect(resolved.report == .purchased)
        #expect(store.told() == ["ONE_TIME_CHARGE"])
    }

    @Test("A purchase that is reported as cancelled is charged all the same")
    func reportedCancelled() throws {
        var store = try TestShop.store()
        var options = PurchaseOptions()
        options.isReportedCancelled = true
        let outcome = try store.buy("coins_100", by: "u1", options)
        #expect(outcome.report == .cancelled)
        #expect(outcome.transaction != nil)
        #expect(store.told() == ["ONE_TIME_CHARGE"])
    }

    @Test("A promoted product becomes an intent, once")
    func promoted() throws {
        var store = try TestShop.store()
        try store.promote("coins_100", to: "u1")
        #expect(try store.takePurchaseIntents(of: "u1") == ["coins_100"])
        #expect(try store.takePurchaseIntents(of: "u1").isEmpty)
        #expect(store.outbox.isEmpty)
    }

    @Test("What cannot be bought is refused with a code and nothing happens")
    func refusals() throws {
        var store = try TestShop.store()
        var many = PurchaseOptions()
        many.quantity = 11
        var late = PurchaseOptions()
        late.purchaseDate = store.now + .seconds(1)
        var early = PurchaseOptions()
        early.purchaseDate = Instant(secondsSinceEpoch: -30_000_000_000)
        let cases: [(String, String, PurchaseOptions, String)] = [
            ("nothing", "u1", PurchaseOptions(), "product.unknown"),
            ("coins_100", "nobody", PurchaseOptions(), "account.unknown"),
            ("coins_100", "u1", many, "purchase.quantity"),
            ("unlock_all", "u1", many, "purchase.quantity"),
            ("coins_100", "u1", late, "purchase.date"),
            ("gold_monthly", "u1", early, "purchase.date"),
            (
                "coins_100", "u1", TestShop.offer(.code(referenceName: "NONE")),
                "offer.unknown"
            ),
            ("gold_monthly", "u1", TestShop.offer(.promotional(id: "half")), "offer.ineligible"),
            ("gold_monthly", "u1", TestShop.offer(.winBack(id: "back")), "offer.ineligible"),
        ]
        for (product, account, options, code) in cases {
            #expect(refusal { _ = try store.buy(product, by: account, options) } == code)
        }
        try store.setForSale(false, product: "coins_100")
        #expect(refusal { _ = try store.buy("coins_100", by: "u1") } == "product.not_for_sale")
        #expect(store.outbox.isEmpty)
        #expect(try store.transactions(of: "u1").isEmpty)
        let error = #expect(throws: StoreError.self) { try store.buy("nothing", by: "u1") }
        #expect(error?.allowed.contains("coins_100") == true)
    }

    @Test("Production ids have fifteen digits and payloads the app's number")
    func production() throws {
        var store = try TestShop.store(environment: .production)
        let bought = try #require(try store.buy("coins_100", by: "u1").transaction)
        #expect(bought.transactionID.count == 15)
        #expect(store.takeNotifications().first?.appAppleID == 1_234_567_890)
    }
}
