// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilSimulator
import Testing

/// A server that keeps what it gets and answers as told.
private struct Receiver {
    private(set) var bodies: [JSONValue] = []
    var statuses: [Int?] = []

    mutating func receive(_ body: [UInt8]) -> Int? {
        bodies.append((try? JSONValue(parsing: body)) ?? .null)
        return statuses.isEmpty ? 200 : statuses.removeFirst()
    }

    /// What the notifications of version 2 said, once their signatures were verified.
    func payloads(_ shop: ServiceShop) throws -> [JSONValue] {
        try bodies.map { try shop.payload($0["signedPayload"]) }
    }

    func names(_ shop: ServiceShop) throws -> [String] {
        try payloads(shop).map {
            [$0["notificationType"]?.string, $0["subtype"]?.string].compactMap { $0 }
                .joined(separator: "/")
        }
    }
}

struct DeliveringNotifications {
    @Test("What happens is sent in order, signed with everything inside it")
    func order() throws {
        var shop = try ServiceShop(.production)
        var receiver = Receiver()
        let coins = try shop.buy("coins")
        try shop.buy("gold")
        try shop.app.store.refund(coins)
        shop.app.collectNotifications()
        try shop.app.deliver { receiver.receive($0) }
        #expect(
            try receiver.names(shop) == ["ONE_TIME_CHARGE", "SUBSCRIBED/INITIAL_BUY", "REFUND"])
        let first = try #require(try receiver.payloads(shop).first)
        #expect(first["data"]?["bundleId"]?.string == ServiceShop.bundleID)
        #expect(first["data"]?["appAppleId"] == 1_234_567_890)
        let transaction = try shop.payload(first["data"]?["signedTransactionInfo"])
        #expect(transaction["transactionId"]?.string == coins)
    }

    @Test("Production tries again after 1, 12, 24, 48 and 72 hours, each after the one before")
    func plan() throws {
        var shop = try ServiceShop(.production)
        var receiver = Receiver()
        receiver.statuses = [500, nil, 301, 400, 503, 404, 200]
        try shop.buy("coins")
        let start = shop.app.store.now
        try shop.app.deliver { receiver.receive($0) }
        try shop.app.advance(to: start + .seconds(3_600 * 24 * 30)) { receiver.receive($0) }
        let entry = try #require(shop.app.outbox.history.first?.entry)
        #expect(
            entry.attempts.map { $0.date.since(start).wholeMilliseconds / 3_600_000 }
                == [0, 1, 13, 37, 85, 157])
        #expect(
            entry.attempts.map(\.result) == [
                .unsuccessfulStatus, .noResponse, .unsuccessfulStatus, .unsuccessfulStatus,
                .unsuccessfulStatus, .unsuccessfulStatus,
            ])
        #expect(!entry.isDelivered)
        #expect(entry.nextAttempt == nil)
        // Every try is the same to the last byte.
        #expect(Set(receiver.bodies).count == 1)
    }

    @Test("A try that succeeds ends the tries", arguments: [200, 202, 206])
    func success(status: Int) throws {
        var shop = try ServiceShop(.production)
        var receiver = Receiver()
        receiver.statuses = [500, status]
        try shop.buy("coins")
        try shop.app.advance(to: shop.app.store.now + .seconds(3_600 * 400)) {
            receiver.receive($0)
        }
        #expect(receiver.bodies.count == 2)
        #expect(shop.app.outbox.history.first?.entry.isDelivered == true)
    }

    @Test("The sandbox tries once, version 1 three times more")
    func otherPlans() throws {
        for (plan, count) in [(ResendPlan.sandbox, 1), (.productionV1, 4), (.production, 6)] {
            var shop = try ServiceShop()
            var receiver = Receiver()
            receiver.statuses = Array(repeating: 500, count: 10)
            shop.app.outbox.plan = plan
            try shop.buy("coins")
            try shop.app.advance(to: shop.app.store.now + .seconds(3_600 * 1000)) {
                receiver.receive($0)
            }
            #expect(receiver.bodies.count == count)
        }
    }

    @Test("Repeated requests for consumption data have new ids, repeated tries have the old one")
    func ids() throws {
        var shop = try ServiceShop(.production)
        var receiver = Receiver()
        let coins = try shop.buy("coins")
        try shop.app.deliver { receiver.receive($0) }
        receiver = Receiver()
        receiver.statuses = [500, 500]
        for _ in 0..<2 { try shop.app.store.requestRefund(coins) }
        try shop.app.advance(to: shop.app.store.now + .seconds(7_200)) { receiver.receive($0) }
        let ids = try receiver.payloads(shop).map { $0["notificationUUID"]?.string }
        #expect(ids.count == 4)
        #expect(ids[0] != ids[1])
        #expect(ids[2...] == ids[..<2])
    }

    @Test("Nothing is sent where no address is configured")
    func off() throws {
        var shop = try ServiceShop()
        shop.app.notificationVersion = .off
        try shop.buy("coins")
        #expect(shop.app.outbox.history.isEmpty)
        #expect(try shop.error(.post, "/inApps/v1/notifications/test") == 4_040_007)
    }
}

