// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilHTTP
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

extension ServiceShop {
    /// Asks verifyReceipt about a receipt.
    mutating func verify(
        _ receipt: [UInt8], password: String? = "shared", excludingOld: Bool? = nil,
        at prefix: String = ""
    ) throws -> JSONValue {
        var body = JSONObject()
        body.append("receipt-data", .string(Base64.encode(receipt, .standard)))
        if let password { body.append("password", .string(password)) }
        if let excludingOld { body.append("exclude-old-transactions", .bool(excludingOld)) }
        return try json(.post, "\(prefix)/verifyReceipt", .object(body))
    }

    mutating func receiptOfAlice() throws -> [UInt8] {
        try app.appReceipt(of: "alice")
    }
}

struct VerifyingReceipts {
    @Test("A receipt with a consumable is answered in Apple's form, without subscription parts")
    func consumable() throws {
        var shop = try ServiceShop(.production)
        let id = try shop.buy("coins") { $0.quantity = 2 }
        let answer = try shop.verify(shop.receiptOfAlice())
        #expect(answer["status"] == 0)
        #expect(answer["environment"] == "Production")
        #expect(answer["latest_receipt"] == nil)
        let receipt = try #require(answer["receipt"])
        #expect(receipt["receipt_type"] == "Production")
        #expect(receipt["bundle_id"]?.string == ServiceShop.bundleID)
        #expect(receipt["adam_id"] == 1_234_567_890)
        #expect(receipt["download_id"] == 9_007_199_254_740_993)
        let entry = try #require(receipt["in_app"]?.array?.first)
        #expect(entry["transaction_id"]?.string == id)
        #expect(entry["quantity"] == "2")
        #expect(entry["purchase_date"]?.string?.hasSuffix(" Etc/GMT") == true)
        #expect(entry["is_trial_period"] == "false")
    }

    @Test("A finished consumable is in the receipt of before and not in that of after")
    func finished() throws {
        var shop = try ServiceShop()
        let id = try shop.buy("coins")
        let before = try shop.receiptOfAlice()
        try shop.app.store.finish(id)
        #expect(try shop.verify(before)["receipt"]?["in_app"]?.array?.count == 1)
        let after = try shop.verify(shop.receiptOfAlice())
        #expect(after["status"] == 0)
        #expect(after["receipt"]?["in_app"]?.array?.isEmpty == true)
    }

    @Test("The environments send each other's receipts away by 21007 and 21008")
    func environments() throws {
        var sandbox = try ServiceShop(.sandbox)
        try sandbox.buy("coins")
        let receipt = try sandbox.receiptOfAlice()
        #expect(try sandbox.verify(receipt, at: "/production") == ["status": 21_007])
        #expect(try sandbox.verify(receipt, at: "/sandbox")["status"] == 0)
        var production = try ServiceShop(.production)
        try production.buy("coins")
        let other = try production.receiptOfAlice()
        #expect(try production.verify(other, at: "/sandbox") == ["status": 21_008])
    }

    @Test("Requests and receipts that cannot be read have their statuses")
    func malformed() throws {
        var shop = try ServiceShop()
        try shop.buy("coins")
        let receipt = try shop.receiptOfAlice()
        let text = Base64.encode(receipt, .standard)
        for (body, status) in [
            (["receipt-data": ""], 21_002), ([:], 21_002), (["receipt-data": "%%%"], 21_002),
            (
                ["receipt-data": .string(String(text.prefix(64)) + "\n" + text.dropFirst(64))],
                21_002
            ),
            (["receipt-data": .string(String(text.prefix(400)))], 21_002),
            (["receipt-data": "AAAA"], 21_002), ([], 21_000),
        ] as [(JSONValue, Int64)] {
            let answer = try shop.json(.post, "/verifyReceipt", body)
            #expect(answer["status"] == .integer(status), "\(body.text.prefix(80))")
        }
        let target = try #require(HTTPTarget("/verifyReceipt"))
        for (method, bytes) in [(HTTPMethod.get, ""), (.post, "receipt-data=1"), (.post, "")] {
            let answer = shop.app.answer(
                HTTPRequest(
                    method: method, target: target, body: Array(bytes.utf8), remoteAddress: ""))
            #expect(try JSONValue(parsing: answer.response.body) == ["status": 21_000])
        }
    }

