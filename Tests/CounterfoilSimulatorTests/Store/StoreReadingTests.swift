// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import Testing

struct ReadingTheStore {
    @Test("A history asked for by any id shows what changed last at its end")
    func history() throws {
        var store = try TestShop.store()
        let coins = try store.bought("coins_100")
        let gold = try store.bought("gold_monthly")
        let app = try store.account("u1").appTransactionID
        let first = try store.history(anyTransactionID: app)
        #expect(first.map(\.transaction.transactionID) == [coins, gold])
        try store.finish(coins)
        try store.refund(coins)
        let second = try store.history(anyTransactionID: gold)
        #expect(second.map(\.transaction.transactionID) == [gold, coins])
        #expect(second[1].isFinished && second[1].revision > first[1].revision)
        #expect(try store.refunds(anyTransactionID: gold).map(\.revision) == [second[1].revision])
        #expect(refusal { _ = try store.history(anyTransactionID: "17") } == "transaction.unknown")
    }

    @Test("Statuses list every subscription of the customer")
    func statuses() throws {
        var store = try TestShop.store()
        let gold = try store.bought("gold_monthly")
        let family = try store.bought("family_monthly")
        try store.expire(family)
        let standings = try store.statuses(anyTransactionID: gold)
        #expect(standings.map(\.groupID) == ["club", "family"])
        #expect(standings.map(\.status) == [.active, .expired])
        #expect(standings.map(\.originalTransactionID) == [gold, family])
    }

    @Test("Entitlements leave out consumables, what ended and what was taken back")
    func entitlements() throws {
        var store = try TestShop.store()
        _ = try store.bought("coins_100")
        let unlock = try store.bought("unlock_all")
        let gold = try store.bought("gold_monthly")
        let season = try store.bought("season")
        let ids = { (store: SimulatedStore) in
            try store.entitlements(of: "u1").map(\.transactionID)
        }
        #expect(try ids(store) == [unlock, gold, season])
        try store.refund(unlock)
        try store.expire(gold)
        #expect(try ids(store) == [season])
    }

    @Test("Orders are found by the customer's order id, and only by a right one")
    func orders() throws {
        var store = try TestShop.store()
        let ids = try (0..<50).map { _ in try store.bought("coins_100") }
        let orders = try ids.compactMap { try store.orderID(of: $0) }
        #expect(Set(orders).count == ids.count)
        #expect(orders.allSatisfy { $0.hasPrefix("M") && $0.count == 10 })
        for (id, order) in zip(ids, orders) {
            #expect(store.orderLookup(order).map(\.transactionID) == [id])
        }
        for wrong in ["", "M", "M000000001", "MZZZZZZZZZ", "W" + orders[0].dropFirst(), "MÄ"] {
            #expect(store.orderLookup(wrong).isEmpty)
        }
    }

    @Test("Field case 24: a restored period has another id and the same line item")
    func restore() throws {
        var store = try TestShop.store()
        _ = try store.bought("coins_100")
        let unlock = try store.bought("unlock_all")
        let gold = try store.bought("gold_monthly")
        _ = store.told()
        try store.advance(days: 3)
        let restored = try store.restore("u1")
        #expect(restored.map(\.originalTransactionID) == [unlock, gold])
        #expect(restored[0].purchaseDate == store.now)
        let period = try store.transaction(gold)
        #expect(restored[1].transactionID != gold)
        #expect(restored[1].webOrderLineItemID == period.webOrderLineItemID)
        #expect(restored[1].purchaseDate == period.purchaseDate)
        #expect(store.outbox.isEmpty)
        #expect(try store.restore("u1").count == 2, "what was restored is not restored again")
        #expect(try store.orderID(of: restored[1].transactionID) == nil)
    }