struct DisturbedNotifications {
    private func names(
        _ disturb: (inout NotificationDisturbance) -> Void,
        advancing duration: Duration = .zero
    ) throws -> [Int64?] {
        var shop = try ServiceShop()
        var receiver = Receiver()
        disturb(&shop.app.outbox.disturbance)
        for quantity in 1...4 { try shop.buy("coins") { $0.quantity = Int64(quantity) } }
        try shop.app.deliver { receiver.receive($0) }
        try shop.app.advance(to: shop.app.store.now + duration) { receiver.receive($0) }
        return try receiver.payloads(shop).map {
            try shop.payload($0["data"]?["signedTransactionInfo"])["quantity"]?.int64
        }
    }

    @Test("The next ones are lost, doubled, delayed or turned round, as many as told")
    func kinds() throws {
        #expect(try names { $0.lossCount = 2 } == [3, 4])
        #expect(try names { $0.duplicateCount = 1 } == [1, 1, 2, 3, 4])
        #expect(try names { $0.reorderCount = 3 } == [3, 2, 1, 4])
        #expect(
            try names(
                {
                    $0.delayCount = 1
                    $0.delay = .seconds(60)
                }, advancing: .seconds(61)) == [2, 3, 4, 1])
    }

    @Test("What is lost shows a try in the history, and only there")
    func loss() throws {
        var shop = try ServiceShop()
        shop.app.outbox.disturbance.lossCount = 1
        try shop.buy("coins")
        let entry = try #require(shop.app.outbox.history.first?.entry)
        #expect(entry.attempts.map(\.result) == [.noResponse])
        #expect(shop.app.outbox.nextDue == nil)
    }

    @Test("Held ones can be let go before all are there")
    func release() throws {
        var shop = try ServiceShop()
        var receiver = Receiver()
        shop.app.outbox.disturbance.reorderCount = 5
        let bought = [try shop.buy("coins"), try shop.buy("unlock")]
        try shop.app.deliver { receiver.receive($0) }
        #expect(receiver.bodies.isEmpty)
        shop.app.outbox.release(at: shop.app.store.now)
        try shop.app.deliver { receiver.receive($0) }
        let ids = try receiver.payloads(shop).map {
            try shop.payload($0["data"]?["signedTransactionInfo"])["transactionId"]?.string
        }
        #expect(ids == bought.reversed())
    }

    @Test("An outage holds everything back until it ends")
    func outage() throws {
        var shop = try ServiceShop()
        var receiver = Receiver()
        shop.app.outbox.beginOutage()
        try shop.buy("coins")
        try shop.app.advance(to: shop.app.store.now + .seconds(86_400)) { receiver.receive($0) }
        #expect(receiver.bodies.isEmpty)
        shop.app.outbox.endOutage()
        try shop.app.deliver { receiver.receive($0) }
        #expect(try receiver.names(shop) == ["ONE_TIME_CHARGE"])
    }
}

struct NotificationHistory {
    private func body(_ shop: ServiceShop, _ more: [(String, JSONValue)] = []) -> JSONValue {
        let now = shop.app.store.now.millisecondsSinceEpoch
        var object = JSONObject()
        object.append("startDate", .integer(now - 86_400_000))
        object.append("endDate", .integer(now + 86_400_000))
        for (name, value) in more { object.append(name, value) }
        return .object(object)
    }

    private static let path = "/inApps/v1/notifications/history"

    @Test("Pages of twenty are followed by token to the end, with every try")
    func pages() throws {
        var shop = try ServiceShop()
        for _ in 0..<45 { try shop.buy("coins") }
        try shop.app.deliver { _ in 200 }
        var counts: [Int] = []
        var ids: [String?] = []
        var path = Self.path
        while true {
            let answer = try shop.json(.post, path, body(shop))
            let page = try #require(answer["notificationHistory"]?.array)
            counts.append(page.count)
            ids += try page.map {
                try shop.payload($0["signedPayload"])["notificationUUID"]?.string
            }
            #expect(page[0]["sendAttempts"]?.array?.first?["sendAttemptResult"] == "SUCCESS")
            guard answer["hasMore"] == true else { break }
            path = Self.path + "?paginationToken=\(answer["paginationToken"]?.string ?? "")"
        }
        #expect(counts == [20, 20, 5])
        #expect(Set(ids).count == 45)
        #expect(try shop.error(.post, Self.path + "?paginationToken=x", body(shop)) == 4_000_014)
    }

