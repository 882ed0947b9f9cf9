// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilSimulator
import Testing

struct AccountTokensSetByServers {
    private static let token = "6a3c11f6-7b4c-4a4f-9d0e-1f2e3d4c5b6a"

    @Test("A token is set on an original transaction and on what follows it")
    func setting() throws {
        var shop = try ServiceShop()
        let gold = try shop.buy("silver")
        let path = "/inApps/v1/transactions/\(gold)/appAccountToken"
        let body: JSONValue = ["appAccountToken": .string(Self.token)]
        #expect(try shop.ask(.put, path, body).status == 200)
        try shop.app.advance(to: shop.app.store.now + .seconds(86_400 * 40))
        let latest = try shop.app.store.standing(of: gold).transaction
        #expect(latest.transactionID != gold)
        #expect(latest.appAccountToken == UniqueID(Self.token))
        let other = "/inApps/v1/transactions/\(latest.transactionID)/appAccountToken"
        #expect(try shop.error(.put, other, body) == 4_000_187)
        #expect(try shop.error(.put, path, ["appAccountToken": "x"]) == 4_000_183)
        let account = try shop.app.store.account("alice").appTransactionID
        #expect(
            try shop.error(.put, "/inApps/v1/transactions/\(account)/appAccountToken", body)
                == 4_000_048)
        #expect(
            try shop.error(.put, "/inApps/v1/transactions/1/appAccountToken", body) == 4_040_005)
    }

    @Test("A family member's transaction takes no token")
    func family() throws {
        var shop = try ServiceShop()
        try shop.app.store.createAccount("bob")
        try shop.app.store.createFamily(["alice", "bob"])
        let id = try shop.buy("unlock")
        let copies = try shop.app.store.shareWithFamily(id)
        let copy = try #require(
            try copies.first ?? shop.app.store.transactions(of: "bob").first?.transactionID)
        #expect(
            try shop.error(
                .put, "/inApps/v1/transactions/\(copy)/appAccountToken",
                ["appAccountToken": .string(Self.token)]) == 4_000_185)
    }
}

struct ConsumptionData {
    private static let good: [(String, JSONValue)] = [
        ("customerConsented", true), ("deliveryStatus", "DELIVERED"),
        ("sampleContentProvided", false), ("consumptionPercentage", 50_000),
        ("refundPreference", "GRANT_PRORATED"),
    ]

    private func body(_ changes: [(String, JSONValue?)]) -> JSONValue {
        var members = Self.good.filter { member in !changes.contains { $0.0 == member.0 } }
        members += changes.compactMap { name, value in value.map { (name, $0) } }
        return .object(JSONObject(members.map { .init(key: $0.0, value: $0.1) }))
    }

    @Test("Good data is accepted with 202 and kept, with and without a question")
    func good() throws {
        var shop = try ServiceShop()
        let id = try shop.buy("coins")
        let path = "/inApps/v2/transactions/consumption/\(id)"
        #expect(try shop.ask(.put, path, body([])).status == 202)
        try shop.app.store.requestRefund(id)
        #expect(try shop.ask(.put, path, body([])).status == 202)
        #expect(shop.app.consumptionReports.count == 2)
        #expect(shop.app.store.openRefunds.first?.answers == [body([])])
    }

    static let faults: [(String, JSONValue?, Int64)] = [
        ("customerConsented", false, 4_000_035), ("customerConsented", nil, 4_000_035),
        ("sampleContentProvided", nil, 4_000_041), ("deliveryStatus", 0, 4_000_036),
        ("deliveryStatus", "LOST", 4_000_036), ("consumptionPercentage", 100_001, 4_000_000),
        ("consumptionPercentage", 0, 4_000_000), ("refundPreference", "MAYBE", 4_000_000),
        ("deliveryStatus", "UNDELIVERED_OTHER", 4_000_000),
    ]

    @Test("Data with a fault has the fault's number", arguments: faults)
    func fault(name: String, value: JSONValue?, code: Int64) throws {
        var shop = try ServiceShop()
        let id = try shop.buy("coins")
        #expect(
            try shop.error(
                .put, "/inApps/v2/transactions/consumption/\(id)", body([(name, value)])) == code)
        #expect(shop.app.consumptionReports.isEmpty)
    }

    @Test("A subscription's share is Apple's to compute")
    func subscription() throws {
        var shop = try ServiceShop()
        let id = try shop.buy("silver")
        let path = "/inApps/v2/transactions/consumption/\(id)"
        #expect(try shop.error(.put, path, body([])) == 4_000_000)
        #expect(try shop.ask(.put, path, body([("consumptionPercentage", nil)])).status == 202)
    }

    private static let firstVersion: JSONValue = [
        "customerConsented": true, "sampleContentProvided": true, "appAccountToken": "",
        "consumptionStatus": 1, "platform": 1, "deliveryStatus": 0, "accountTenure": 7,
        "playTime": 7, "lifetimeDollarsPurchased": 7, "lifetimeDollarsRefunded": 0,
        "userStatus": 4, "refundPreference": 3,
    ]

    @Test("Version 1 takes numbers for consumables and subscriptions")
    func versionOne() throws {
        var shop = try ServiceShop()
        let coins = try shop.buy("coins")
        let unlock = try shop.buy("unlock")
        let path = "/inApps/v1/transactions/consumption/"
        #expect(try shop.ask(.put, path + coins, Self.firstVersion).status == 202)
        #expect(try shop.error(.put, path + unlock, Self.firstVersion) == 4_000_047)
        for (name, code) in [
            ("accountTenure", 4_000_032), ("appAccountToken", 4_000_033),
            ("consumptionStatus", 4_000_034), ("playTime", 4_000_040), ("userStatus", 4_000_042),
        ] as [(String, Int64)] {
            let members = (Self.firstVersion.object?.members ?? []).map {
                $0.key == name ? JSONObject.Member(key: name, value: 99) : $0
            }
            #expect(try shop.error(.put, path + coins, .object(JSONObject(members))) == code)
        }
    }
}

