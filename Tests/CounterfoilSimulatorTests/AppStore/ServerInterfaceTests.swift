// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilSimulator
import Testing

struct LookingUpTransactions {
    @Test("A transaction is returned signed")
    func transaction() throws {
        var shop = try ServiceShop(.production)
        let id = try shop.buy("coins") { $0.quantity = 3 }
        let answer = try shop.json(.get, "/inApps/v1/transactions/\(id)")
        let payload = try shop.payload(answer["signedTransactionInfo"])
        #expect(payload["transactionId"]?.string == id)
        #expect(payload["quantity"] == 3)
        #expect(payload["price"] == 2_970)
        #expect(payload["bundleId"]?.string == ServiceShop.bundleID)
    }

    @Test("Ids of the other environment, unknown ids and what is no id have their own numbers")
    func unknown() throws {
        var shop = try ServiceShop()
        let id = try shop.buy("coins")
        for (path, code) in [
            ("/production/inApps/v1/transactions/\(id)", 4_040_010),
            ("/inApps/v1/transactions/1", 4_040_010),
            ("/inApps/v1/transactions/abc", 4_000_006),
            ("/inApps/v2/history/1", 4_040_010),
            ("/inApps/v2/history/x", 4_000_006),
            ("/inApps/v1/subscriptions/1", 4_040_010),
            ("/inApps/v2/refund/lookup/1", 4_040_010),
            ("/inApps/v1/transactions/appTransactions/1", 4_040_010),
            ("/inApps/v1/notifications/test/nonsense", 4_000_020),
            (
                "/inApps/v1/notifications/test/6a3c11f6-7b4c-4a4f-9d0e-000000000000_1", 4_040_008
            ),
            ("/inApps/v1/subscriptions/extend/mass/gold/none", 4_040_009),
        ] as [(String, Int64)] {
            #expect(try shop.error(.get, path) == code, "\(path)")
        }
    }

    @Test("The app transaction is found by every id of the customer")
    func appTransaction() throws {
        var shop = try ServiceShop()
        let id = try shop.buy("coins")
        let account = try shop.app.store.account("alice")
        for any in [id, account.appTransactionID] {
            let answer = try shop.json(.get, "/inApps/v1/transactions/appTransactions/\(any)")
            let payload = try shop.payload(answer["signedAppTransactionInfo"])
            #expect(payload["appTransactionId"]?.string == account.appTransactionID)
            #expect(payload["receiptType"] == "Sandbox")
        }
    }

    @Test("The number on an invoice leads to the transaction, another to nothing")
    func order() throws {
        var shop = try ServiceShop()
        let id = try shop.buy("unlock")
        let order = try #require(try shop.app.store.orderID(of: id))
        let found = try shop.json(.get, "/inApps/v1/lookup/\(order)")
        #expect(found["status"] == 0)
        let payload = try shop.payload(found["signedTransactions"]?.array?.first)
        #expect(payload["transactionId"]?.string == id)
        let nothing = try shop.json(.get, "/inApps/v1/lookup/MZZZZ")
        #expect(nothing["status"] == 1)
    }
}

struct TransactionHistory {
    private func ids(_ answer: JSONValue, _ shop: ServiceShop) throws -> [String] {
        try (answer["signedTransactions"]?.array ?? []).map {
            try #require(try shop.payload($0)["transactionId"]?.string)
        }
    }

    @Test("Pages of twenty are followed by revision, and what changed later comes again")
    func pages() throws {
        var shop = try ServiceShop()
        var bought: [String] = []
        for _ in 0..<45 { bought.append(try shop.buy("coins")) }
        var read: [String] = []
        var path = "/inApps/v2/history/\(bought[0])"
        var counts: [Int] = []
        while true {
            let answer = try shop.json(.get, path)
            let page = try ids(answer, shop)
            read += page
            counts.append(page.count)
            let revision = try #require(answer["revision"]?.string)
            path = "/inApps/v2/history/\(bought[0])?revision=\(revision)"
            guard answer["hasMore"] == true else { break }
        }
        #expect(counts == [20, 20, 5])
        #expect(read == bought)
        #expect(try ids(shop.json(.get, path), shop).isEmpty)
        try shop.app.store.refund(bought[3])
        #expect(try ids(shop.json(.get, path), shop) == [bought[3]])
    }