    @Test("Filters by type, transaction and failure")
    func filters() throws {
        var shop = try ServiceShop()
        let coins = try shop.buy("coins")
        try shop.buy("gold")
        var statuses = [500, 200]
        try shop.app.deliver { _ in statuses.removeFirst() }
        func count(_ more: (String, JSONValue)...) throws -> Int? {
            try shop.json(.post, Self.path, body(shop, more))["notificationHistory"]?.array?.count
        }
        #expect(try count() == 2)
        #expect(try count(("notificationType", "SUBSCRIBED")) == 1)
        #expect(
            try count(
                ("notificationType", "SUBSCRIBED"), ("notificationSubtype", "RESUBSCRIBE")) == 0)
        #expect(try count(("transactionId", .string(coins))) == 1)
        #expect(try count(("onlyFailures", true)) == 1)
    }

    @Test("A question that makes no sense has its own number")
    func faults() throws {
        var shop = try ServiceShop()
        let now = shop.app.store.now.millisecondsSinceEpoch
        let days = { (count: Int64) in JSONValue.integer(now - count * 86_400_000) }
        for (body, code) in [
            ([:], 4_000_015), (["startDate": days(1)], 4_000_016),
            (["startDate": days(1), "endDate": days(1)], 4_000_013),
            (["startDate": days(31), "endDate": days(1)], 4_000_012),
            (
                ["startDate": days(2), "endDate": days(1), "notificationType": "NEWS"], 4_000_018
            ),
            (
                [
                    "startDate": days(2), "endDate": days(1), "notificationType": "TEST",
                    "transactionId": "1",
                ], 4_000_019
            ),
        ] as [(JSONValue, Int64)] {
            #expect(try shop.error(.post, Self.path, body) == code, "\(body.text)")
        }
    }

    @Test("A test notification is asked for, sent, and its tries are told")
    func test() throws {
        var shop = try ServiceShop()
        var receiver = Receiver()
        let token = try shop.json(.post, "/inApps/v1/notifications/test")["testNotificationToken"]
        let path = "/inApps/v1/notifications/test/\(token?.string ?? "")"
        #expect(try shop.error(.get, path) == 4_040_008)
        try shop.app.deliver { receiver.receive($0) }
        #expect(try receiver.names(shop) == ["TEST"])
        let status = try shop.json(.get, path)
        #expect(status["sendAttempts"]?.array?.first?["sendAttemptResult"] == "SUCCESS")
        let payload = try shop.payload(status["signedPayload"])
        #expect(payload["notificationType"] == "TEST")
        #expect(payload["data"]?["signedTransactionInfo"] == nil)
    }
}

struct NotificationsOfVersionOne {
    @Test("Version 1 is plain JSON with the secret, and with the state of now")
    func form() throws {
        var shop = try ServiceShop(.production)
        var receiver = Receiver()
        shop.app.notificationVersion = .v1
        shop.app.outbox.plan = .productionV1
        try shop.buy("coins")
        let gold = try shop.buy("gold")
        try shop.app.advance(to: shop.app.store.now + .seconds(86_400 * 8)) {
            receiver.receive($0)
        }
        try shop.app.store.setAutoRenew(false, of: gold)
        try shop.app.store.refund(gold)
        shop.app.collectNotifications()
        try shop.app.deliver { receiver.receive($0) }
        // A consumable's purchase has no word in version 1.
        #expect(
            receiver.bodies.compactMap { $0["notification_type"]?.string } == [
                "INITIAL_BUY", "DID_RENEW", "DID_CHANGE_RENEWAL_STATUS", "CANCEL",
            ])
        let renewal = try #require(receiver.bodies.dropFirst().first)
        #expect(renewal["environment"] == "PROD")
        #expect(renewal["password"] == "shared")
        #expect(renewal["auto_renew_status"] == "true")
        let unified = try #require(renewal["unified_receipt"])
        #expect(unified["environment"] == "Production")
        #expect(unified["latest_receipt_info"]?.array?.count == 3)
        #expect(unified["pending_renewal_info"]?.array?.count == 1)
        let cancel = try #require(receiver.bodies.last)
        #expect(cancel["cancellation_date_ms"] != nil)
    }
}