    @Test("A receipt that another authority signed, or that was changed, is not authentic")
    func forged() throws {
        var shop = try ServiceShop()
        try shop.buy("coins")
        var changed = try shop.receiptOfAlice()
        changed[changed.count - 1] ^= 1
        #expect(try shop.verify(changed)["status"] == 21_003)
        let other = try Authority(clock: TestAuthority.clock, random: SystemRandom())
        let forged = try other.appReceipt(
            SimulatedReceipt(
                bundleID: ServiceShop.bundleID, environment: .sandbox,
                creationDate: TestAuthority.clock.now))
        #expect(try shop.verify(forged)["status"] == 21_003)
    }

    @Test("The shared secret is asked for where there is a subscription, and never may be wrong")
    func secret() throws {
        var shop = try ServiceShop()
        try shop.buy("coins")
        let plain = try shop.receiptOfAlice()
        #expect(try shop.verify(plain, password: nil)["status"] == 0)
        #expect(try shop.verify(plain, password: "wrong")["status"] == 21_004)
        try shop.buy("gold")
        let receipt = try shop.receiptOfAlice()
        #expect(try shop.verify(receipt, password: nil)["status"] == 21_004)
        #expect(try shop.verify(receipt)["status"] == 0)
    }

    @Test("A subscription's periods come as they are now, whatever the receipt's age")
    func subscription() throws {
        var shop = try ServiceShop()
        let first = try shop.buy("gold")
        let old = try shop.receiptOfAlice()
        try shop.app.advance(to: shop.app.store.now + .seconds(86_400 * 75))
        let answer = try shop.verify(old)
        let inApp = try #require(answer["receipt"]?["in_app"]?.array)
        let latest = try #require(answer["latest_receipt_info"]?.array)
        #expect(inApp.count == 1)
        #expect(latest.count == 4)
        #expect(inApp[0]["is_trial_period"] == "true")
        let trial = latest.first { $0["transaction_id"]?.string == first }
        #expect(trial?["is_trial_period"] == "true")
        #expect(Set(latest.map { $0["original_transaction_id"] }).count == 1)
        #expect(latest.allSatisfy { $0["subscription_group_identifier"] == "G1" })
        let pending = try #require(answer["pending_renewal_info"]?.array?.first)
        #expect(pending["auto_renew_status"] == "1")
        #expect(pending["product_id"] == "gold")
        #expect(pending["expiration_intent"] == nil)
        let text = try #require(answer["latest_receipt"]?.string)
        let newest = try #require(Base64.decode(text.utf8, .standard))
        #expect(try shop.verify(newest)["receipt"]?["in_app"]?.array?.count == 4)
    }

    @Test("Old transactions are left out where asked, except on a bad day")
    func excluding() throws {
        var shop = try ServiceShop()
        try shop.buy("gold")
        let unlock = try shop.buy("unlock")
        try shop.app.advance(to: shop.app.store.now + .seconds(86_400 * 75))
        let receipt = try shop.receiptOfAlice()
        let short = try shop.verify(receipt, excludingOld: true)
        let entries = try #require(short["latest_receipt_info"]?.array)
        #expect(entries.count == 2)
        #expect(entries.contains { $0["transaction_id"]?.string == unlock })
        shop.app.ignoresExcludeOldTransactions = true
        let long = try shop.verify(receipt, excludingOld: true)
        #expect(long["latest_receipt_info"]?.array?.count == 5)
    }

    @Test(
        "The order of the list is whatever a test wants",
        arguments: [
            SimulatedAppStore.ReceiptOrder.newestFirst, .oldestFirst, .scattered,
        ])
    func order(_ order: SimulatedAppStore.ReceiptOrder) throws {
        var shop = try ServiceShop()
        try shop.buy("gold")
        try shop.app.advance(to: shop.app.store.now + .seconds(86_400 * 200))
        shop.app.receiptOrder = order
        let answer = try shop.verify(shop.receiptOfAlice())
        let dates = try #require(answer["latest_receipt_info"]?.array).compactMap {
            $0["purchase_date_ms"]?.string.flatMap { Int64($0) }
        }
        #expect(dates.count >= 7)
        switch order {
        case .newestFirst: #expect(dates == dates.sorted(by: >))
        case .oldestFirst: #expect(dates == dates.sorted())
        case .scattered: #expect(Set(dates).count == dates.count)
        }
    }

    @Test("A refund shows as a cancellation, with its reason")
    func refund() throws {
        var shop = try ServiceShop()
        let gold = try shop.buy("silver")
        try shop.app.store.refund(gold, RefundTerms(reason: .appIssue))
        let answer = try shop.verify(shop.receiptOfAlice())
        let entry = try #require(answer["latest_receipt_info"]?.array?.first)
        #expect(entry["cancellation_reason"] == "1")
        #expect(entry["cancellation_date_ms"] != nil)
        let inApp = try #require(answer["receipt"]?["in_app"]?.array?.first)
        #expect(inApp["cancellation_date_ms"] != nil)
    }

    @Test("Billing trouble shows in the pending renewals")
    func billing() throws {
        var shop = try ServiceShop()
        shop.app.store.settings.graceDays = 16
        let silver = try shop.buy("silver")
        try shop.app.store.setBillingFailing(true, of: "alice")
        let end = try #require(try shop.app.store.transaction(silver).expiresDate)
        try shop.app.advance(to: end + .seconds(86_400))
        let pending = try shop.verify(shop.receiptOfAlice())["pending_renewal_info"]?.array?.first
        #expect(pending?["is_in_billing_retry_period"] == "1")
        #expect(pending?["grace_period_expires_date_ms"] != nil)
    }
}

