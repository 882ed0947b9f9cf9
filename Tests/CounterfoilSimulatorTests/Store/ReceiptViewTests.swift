// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

struct ReceiptViews {
    @Test("A finished consumable leaves the receipt, everything else stays")
    func contents() throws {
        var store = try TestShop.store()
        let coins = try store.bought("coins_100")
        let other = try store.bought("coins_100")
        let unlock = try store.bought("unlock_all")
        try store.finish(coins)
        try store.finish(unlock)
        let receipt = try store.receipt(of: "u1")
        #expect(receipt.purchases.map(\.transactionID) == [other, unlock])
        #expect(receipt.receiptType == "ProductionSandbox" && receipt.appAppleID == 0)
        #expect(receipt.originalPurchaseDate?.rfc3339.hasPrefix("2013-08-01T07:00:00") == true)
        #expect(try store.unfinished(of: "u1").map(\.transactionID) == [other])
    }

    @Test("A signed receipt of the store reads as Apple's: trial, introduction, upgrade")
    func signedReceipt() throws {
        var store = try TestShop.store()
        let trial = try store.bought("gold_monthly", PurchaseOptions())
        try store.advance(days: 2)
        _ = try store.bought("platinum_monthly")
        let container = try TestAuthority.shared.appReceipt(try store.receipt(of: "u1"))
        #expect(container.count > 500)
        let entries = try store.receipt(of: "u1").purchases.map {
            $0.verifyReceiptEntry(in: .latest)
        }
        #expect(entries[0]["transaction_id"]?.string == trial)
        #expect(entries[0]["is_trial_period"]?.string == "true")
        #expect(entries[0]["is_upgraded"]?.string == "true")
        #expect(
            entries[0]["cancellation_date_ms"]?.string
                == String(store.now.millisecondsSinceEpoch))
        #expect(entries[1]["is_trial_period"]?.string == "false")
        #expect(entries[1]["is_upgraded"] == nil)
    }

    @Test(
        "Dates stand three times, in California's summer and winter",
        arguments: [
            ("2015-08-13T07:50:46Z", "2015-08-13 00:50:46"),
            ("2026-01-01T00:00:00Z", "2025-12-31 16:00:00"),
            ("2026-03-08T09:59:59Z", "2026-03-08 01:59:59"),
            ("2026-03-08T10:00:00Z", "2026-03-08 03:00:00"),
            ("2026-11-01T08:59:59Z", "2026-11-01 01:59:59"),
            ("2026-11-01T09:00:00Z", "2026-11-01 01:00:00"),
        ])
    func dates(gmt: String, pacific: String) throws {
        let instant = try #require(Instant(rfc3339: gmt))
        let entry = SimulatedPurchase(
            environment: .sandbox, bundleID: "b", transactionID: "1", productID: "p",
            kind: .consumable, purchaseDate: instant
        ).verifyReceiptEntry(in: .inApp)
        let text = gmt.replacing("T", with: " ").dropLast()
        #expect(entry["purchase_date"]?.string == "\(text) Etc/GMT")
        #expect(entry["purchase_date_ms"]?.string == String(instant.millisecondsSinceEpoch))
        #expect(entry["purchase_date_pst"]?.string == "\(pacific) America/Los_Angeles")
    }

    @Test("All values of an entry are text, and in_app knows less than latest")
    func texts() throws {
        var store = try TestShop.store()
        var options = PurchaseOptions()
        options.appAccountToken = TestShop.token
        let id = try store.bought("gold_monthly", options)
        let purchase = try store.transaction(id)
        for list in SimulatedPurchase.ReceiptList.allCases {
            let entry = purchase.verifyReceiptEntry(in: list)
            #expect(entry.members.allSatisfy { $0.value.string != nil })
            #expect((entry["app_account_token"] != nil) == (list == .latest))
            #expect((entry["subscription_group_identifier"] != nil) == (list == .latest))
        }
        let object = try store.receipt(of: "u1").verifyReceiptObject(requestDate: store.now)
        #expect(object["adam_id"]?.int64 == 0)
        #expect(object["in_app"]?.array?.count == 1)
        #expect(object["request_date_ms"]?.string == String(store.now.millisecondsSinceEpoch))
    }

    @Test("Old transactions can be left out, and nothing is listed without subscriptions")
    func latest() throws {
        var store = try TestShop.store()
        _ = try store.bought("unlock_all")
        #expect(try store.latestReceiptTransactions(of: "u1").isEmpty)
        _ = try store.bought("gold_monthly")
        try store.advance(days: 62)
        #expect(try store.latestReceiptTransactions(of: "u1").count == 4)
        let short = try store.latestReceiptTransactions(of: "u1", excludingOld: true)
        #expect(short.map(\.productID) == ["gold_monthly", "unlock_all"])
    }

    @Test("Renewal states become pending renewals")
    func pendingRenewals() throws {
        var store = try TestShop.store { $0.graceDays = 3 }
        let id = try store.bought("gold_monthly")
        try store.setBillingFailing(true, of: "u1")
        try store.advance(days: 32)
        let entry = try #require(try store.pendingRenewals(of: "u1").first).pendingRenewalEntry
        #expect(entry["is_in_billing_retry_period"]?.string == "1")
        #expect(entry["grace_period_expires_date_ms"]?.string == "1770163200000")
        #expect(entry["auto_renew_status"]?.string == "1")
        try store.expire(id, reason: .billingError)
        let ended = try #require(try store.pendingRenewals(of: "u1").first).pendingRenewalEntry
        #expect(ended["expiration_intent"]?.string == "2")
        #expect(ended["is_in_billing_retry_period"]?.string == "0")
        #expect(ended["auto_renew_status"]?.string == "0")
    }

    @Test("Version 1 says its own words, and nothing where it had none")
    func legacy() throws {
        let expected: [String: String] = [
            "SUBSCRIBED/INITIAL_BUY": "INITIAL_BUY",
            "SUBSCRIBED/RESUBSCRIBE": "INTERACTIVE_RENEWAL", "DID_RENEW": "DID_RENEW",
            "DID_RENEW/BILLING_RECOVERY": "DID_RECOVER",
            "DID_FAIL_TO_RENEW": "DID_FAIL_TO_RENEW",
            "DID_FAIL_TO_RENEW/GRACE_PERIOD": "DID_FAIL_TO_RENEW",
            "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED": "DID_CHANGE_RENEWAL_STATUS",
            "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED": "DID_CHANGE_RENEWAL_STATUS",
            "DID_CHANGE_RENEWAL_PREF": "DID_CHANGE_RENEWAL_PREF",
            "DID_CHANGE_RENEWAL_PREF/DOWNGRADE": "DID_CHANGE_RENEWAL_PREF",
            "DID_CHANGE_RENEWAL_PREF/UPGRADE": "INTERACTIVE_RENEWAL",
            "OFFER_REDEEMED/UPGRADE": "INTERACTIVE_RENEWAL",
            "OFFER_REDEEMED/DOWNGRADE": "DID_CHANGE_RENEWAL_PREF",
            "PRICE_INCREASE/PENDING": "PRICE_INCREASE_CONSENT", "REVOKE": "REVOKE",
            "CONSUMPTION_REQUEST": "CONSUMPTION_REQUEST",
        ]
        for story in Story.all {
            var store = try TestShop.store()
            store.settings.sharedSecret = "secret"
            try story.before(&store)
            _ = store.told()
            try story.play(&store)
            for notification in store.takeNotifications() {
                let body = store.legacyBody(for: notification, latestReceipt: "MII")
                let type = body?["notification_type"]?.string
                if notification.type == .refund {
                    let isSubscription =
                        notification.transaction?.kind == .autoRenewableSubscription
                    #expect(type == (isSubscription ? "CANCEL" : "REFUND"))
                } else {
                    #expect(type == expected[notification.name], "\(notification.name)")
                }
                guard let body else { continue }
                #expect(body["password"]?.string == "secret")
                #expect(body["environment"]?.string == "Sandbox")
                let unified = body["unified_receipt"]
                #expect(unified?["latest_receipt"]?.string == "MII")
                #expect(unified?["latest_receipt_info"]?.array?.isEmpty == false)
            }
        }
    }
}