struct RateLimits {
    @Test("Calls beyond an hour's limit get 429, and Retry-After is a moment in milliseconds")
    func limit() throws {
        var shop = try ServiceShop()
        let id = try shop.buy("coins")
        let path = "/inApps/v1/transactions/\(id)"
        shop.app.limit(.transactionInfo, callsPerHour: 3)
        for _ in 0..<3 { #expect(try shop.ask(.get, path).status == 200) }
        let refused = try shop.ask(.get, path)
        #expect(refused.status == 429)
        #expect(try JSONValue(parsing: refused.body)["errorCode"] == 4_290_000)
        let retry = try #require(refused.headers["Retry-After"].flatMap { Int64($0) })
        let now = shop.app.store.now.millisecondsSinceEpoch
        #expect(retry > now && retry <= now + 3_600_000 && retry % 3_600_000 == 0)
        // Other endpoints have limits of their own.
        #expect(try shop.ask(.get, "/inApps/v2/history/\(id)").status == 200)
        try shop.app.store.advance(to: Instant(millisecondsSinceEpoch: retry))
        #expect(try shop.ask(.get, path).status == 200)
    }

    @Test("Apple's own limit of one call per second is 360 per hour in the sandbox")
    func ownLimit() throws {
        var shop = try ServiceShop()
        let token = try shop.token()
        for number in 0...360 {
            let answer = try shop.ask(.post, "/inApps/v1/notifications/test", token: token)
            #expect((answer.status == 429) == (number == 360))
        }
    }
}

struct InjectedFaults {
    private func fault(
        _ kind: InjectedFault.Kind, _ check: (ServiceAnswer) throws -> Void
    ) throws {
        var shop = try ServiceShop()
        let id = try shop.buy("coins")
        let path = "/inApps/v1/transactions/\(id)"
        shop.app.inject(InjectedFault(kind, of: .transactionInfo, remaining: 1))
        #expect(try shop.ask(.get, "/inApps/v2/history/\(id)").status == 200)
        try check(try shop.serve(.get, path))
        let after = try shop.serve(.get, path)
        #expect(after.response.status == 200 && !after.isLost && after.delay == .zero)
        _ = try shop.payload(JSONValue(parsing: after.response.body)["signedTransactionInfo"])
    }

    @Test("Each kind of failure meets one call of one endpoint, and then it is over")
    func kinds() throws {
        try fault(.latency(.seconds(3))) { #expect($0.delay == .seconds(3)) }
        try fault(.timeout) { #expect($0.isLost) }
        try fault(.status(503)) {
            #expect($0.response.status == 503)
            #expect($0.response.headers["Content-Type"] == "text/html")
        }
        try fault(.html) { answer in
            #expect(answer.response.status == 200)
            #expect(throws: JSONError.self) { try JSONValue(parsing: answer.response.body) }
        }
        try fault(.cutBody) { answer in
            #expect(answer.response.status == 200 && !answer.response.body.isEmpty)
            #expect(throws: JSONError.self) { try JSONValue(parsing: answer.response.body) }
        }
        try fault(.emptyBody) { #expect($0.response.body.isEmpty) }
        try fault(.apiError(5_000_001)) { answer in
            #expect(answer.response.status == 500)
            let body = try JSONValue(parsing: answer.response.body)
            #expect(body["errorCode"] == 5_000_001)
        }
        try fault(.rateLimit(.seconds(9))) { #expect($0.response.status == 429) }
    }

    @Test("A failure of every call lasts until it is taken away")
    func clearing() throws {
        var shop = try ServiceShop()
        shop.app.inject(InjectedFault(.status(500)))
        for _ in 0..<3 {
            #expect(try shop.ask(.post, "/verifyReceipt", [:]).status == 500)
        }
        shop.app.clearFaults()
        #expect(try shop.ask(.post, "/verifyReceipt", [:]).status == 200)
    }

    @Test("A call whose answer is lost has had its effect")
    func effect() throws {
        var shop = try ServiceShop()
        let coins = try shop.buy("coins")
        shop.app.inject(InjectedFault(.timeout))
        _ = try shop.serve(.post, "/inApps/v1/transactions/\(coins)/finish")
        shop.app.clearFaults()
        let history = try shop.json(.get, "/inApps/v1/history/\(coins)")
        #expect(history["signedTransactions"]?.array?.isEmpty == true)
    }
}