struct VerifyingOldReceipts {
    @Test("A receipt in the form of iOS 6 is answered flat")
    func consumable() throws {
        var shop = try ServiceShop()
        let id = try shop.buy("coins")
        let answer = try shop.verify(shop.app.transactionReceipt(of: id))
        #expect(answer["status"] == 0)
        #expect(answer["receipt"]?["transaction_id"]?.string == id)
        #expect(answer["receipt"]?["bid"]?.string == ServiceShop.bundleID)
        #expect(answer["receipt"]?["in_app"] == nil)
    }

    @Test("A subscription's is an object while it runs, and 21006 afterwards")
    func subscription() throws {
        var shop = try ServiceShop()
        let id = try shop.buy("silver")
        let receipt = try shop.app.transactionReceipt(of: id)
        let running = try shop.verify(receipt)
        #expect(running["status"] == 0)
        #expect(running["auto_renew_status"] == 1)
        #expect(running["latest_receipt_info"]?.object != nil)
        let expires = try #require(running["receipt"]?["expires_date"]?.string)
        #expect(Int64(expires) != nil)
        try shop.app.store.setAutoRenew(false, of: id)
        try shop.app.advance(to: shop.app.store.now + .seconds(86_400 * 40))
        let ended = try shop.verify(receipt)
        #expect(ended["status"] == 21_006)
        #expect(ended["expiration_intent"] == "1")
        #expect(ended["latest_expired_receipt_info"]?.object != nil)
    }

    @Test("A changed one is refused")
    func forged() throws {
        var shop = try ServiceShop()
        let id = try shop.buy("coins")
        let text = String(
            decoding: try shop.app.transactionReceipt(of: id), as: UTF8.self)
        let parts = text.split(separator: "\"").map(String.init)
        let info = try #require(Base64.decode(parts[7].utf8, .standard))
        let changed = String(decoding: info, as: UTF8.self)
            .replacing("\"coins\"", with: "\"gold\"")
        let forged = text.replacing(
            parts[7], with: Base64.encode(Array(changed.utf8), .standard))
        #expect(try shop.verify(Array(forged.utf8))["status"] == 21_003)
    }
}

struct DatesOfReceipts {
    static let moments = [
        ("2026-03-08T09:59:59Z", "2026-03-08 01:59:59"),
        ("2026-03-08T10:00:00Z", "2026-03-08 03:00:00"),
        ("2026-11-01T08:59:59Z", "2026-11-01 01:59:59"),
        ("2026-11-01T09:00:00Z", "2026-11-01 01:00:00"),
        ("2026-12-31T23:00:00Z", "2026-12-31 15:00:00"),
        ("2015-08-13T07:50:46Z", "2015-08-13 00:50:46"),
    ]

    @Test("The third form of a date follows the clocks of California", arguments: moments)
    func california(utc: String, local: String) throws {
        var shop = try ServiceShop()
        let moment = try #require(Instant(rfc3339: utc))
        let receipt = try shop.app.authority.appReceipt(
            SimulatedReceipt(
                bundleID: ServiceShop.bundleID, environment: .sandbox,
                creationDate: TestAuthority.clock.now,
                purchases: [
                    SimulatedPurchase(
                        environment: .sandbox, bundleID: ServiceShop.bundleID, transactionID: "7",
                        productID: "coins", kind: .consumable, purchaseDate: moment)
                ]))
        let entry = try shop.verify(receipt)["receipt"]?["in_app"]?.array?.first
        #expect(entry?["purchase_date_pst"]?.string == "\(local) America/Los_Angeles")
    }
}