    @Test("A revision belongs to its question")
    func revisions() throws {
        var shop = try ServiceShop()
        let id = try shop.buy("coins")
        try shop.app.store.createAccount("bob")
        let other = try shop.buy("coins", by: "bob")
        let path = "/inApps/v2/history/\(id)?productType=CONSUMABLE"
        let revision = try #require(try shop.json(.get, path)["revision"]?.string)
        #expect(try shop.ask(.get, path + "&revision=\(revision)").status == 200)
        for changed in [
            "/inApps/v2/history/\(id)?revision=\(revision)",
            "/inApps/v2/history/\(other)?productType=CONSUMABLE&revision=\(revision)",
            path + "&revision=nonsense",
        ] {
            #expect(try shop.error(.get, changed) == 4_000_005)
        }
    }

    @Test("Filters leave out what does not fit")
    func filters() throws {
        var shop = try ServiceShop()
        let coins = try shop.buy("coins")
        let unlock = try shop.buy("unlock")
        let gold = try shop.buy("gold")
        try shop.app.store.refund(coins)
        let start = shop.app.store.now.millisecondsSinceEpoch
        let base = "/inApps/v2/history/\(coins)?"
        for (query, expected) in [
            ("productId=unlock&productId=gold", [unlock, gold]),
            ("productType=NON_CONSUMABLE", [unlock]),
            ("subscriptionGroupIdentifier=G1", [gold]),
            ("inAppOwnershipType=FAMILY_SHARED", []),
            ("revoked=True", [coins]), ("revoked=false", [unlock, gold]),
            ("excludeRevoked=true", [unlock, gold]),
            ("sort=DESCENDING", [coins, gold, unlock]),
            ("sort=ASCENDING", [unlock, gold, coins]),
            ("startDate=\(start)", [unlock, gold, coins]),
            ("startDate=\(start + 1)", []), ("endDate=\(start)", []),
            ("startDate=\(start)&endDate=\(start + 1)", [unlock, gold, coins]),
        ] as [(String, [String])] {
            #expect(try ids(shop.json(.get, base + query), shop) == expected, "\(query)")
        }
    }

    @Test("A filter that makes no sense has its own number")
    func faults() throws {
        var shop = try ServiceShop()
        let id = try shop.buy("coins")
        for (query, code) in [
            ("startDate=x", 4_000_015), ("endDate=-1", 4_000_016),
            ("startDate=5&endDate=5", 4_000_013), ("sort=UP", 4_000_021),
            ("productType=Consumable", 4_000_022), ("productId=", 4_000_023),
            ("subscriptionGroupIdentifier=", 4_000_024), ("excludeRevoked=1", 4_000_025),
            ("inAppOwnershipType=MINE", 4_000_026), ("revoked=1", 4_000_030),
        ] as [(String, Int64)] {
            #expect(
                try shop.error(.get, "/inApps/v2/history/\(id)?\(query)") == code, "\(query)")
        }
        #expect(try shop.error(.get, "/inApps/v1/subscriptions/\(id)?status=6") == 4_000_031)
    }

    @Test("Version 1 leaves finished consumables out, version 2 does not")
    func finished() throws {
        var shop = try ServiceShop()
        let coins = try shop.buy("coins")
        let unlock = try shop.buy("unlock")
        for _ in 0..<2 {
            let response = try shop.ask(.post, "/inApps/v1/transactions/\(coins)/finish")
            #expect(response.status == 200)
            #expect(response.body.isEmpty)
        }
        #expect(try ids(shop.json(.get, "/inApps/v1/history/\(unlock)"), shop) == [unlock])
        #expect(try ids(shop.json(.get, "/inApps/v2/history/\(unlock)"), shop) == [coins, unlock])
        #expect(try shop.error(.post, "/inApps/v1/transactions/1/finish") == 4_040_010)
    }

    @Test("Refunds are listed in pages by their date")
    func refunds() throws {
        var shop = try ServiceShop()
        var bought: [String] = []
        for _ in 0..<25 { bought.append(try shop.buy("coins")) }
        for id in bought.reversed() {
            try shop.app.store.advance(to: shop.app.store.now + .seconds(1))
            try shop.app.store.refund(id)
        }
        let path = "/inApps/v2/refund/lookup/\(bought[0])"
        let first = try shop.json(.get, path)
        #expect(first["hasMore"] == true)
        let revision = try #require(first["revision"]?.string)
        let second = try shop.json(.get, path + "?revision=\(revision)")
        #expect(second["hasMore"] == false)
        #expect(
            try ids(first, shop) + ids(second, shop) == bought.reversed())
        let old = try shop.json(.get, "/inApps/v1/refund/lookup/\(bought[0])")
        #expect(old["signedTransactions"]?.array?.count == 25)
        #expect(try shop.error(.get, path + "?revision=x") == 4_000_005)
    }
}

