// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import Testing

/// Whole lives of subscriptions, as the notifications tell them.
struct SubscriptionLife {
    @Test("A trial becomes a paid subscription on the calendar")
    func trial() throws {
        var store = try TestShop.store()
        let outcome = try store.buy("gold_monthly", by: "u1")
        let first = try #require(outcome.transaction)
        #expect(first.price?.amountMilli == 0)
        #expect(first.offer?.type == 1 && first.offer?.discountType == "FREE_TRIAL")
        #expect(first.offer?.period == "P1W")
        #expect(first.expiresDate == TestShop.start + .seconds(7 * 86_400))
        let renewal = try store.standing(of: first.transactionID).renewal
        #expect(renewal.offer == nil && renewal.renewalPrice?.amountMilli == 9990)
        try store.advance(days: 8)
        #expect(store.told() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
        let chain = try store.history(original: first.transactionID)
        #expect(chain.count == 2)
        #expect(chain[1].transactionReason == "RENEWAL")
        #expect(chain[1].price?.amountMilli == 9990 && chain[1].offer == nil)
        #expect(chain[1].purchaseDate == first.expiresDate)
        #expect(chain[1].originalTransactionID == first.transactionID)
        #expect(chain[1].webOrderLineItemID != first.webOrderLineItemID)
        #expect(chain[1].expiresDate?.rfc3339.hasPrefix("2026-02-08") == true)
    }

    @Test("A subscription of the 31st comes back to the 31st")
    func lastOfMonth() throws {
        var store = try TestShop.store()
        try store.advance(days: 30)
        let id = try store.bought("gold_monthly")
        try store.advance(days: 100)
        let ends = try store.history(original: id).compactMap {
            $0.expiresDate?.rfc3339.prefix(10)
        }
        #expect(ends == ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"])
    }

