// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import Testing

@Suite("The signed payloads")
struct PayloadContents {
    private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text.utf8) }

    @Test("A transaction reads all its fields and keeps the unknown ones")
    func transaction() throws {
        let payload = try JWSTransaction(
            json(
                #"""
                {"transactionId":"23","originalTransactionId":"12","type":"Auto-Renewable Subscription",
                 "inAppOwnershipType":"FAMILY_SHARED","transactionReason":"RENEWAL","offerType":4,
                 "offerDiscountType":"ONE_TIME","revocationType":"REFUND_PRORATED","revocationReason":1,
                 "revocationPercentage":67932,"storefront":"USA","price":10990,"currency":"USD",
                 "billingPlanType":"MONTHLY","isUpgraded":false,
                 "commitmentInfo":{"billingPeriodNumber":3,"totalBillingPeriods":12,
                   "commitmentPrice":119880,"commitmentExpiresDate":1698150000000},
                 "advancedCommerceInfo":{"estimatedTax":1500,"taxRate":"0.15","items":[{"SKU":"a",
                   "price":9990,"displayName":"A","offer":{"period":"P1M","periodCount":2,"price":1,
                   "reason":"RETENTION"},"refunds":[{"refundAmount":5000,"refundType":"PRORATED",
                   "refundReason":"FULFILLMENT_ISSUE","refundDate":1698149100000}]}]},
                 "deviceVerificationNonce":"7edea87d"}
                """#))
        #expect(payload.type == .autoRenewable)
        #expect(payload.ownershipType == .familyShared)
        #expect(payload.transactionReason == .renewal)
        #expect(payload.offerType == .winBack && payload.offerDiscountType == .oneTime)
        #expect(payload.revocationType == .proratedRefund && payload.revocationReason == .appIssue)
        #expect(payload.revocationPercentageMilli == 67932)
        #expect(payload.isUpgraded == false)
        #expect(payload.commitment?.billingPeriodNumber == 3)
        #expect(payload.commitment?.priceMilli == 119_880)
        let item = try #require(payload.advancedCommerce?.items?.first)
        #expect(item.sku == "a" && item.descriptors.displayName == "A")
        #expect(item.offer?.reason == .retention && item.offer?.periodCount == 2)
        #expect(item.refunds?.first?.type == .prorated && item.refunds?.first?.amountMilli == 5000)
        #expect(payload.fields["deviceVerificationNonce"] == "7edea87d")
    }

    @Test("A value that Apple may add later survives as it is spelled")
    func unknownValues() throws {
        let payload = try JWSTransaction(
            json(
                #"{"type":"Rental","environment":"Lab","offerType":9,"inAppOwnershipType":"LENT"}"#)
        )
        #expect(payload.type?.rawValue == "Rental")
        #expect(payload.environment?.rawValue == "Lab")
        #expect(payload.offerType?.rawValue == 9)
        #expect(payload.ownershipType?.rawValue == "LENT")
        let notification = try JWSNotification(
            json(#"{"notificationType":"NEW_THING","subtype":"ODD"}"#))
        #expect(notification.notificationType?.rawValue == "NEW_THING")
        #expect(notification.subtype?.rawValue == "ODD")
    }

    @Test("A renewal info reads its own names of things")
    func renewal() throws {
        let payload = try JWSRenewalInfo(
            json(
                #"""
                {"originalTransactionId":12345,"autoRenewProductId":"b","productId":"a",
                 "autoRenewStatus":"1","expirationIntent":1,"isInBillingRetryPeriod":"true",
                 "priceIncreaseStatus":0,"gracePeriodExpiresDate":1698148900000,"renewalPrice":9990,
                 "currency":"USD","eligibleWinBackOfferIds":["x","y"],
                 "advancedCommerceInfo":{"consistencyToken":"t","items":[{"priceIncreaseInfo":
                   {"dependentSKUs":["s1"],"price":12990,"status":"PENDING"}}]},
                 "commitmentInfo":{"commitmentAutoRenewProductId":"c","commitmentAutoRenewStatus":1,
                   "commitmentRenewalBillingPlanType":"MONTHLY","commitmentRenewalPrice":9990}}
                """#))
        #expect(payload.originalTransactionID?.rawValue == "12345")
        #expect(payload.autoRenewStatus == .on && payload.expirationIntent == .customerCancelled)
        #expect(payload.isInBillingRetryPeriod == true)
        #expect(payload.priceIncreaseStatus == .unanswered)
        #expect(payload.renewalPrice == Money(amountMilli: 9990, currency: "USD"))
        #expect(payload.eligibleWinBackOfferIDs == ["x", "y"])
        #expect(payload.advancedCommerce?.items?.first?.priceIncrease?.status == .pending)
        #expect(payload.commitment?.autoRenewProductID?.rawValue == "c")
        #expect(payload.commitment?.renewalPriceMilli == 9990)
    }

    @Test("An app transaction calls its environment receiptType")
    func appTransaction() throws {
        let payload = try JWSAppTransaction(
            json(
                #"{"receiptType":"Xcode","receiptCreationDate":1697680122257.447,"originalPurchaseDate":-62135769600000,"originalPlatform":"iOS"}"#
            ))
        #expect(payload.environment == .xcode)
        #expect(payload.receiptCreationDate?.millisecondsSinceEpoch == 1_697_680_122_257)
        #expect(payload.originalPurchaseDate?.millisecondsSinceEpoch == -62_135_769_600_000)
        #expect(payload.originalPlatform == .iOS)
        #expect(payload.appAppleID == nil)
    }

    @Test(
        "A notification takes app and environment from the object that it carries",
        arguments: [
            (#"{"data":{"bundleId":"b","appAppleId":7,"environment":"Sandbox"}}"#, "Sandbox"),
            (#"{"summary":{"bundleId":"b","appAppleId":7,"environment":"Sandbox"}}"#, "Sandbox"),
            (
                #"{"externalPurchaseToken":{"bundleId":"b","appAppleId":7,"externalPurchaseId":"SANDBOX_1"}}"#,
                "Sandbox"
            ),
            (
                #"{"externalPurchaseToken":{"bundleId":"b","appAppleId":7,"externalPurchaseId":"b215"}}"#,
                "Production"
            ),
            (#"{"appData":{"bundleId":"b","appAppleId":7,"environment":"Sandbox"}}"#, "Sandbox"),
        ])
    func notificationIdentity(text: String, environment: String) throws {
        let payload = try JWSNotification(json(text))
        #expect(payload.bundleID?.rawValue == "b")
        #expect(payload.appAppleID == 7)
        #expect(payload.environment?.rawValue == environment)
    }

    @Test("The first of the objects decides even where it says nothing")
    func firstObject() throws {
        let payload = try JWSNotification(
            json(#"{"data":{},"summary":{"bundleId":"b","environment":"Sandbox"}}"#))
        #expect(payload.bundleID == nil && payload.environment == nil)
    }

    @Test("A realtime request reads its fields")
    func realtimeRequest() throws {
        let payload = try JWSRealtimeRequest(
            json(
                #"{"originalTransactionId":"99","appAppleId":"531412","userLocale":"en-US","requestIdentifier":"3db5c98d-8acf-4e29-831e-8e1f82f9f6e9","environment":"LocalTesting"}"#
            ))
        #expect(payload.appAppleID == 531_412 && payload.userLocale == "en-US")
        #expect(payload.environment == .localTesting)
    }
}