struct SubscriptionStates {
    @Test("The states of a customer's subscriptions come by group, and by status where asked")
    func statuses() throws {
        var shop = try ServiceShop(.production)
        let gold = try shop.buy("gold")
        let coins = try shop.buy("coins")
        let answer = try shop.json(.get, "/inApps/v1/subscriptions/\(coins)")
        #expect(answer["bundleId"]?.string == ServiceShop.bundleID)
        #expect(answer["appAppleId"] == 1_234_567_890)
        let group = answer["data"]?.array?.first
        #expect(group?["subscriptionGroupIdentifier"] == "G1")
        let last = group?["lastTransactions"]?.array?.first
        #expect(last?["status"] == 1)
        #expect(last?["originalTransactionId"]?.string == gold)
        let renewal = try shop.payload(last?["signedRenewalInfo"])
        #expect(renewal["autoRenewStatus"] == 1)
        let transaction = try shop.payload(last?["signedTransactionInfo"])
        #expect(transaction["offerDiscountType"] == "FREE_TRIAL")
        let others = try shop.json(.get, "/inApps/v1/subscriptions/\(gold)?status=2&status=3")
        #expect(others["data"]?.array?.isEmpty == true)
    }

    private static func body(_ days: Int64, _ reason: Int64 = 1, id: String = "r1") -> JSONValue {
        [
            "extendByDays": .integer(days), "extendReasonCode": .integer(reason),
            "requestIdentifier": .string(id),
        ]
    }

    @Test("A paid subscription is extended, and one that is not is refused")
    func extending() throws {
        var shop = try ServiceShop()
        let silver = try shop.buy("silver")
        let path = "/inApps/v1/subscriptions/extend/\(silver)"
        for (body, code) in [
            (Self.body(0), 4_000_009), (Self.body(91), 4_000_009), (Self.body(5, 4), 4_000_010),
            (Self.body(5, id: ""), 4_000_011), (["extendByDays": "5"], 4_000_009),
        ] as [(JSONValue, Int64)] {
            #expect(try shop.error(.put, path, body) == code)
        }
        let before = try #require(
            try shop.app.store.standing(of: silver).transaction.expiresDate)
        let answer = try shop.json(.put, path, Self.body(10))
        #expect(answer["success"] == true)
        #expect(answer["originalTransactionId"]?.string == silver)
        #expect(
            answer["effectiveDate"]
                == .integer((before + .seconds(864_000)).millisecondsSinceEpoch))
        let coins = try shop.buy("coins")
        #expect(
            try shop.error(.put, "/inApps/v1/subscriptions/extend/\(coins)", Self.body(1))
                == 4_040_005)
        try shop.app.store.expire(silver)
        #expect(try shop.error(.put, path, Self.body(1)) == 4_030_004)
    }

    @Test("A mass extension runs once for one identifier and reports")
    func massExtending() throws {
        var shop = try ServiceShop()
        try shop.buy("silver")
        var body: JSONValue = [
            "extendByDays": 3, "extendReasonCode": 3, "requestIdentifier": "outage-1",
            "productId": "silver",
        ]
        let path = "/inApps/v1/subscriptions/extend/mass"
        for _ in 0..<2 {
            #expect(try shop.json(.post, path, body)["requestIdentifier"] == "outage-1")
        }
        let status = "/inApps/v1/subscriptions/extend/mass/silver/outage-1"
        #expect(try shop.json(.get, status)["complete"] == false)
        try shop.app.advance(to: shop.app.store.now + .seconds(3_600))
        let done = try shop.json(.get, status)
        #expect(done["complete"] == true)
        #expect(done["succeededCount"] == 1)
        #expect(done["failedCount"] == 0)
        body = [
            "extendByDays": 3, "extendReasonCode": 3, "requestIdentifier": "outage-2",
            "productId": "silver", "storefrontCountryCodes": [],
        ]
        #expect(try shop.error(.post, path, body) == 4_000_027)
    }
}