    @Test("Switched off, it runs to its end and comes back with the same original id")
    func lapseAndReturn() throws {
        var store = try TestShop.store()
        let id = try store.bought("gold_monthly")
        try store.advance(days: 10)
        try store.setAutoRenew(false, of: id)
        try store.setAutoRenew(false, of: id)
        #expect(try store.standing(of: id).status == .active)
        try store.advance(days: 30)
        let ended = try store.standing(of: id)
        #expect(ended.status == .expired && ended.renewal.expirationIntent == 1)
        #expect(ended.renewal.eligibleWinBackOfferIDs == ["back"])
        try store.advance(days: 90)
        let back = try store.buy("gold_monthly", by: "u1", TestShop.offer(.winBack(id: "back")))
        #expect(back.transaction?.originalTransactionID == id)
        #expect(back.transaction?.offer?.type == 4)
        #expect(try store.standing(of: id).renewal.recentSubscriptionStartDate == store.now)
        #expect(
            store.told() == [
                "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
                "EXPIRED/VOLUNTARY", "SUBSCRIBED/RESUBSCRIBE",
            ])
    }

    @Test("The introductory offer is granted once per group")
    func introductionOnce() throws {
        var store = try TestShop.store()
        let id = try store.bought("gold_monthly", PurchaseOptions())
        try store.expire(id)
        let again = try store.buy("gold_monthly", by: "u1")
        #expect(again.transaction?.offer == nil)
        #expect(again.transaction?.price?.amountMilli == 9990)
    }

    @Test("Field case 29: grace keeps access, then retry, then sixty days")
    func graceAndRetry() throws {
        var store = try TestShop.store { $0.graceDays = 16 }
        let id = try store.bought("gold_monthly")
        try store.setBillingFailing(true, of: "u1")
        try store.advance(days: 31)
        let grace = try store.standing(of: id)
        #expect(grace.status == .gracePeriod)
        #expect(grace.renewal.gracePeriodExpiresDate?.rfc3339.hasPrefix("2026-02-17") == true)
        #expect(grace.renewal.isInBillingRetryPeriod == true)
        try store.advance(days: 16)
        #expect(try store.standing(of: id).status == .billingRetry)
        #expect(try store.entitlements(of: "u1").isEmpty)
        try store.advance(days: 44)
        let ended = try store.standing(of: id)
        #expect(ended.status == .expired && ended.renewal.expirationIntent == 2)
        #expect(
            store.told() == [
                "SUBSCRIBED/INITIAL_BUY", "DID_FAIL_TO_RENEW/GRACE_PERIOD",
                "GRACE_PERIOD_EXPIRED", "EXPIRED/BILLING_RETRY",
            ])
    }

    @Test(
        "Recovery in grace keeps the billing date, recovery later moves it",
        arguments: [(Int64(36), "2026-03-01"), (50, "2026-03-20")])
    func recovery(day: Int64, end: String) throws {
        var store = try TestShop.store { $0.graceDays = 16 }
        let id = try store.bought("gold_monthly")
        try store.setBillingFailing(true, of: "u1")
        try store.advance(days: day)
        try store.resolveBilling(id)
        #expect(store.told().last == "DID_RENEW/BILLING_RECOVERY")
        let standing = try store.standing(of: id)
        #expect(standing.status == .active && standing.renewal.isInBillingRetryPeriod == nil)
        #expect(standing.transaction.expiresDate?.rfc3339.hasPrefix(end) == true)
        #expect(refusal { try store.resolveBilling(id) } == "subscription.state")
    }

    @Test("Without grace a failed renewal ends access at once")
    func noGrace() throws {
        var store = try TestShop.store()
        let id = try store.bought("gold_monthly")
        try store.setBillingFailing(true, ofSubscription: id)
        try store.advance(days: 31)
        #expect(try store.standing(of: id).status == .billingRetry)
        try store.setAutoRenew(false, of: id)
        #expect(
            store.told() == [
                "SUBSCRIBED/INITIAL_BUY", "DID_FAIL_TO_RENEW",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY",
            ])
    }

    @Test("Field case 31: an upgrade counts now, a downgrade with the renewal")
    func changes() throws {
        var store = try TestShop.store()
        let id = try store.bought("silver_monthly")
        try store.advance(days: 10)
        let up = try #require(
            try store.buy("gold_monthly", by: "u1", TestShop.offer(.none)).transaction)
        #expect(up.originalTransactionID == id && up.purchaseDate == store.now)
        #expect(try store.transaction(id).isUpgraded)
        #expect(try store.standing(of: id).transaction.productID == "gold_monthly")
        let down = try store.buy("silver_monthly", by: "u1")
        #expect(down.transaction == nil)
        let planned = try store.standing(of: id)
        #expect(planned.transaction.productID == "gold_monthly")
        #expect(planned.renewal.autoRenewProductID == "silver_monthly")
        #expect(planned.renewal.renewalPrice?.amountMilli == 4990)
        #expect(
            refusal { _ = try store.buy("silver_monthly", by: "u1") }
                == "purchase.already_subscribed")
        try store.advance(days: 31)
        #expect(try store.standing(of: id).transaction.productID == "silver_monthly")
        #expect(
            store.told() == [
                "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/UPGRADE",
                "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_RENEW",
            ])
    }

    @Test(
        "A change on one level counts now for an equal length, else with the renewal",
        arguments: [
            ("silver_monthly", "silver_monthly_b", true), ("gold_monthly", "gold_yearly", false),
        ])
    func crossgrade(from: String, to: String, isImmediate: Bool) throws {
        var store = try TestShop.store()
        let id = try store.bought(from)
        let outcome = try store.buy(to, by: "u1", TestShop.offer(.none))
        #expect((outcome.transaction != nil) == isImmediate)
        #expect(try store.transaction(id).isUpgraded == isImmediate)
        _ = store.told()
        guard !isImmediate else { return }
        #expect(try store.buy(from, by: "u1", TestShop.offer(.none)).isNew == false)
        #expect(store.told() == ["DID_CHANGE_RENEWAL_PREF"])
        #expect(try store.standing(of: id).renewal.autoRenewProductID == from)
    }

    @Test("A pay-as-you-go offer lowers as many payments as it says")
    func payAsYouGo() throws {
        var store = try TestShop.store()
        let id = try store.bought("gold_monthly")
        try store.expire(id)
        _ = try store.buy("gold_monthly", by: "u1", TestShop.offer(.promotional(id: "half")))
        #expect(try store.standing(of: id).renewal.offer?.identifier == "half")
        try store.advance(days: 100)
        let prices = try store.history(original: id).map { $0.price?.amountMilli }
        #expect(prices == [9990, 4990, 4990, 4990, 9990])
    }

    @Test("An offer on the running product is charged now and added behind the period")
    func redeemed() throws {
        var store = try TestShop.store()
        let id = try store.bought("gold_monthly")
        try store.advance(days: 10)
        let outcome = try store.buy(
            "gold_monthly", by: "u1", TestShop.offer(.code(referenceName: "QUARTER")))
        let redeemed = try #require(outcome.transaction)
        #expect(redeemed.purchaseDate == store.now)
        #expect(redeemed.expiresDate?.rfc3339.hasPrefix("2026-05-01") == true)
        #expect(redeemed.offer?.period == "P3M" && redeemed.price?.amountMilli == 9990)
        #expect(try store.transaction(id).isUpgraded == false)
        #expect(store.told() == ["SUBSCRIBED/INITIAL_BUY", "OFFER_REDEEMED"])
        #expect(
            refusal {
                _ = try store.buy(
                    "gold_monthly", by: "u1", TestShop.offer(.code(referenceName: "NEWONLY")))
            } == "offer.ineligible")
    }

    @Test("A higher price needs consent, or ends the subscription")
    func priceIncrease() throws {
        var store = try TestShop.store()
        let id = try store.bought("gold_monthly")
        try store.raisePrice(of: id, to: 12_990)
        #expect(try store.standing(of: id).renewal.priceIncreaseStatus == 0)
        try store.consentToPriceIncrease(id)
        #expect(try store.standing(of: id).renewal.priceIncreaseStatus == 1)
        try store.advance(days: 31)
        #expect(try store.standing(of: id).transaction.price?.amountMilli == 12_990)
        #expect(try store.standing(of: id).renewal.priceIncreaseStatus == nil)
        try store.raisePrice(of: id, to: 13_990, needsConsent: false)
        try store.advance(days: 31)
        try store.raisePrice(of: id, to: 19_990)
        try store.refusePriceIncrease(id)
        try store.advance(days: 31)
        #expect(try store.standing(of: id).renewal.expirationIntent == 3)
        #expect(
            store.told() == [
                "SUBSCRIBED/INITIAL_BUY", "PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED",
                "DID_RENEW", "PRICE_INCREASE/ACCEPTED", "DID_RENEW", "PRICE_INCREASE/PENDING",
                "EXPIRED/PRICE_INCREASE",
            ])
    }

    @Test("Who moves to another country pays that country's price from the next renewal on")
    func otherCountry() throws {
        var store = try TestShop.store()
        let id = try store.bought("gold_monthly")
        try store.setStorefront(try .named("JPN"), of: "u1")
        #expect(try store.transaction(id).price?.currency == "USD")
        try store.advance(days: 31)
        let renewal = try store.standing(of: id).transaction
        #expect(renewal.price?.currency == "JPY" && renewal.storefront == "JPN")
    }

    @Test("Grace may be for those only who have paid before")
    func graceForPaid() throws {
        var store = try TestShop.store {
            $0.graceDays = 16
            $0.isGraceForPaidOnly = true
        }
        _ = try store.bought("gold_monthly", PurchaseOptions())
        try store.createAccount("u2")
        _ = try store.bought("gold_monthly", by: "u2")
        store.settings.isBillingFailing = true
        try store.advance(days: 31)
        #expect(
            store.told().filter { $0.hasPrefix("DID_FAIL") } == [
                "DID_FAIL_TO_RENEW", "DID_FAIL_TO_RENEW/GRACE_PERIOD",
            ])
    }

    @Test("What is due at one moment happens in the order in which it became due")
    func order() throws {
        var store = try TestShop.store()
        let names = (2..<40).map { "u\($0)" }
        for name in names {
            try store.createAccount(name)
            _ = try store.bought("gold_monthly", by: name)
        }
        _ = store.told()
        try store.advance(days: 31)
        #expect(store.takeNotifications().compactMap(\.account) == names)
    }

    @Test("A product that was taken from sale ends its subscriptions")
    func notForSale() throws {
        var store = try TestShop.store()
        let id = try store.bought("gold_monthly")
        try store.setForSale(false, product: "gold_monthly")
        try store.advance(days: 31)
        #expect(store.told().last == "EXPIRED/PRODUCT_NOT_FOR_SALE")
        #expect(try store.standing(of: id).renewal.expirationIntent == 4)
    }

    @Test("A purchase dated back has its whole history at once")
    func datedBack() throws {
        var store = try TestShop.store()
        var options = TestShop.offer(.none)
        options.purchaseDate = store.now - .seconds(100 * 86_400)
        let id = try store.bought("gold_monthly", options)
        #expect(try store.history(original: id).count == 4)
        #expect(try store.standing(of: id).status == .active)
        options.renewalBehavior = .cancelImmediately
        try store.createAccount("u2")
        let other = try store.bought("gold_monthly", by: "u2", options)
        #expect(try store.standing(of: other).status == .expired)
        #expect(store.takeNotifications().allSatisfy { $0.signedDate == store.now })
    }

    @Test("A year paid by the month is paid twelve times, even with renewal off")
    func commitment() throws {
        var store = try TestShop.store()
        var options = TestShop.offer(.none)
        options.billingPlan = .monthly
        let id = try store.bought("plan_yearly", options)
        let first = try store.transaction(id)
        #expect(first.billingPlanType == "MONTHLY" && first.price?.amountMilli == 5490)
        #expect(first.commitment?.billingPeriodNumber == 1)
        #expect(first.commitment?.priceMilli == 65_880)
        #expect(first.commitment?.expiresDate.rfc3339.hasPrefix("2027-01-01") == true)
        try store.setAutoRenew(false, of: id)
        try store.advance(days: 364)
        #expect(try store.standing(of: id).status == .active)
        #expect(try store.standing(of: id).transaction.commitment?.billingPeriodNumber == 12)
        try store.advance(days: 2)
        #expect(try store.standing(of: id).status == .expired)
        #expect(try store.history(original: id).count == 12)
        options.billingPlan = BillingPlanType(rawValue: "WEEKLY")
        #expect(
            refusal { _ = try store.buy("plan_yearly", by: "u1", options) }
                == "purchase.billing_plan")
    }
}