    @Test("A token set later is on the chain and on every renewal")
    func token() throws {
        var store = try TestShop.store()
        let gold = try store.bought("gold_monthly")
        try store.advance(days: 31)
        let renewal = try store.standing(of: gold).transaction.transactionID
        #expect(
            refusal { try store.setAppAccountToken(TestShop.token, of: renewal) }
                == "transaction.not_original")
        try store.setAppAccountToken(TestShop.token, of: gold)
        try store.advance(days: 31)
        let chain = try store.history(original: gold)
        #expect(chain.count == 3 && chain.allSatisfy { $0.appAccountToken == TestShop.token })
        #expect(try store.standing(of: gold).renewal.appAccountToken == TestShop.token)
    }

    @Test("What was deleted or cleared is gone, and no id comes again")
    func forgetting() throws {
        var store = try TestShop.store()
        let coins = try store.bought("coins_100")
        let gold = try store.bought("gold_monthly")
        try store.delete(gold)
        #expect(refusal { _ = try store.transaction(gold) } == "transaction.unknown")
        try store.advance(days: 60)
        #expect(store.told() == ["ONE_TIME_CHARGE", "SUBSCRIBED/INITIAL_BUY"])
        store.clear()
        #expect(try store.transactions(of: "u1").isEmpty)
        let again = try store.bought("coins_100")
        #expect(![coins, gold].contains(again))
        try store.advance(days: 400)
        #expect(store.told() == ["ONE_TIME_CHARGE"])
    }

    @Test("The app transaction is the account's, and a device's receipt is bound to it")
    func appTransaction() throws {
        var store = try TestShop.store(environment: .production)
        let coins = try store.bought("coins_100")
        let app = try store.appTransaction(anyTransactionID: coins)
        #expect(app.appTransactionID == (try store.account("u1").appTransactionID))
        #expect(app.appAppleID == 1_234_567_890)
        let device = try store.addDevice(to: "u1", platform: "macOS")
        #expect(
            try store.appTransaction(anyTransactionID: coins).originalPlatform == "macOS")
        #expect(try store.receipt(of: "u1", device: device.id).deviceID == device.id.bytes)
        #expect(
            refusal { _ = try store.receipt(of: "u1", device: TestShop.token) }
                == "device.unknown")
    }

    @Test("An extension is for paid periods, twice in 365 days")
    func extensions() throws {
        var store = try TestShop.store()
        let gold = try store.bought("gold_monthly", PurchaseOptions())
        let isRefused = { (store: inout SimulatedStore, days: Int64) -> String? in
            refusal { try store.extendRenewal(gold, days: days) }
        }
        #expect(isRefused(&store, 91) == "extension.request")
        #expect(isRefused(&store, 10) == "extension.ineligible", "a free week")
        try store.advance(days: 10)
        let before = try #require(try store.standing(of: gold).transaction.expiresDate)
        let extended = try store.extendRenewal(gold, days: 10)
        #expect(extended.effectiveDate == before + .seconds(10 * 86_400))
        #expect(try store.standing(of: gold).renewal.renewalDate == extended.effectiveDate)
        try store.extendRenewal(gold, days: 10)
        #expect(isRefused(&store, 10) == "extension.ineligible", "the third time")
        try store.advance(days: 366)
        #expect(isRefused(&store, 10) == nil)
    }

    @Test("A mass extension is done a minute later, once per identifier and in its countries")
    func massExtension() throws {
        var store = try TestShop.store()
        _ = try store.bought("gold_monthly")
        try store.createAccount("u2", storefront: Storefront(country: "JPN"))
        _ = try store.bought("gold_monthly", by: "u2")
        _ = store.told()
        for _ in 0..<2 {
            try store.extendAllRenewals(
                ofProduct: "gold_monthly", days: 5, requestIdentifier: "outage",
                storefronts: ["JPN"])
        }
        let find = { (store: SimulatedStore) in
            store.massExtension(ofProduct: "gold_monthly", requestIdentifier: "outage")
        }
        #expect(find(store)?.completed == nil)
        try store.advance(days: 1)
        #expect(find(store)?.completed == TestShop.start + .seconds(60))
        #expect(find(store)?.succeededCount == 1)
        let told = store.takeNotifications()
        #expect(told.map(\.name) == ["RENEWAL_EXTENDED", "RENEWAL_EXTENSION/SUMMARY"])
        #expect(told.first?.account == "u2")
        #expect(
            refusal {
                try store.extendAllRenewals(
                    ofProduct: "gold_monthly", days: 5, requestIdentifier: "", storefronts: nil)
            } == "extension.request")
    }

    @Test("Advanced Commerce terms are on later transactions and renewal states")
    func advancedCommerce() throws {
        var store = try TestShop.store()
        let gold = try store.bought("gold_monthly")
        let terms = AdvancedCommerceTerms(
            transaction: JSONObject([JSONObject.Member(key: "taxCode", value: "A")]),
            renewal: JSONObject([JSONObject.Member(key: "taxCode", value: "B")]))
        try store.setAdvancedCommerce(terms, of: gold, announcing: nil)
        try store.advance(days: 31)
        let notification = try #require(store.takeNotifications().last)
        let payload = try #require(notification.transaction?.transactionPayload)
        #expect(payload["advancedCommerceInfo"]?["taxCode"]?.string == "A")
        #expect(notification.renewal?.payload["advancedCommerceInfo"]?["taxCode"]?.string == "B")
    }

    @Test("The clock never goes back, and skew is on what is signed only")
    func clock() throws {
        var store = try TestShop.store()
        #expect(refusal { try store.advance(to: store.now - .seconds(1)) } == "clock.backwards")
        #expect(
            refusal { try store.advance(to: Instant(millisecondsSinceEpoch: .max)) }
                == "clock.too_far")
        store.clockSkew = .seconds(34)
        let bought = try #require(try store.buy("coins_100", by: "u1").transaction)
        #expect(bought.purchaseDate == TestShop.start)
        #expect(bought.signedDate == TestShop.start + .seconds(34))
        #expect(store.takeNotifications().first?.signedDate == bought.signedDate)
        #expect(store.nextDue == nil)
    }

    @Test("A long stretch hands out what is announced as it goes")
    func streaming() throws {
        var store = try TestShop.store()
        _ = try store.bought("gold_monthly")
        var told: [SimulatedNotification] = []
        try store.advance(to: store.now + .seconds(365 * 86_400)) { told.append($0) }
        #expect(told.count == 13 && store.outbox.isEmpty)
        #expect(told.map(\.signedDate) == told.compactMap { $0.transaction?.purchaseDate })
    }
}
