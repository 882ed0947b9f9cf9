// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore

/// What the README of Apple's data says must be found in its files.
enum AppleExpectations {
    /// By the names of the files in `models`.
    static let models: [String: @Sendable (JSONValue) throws -> Expectations] = [
        "signedTransaction.json": { try transaction(JWSTransaction($0)) },
        "signedRenewalInfo.json": { try renewalInfo(JWSRenewalInfo($0)) },
        "signedNotification.json": { try notification(JWSNotification($0)) },
        "signedConsumptionRequestNotification.json": {
            try consumptionRequest(JWSNotification($0))
        },
        "signedSummaryNotification.json": { try summary(JWSNotification($0)) },
        "signedExternalPurchaseTokenNotification.json": {
            try externalPurchaseToken(JWSNotification($0))
        },
        "appTransaction.json": { try appTransaction(JWSAppTransaction($0)) },
        "appData.json": { try appData(JWSNotification(["appData": $0])) },
        "decodedRealtimeRequest.json": { try realtimeRequest(JWSRealtimeRequest($0)) },
    ]

    private static func instant(_ milliseconds: Int64) -> Instant {
        Instant(millisecondsSinceEpoch: milliseconds)
    }

    private static func transaction(_ payload: JWSTransaction) -> Expectations {
        var expectations = Expectations()
        expectations.expect("transactionId", payload.transactionID?.rawValue, "23456")
        expectations.expect(
            "originalTransactionId", payload.originalTransactionID?.rawValue, "12345")
        expectations.expect("webOrderLineItemId", payload.webOrderLineItemID, "34343")
        expectations.expect("bundleId", payload.bundleID?.rawValue, "com.example")
        expectations.expect("productId", payload.productID?.rawValue, "com.example.product")
        expectations.expect(
            "subscriptionGroupIdentifier", payload.subscriptionGroupIdentifier, "55555")
        expectations.expect("purchaseDate", payload.purchaseDate, instant(1_698_148_900_000))
        expectations.expect(
            "originalPurchaseDate", payload.originalPurchaseDate, instant(1_698_148_800_000))
        expectations.expect("expiresDate", payload.expiresDate, instant(1_698_149_000_000))
        expectations.expect("quantity", payload.quantity, 1)
        expectations.expect("type", payload.type, .autoRenewable)
        expectations.expect(
            "appAccountToken", payload.appAccountToken?.description,
            "7e3fb20b-4cdb-47cc-936d-99d65f608138")
        expectations.expect("inAppOwnershipType", payload.ownershipType, .purchased)
        expectations.expect("signedDate", payload.signedDate, instant(1_698_148_900_000))
        expectations.expect("revocationReason", payload.revocationReason, .appIssue)
        expectations.expect("revocationDate", payload.revocationDate, instant(1_698_148_950_000))
        expectations.expect("isUpgraded", payload.isUpgraded, true)
        expectations.expect("environment", payload.environment, .localTesting)
        expectations.expect("price", payload.price, Money(amountMilli: 10990, currency: "USD"))
        offer(payload, &expectations)
        commerce(payload, &expectations)
        return expectations
    }

    private static func offer(_ payload: JWSTransaction, _ expectations: inout Expectations) {
        expectations.expect("offerType", payload.offerType, .introductory)
        expectations.expect("offerIdentifier", payload.offerIdentifier, "abc.123")
        expectations.expect("offerDiscountType", payload.offerDiscountType, .payAsYouGo)
        expectations.expect("offerPeriod", payload.offerPeriod, "P1Y")
        expectations.expect("transactionReason", payload.transactionReason, .purchase)
        expectations.expect("storefront", payload.storefront, "USA")
        expectations.expect("storefrontId", payload.storefrontID, "143441")
        expectations.expect("appTransactionId", payload.appTransactionID, "71134")
    }

    private static func commerce(_ payload: JWSTransaction, _ expectations: inout Expectations) {
        expectations.expect("billingPlanType", payload.billingPlanType, .monthly)
        expectations.expect("billingPeriodNumber", payload.commitment?.billingPeriodNumber, 3)
        expectations.expect("totalBillingPeriods", payload.commitment?.totalBillingPeriods, 12)
        expectations.expect("commitmentPrice", payload.commitment?.priceMilli, 119_880)
        expectations.expect(
            "commitmentExpiresDate", payload.commitment?.expiresDate, instant(1_698_150_000_000))
        let commerce = payload.advancedCommerce
        expectations.expect("estimatedTax", commerce?.estimatedTaxMilli, 1500)
        expectations.expect("taxExclusivePrice", commerce?.taxExclusivePriceMilli, 8490)
        expectations.expect("taxRate", commerce?.taxRate, "0.15")
        expectations.expect("descriptors", commerce?.descriptors?.displayName, "Premium")
        let item = commerce?.items?.first
        expectations.expect("SKU", item?.sku, "com.example.sku.premium")
        expectations.expect("item price", item?.priceMilli, 9990)
        expectations.expect("refundAmount", item?.refunds?.first?.amountMilli, 5000)
        expectations.expect("refundType", item?.refunds?.first?.type, .prorated)
        expectations.expect("refundReason", item?.refunds?.first?.reason, .fulfillmentIssue)
        expectations.expect("item revocation", item?.revocationDate, instant(1_698_149_200_000))
    }

    private static func renewalInfo(_ payload: JWSRenewalInfo) -> Expectations {
        var expectations = Expectations()
        expectations.expect(
            "originalTransactionId", payload.originalTransactionID?.rawValue, "12345")
        expectations.expect("productId", payload.productID?.rawValue, "com.example.product")
        expectations.expect(
            "autoRenewProductId", payload.autoRenewProductID?.rawValue, "com.example.product.2")
        expectations.expect("autoRenewStatus", payload.autoRenewStatus, .on)
        expectations.expect("expirationIntent", payload.expirationIntent, .customerCancelled)
        expectations.expect("isInBillingRetryPeriod", payload.isInBillingRetryPeriod, true)
        expectations.expect("priceIncreaseStatus", payload.priceIncreaseStatus, .unanswered)
        expectations.expect(
            "gracePeriodExpiresDate", payload.gracePeriodExpiresDate, instant(1_698_148_900_000))
        expectations.expect("offerType", payload.offerType, .promotional)
        expectations.expect(
            "renewalPrice", payload.renewalPrice, Money(amountMilli: 9990, currency: "USD"))
        expectations.expect("renewalDate", payload.renewalDate, instant(1_698_148_850_000))
        expectations.expect(
            "eligibleWinBackOfferIds", payload.eligibleWinBackOfferIDs, ["eligible1", "eligible2"])
        let increase = payload.advancedCommerce?.items?.first?.priceIncrease
        expectations.expect("priceIncreaseInfo", increase?.status, .pending)
        expectations.expect("priceIncreaseInfo.price", increase?.priceMilli, 12990)
        expectations.expect(
            "consistencyToken", payload.advancedCommerce?.consistencyToken, "token-abc-123")
        expectations.expect("renewalBillingPlanType", payload.renewalBillingPlanType, .monthly)
        let commitment = payload.commitment
        expectations.expect(
            "commitmentAutoRenewProductId", commitment?.autoRenewProductID?.rawValue,
            "com.example.product.commitment")
        expectations.expect("commitmentAutoRenewStatus", commitment?.autoRenewStatus, .on)
        expectations.expect("commitmentRenewalPrice", commitment?.renewalPriceMilli, 9990)
        expectations.expect(
            "commitmentRenewalDate", commitment?.renewalDate, instant(1_698_149_500_000))
        return expectations
    }

    // MARK: - Notifications

    private static func notification(_ payload: JWSNotification) -> Expectations {
        var expectations = carrier(payload, "data")
        expectations.expect("notificationType", payload.notificationType, .subscribed)
        expectations.expect("subtype", payload.subtype, .initialBuy)
        expectations.expect("version", payload.version, "2.0")
        expectations.expect("appAppleId", payload.appAppleID, 41234)
        expectations.expect("bundleVersion", payload.data?.bundleVersion, "1.2.3")
        expectations.expect("status", payload.data?.status, .active)
        expectations.expect(
            "signedTransactionInfo", payload.data?.signedTransactionInfo,
            "signed_transaction_info_value")
        expectations.expect(
            "signedRenewalInfo", payload.data?.signedRenewalInfo, "signed_renewal_info_value")
        return expectations
    }

    private static func consumptionRequest(_ payload: JWSNotification) -> Expectations {
        var expectations = carrier(payload, "data")
        expectations.expect("notificationType", payload.notificationType, .consumptionRequest)
        expectations.expect(
            "consumptionRequestReason", payload.data?.consumptionRequestReason, .unintendedPurchase)
        return expectations
    }

    private static func summary(_ payload: JWSNotification) -> Expectations {
        var expectations = carrier(payload, "summary")
        expectations.expect("notificationType", payload.notificationType, .renewalExtension)
        expectations.expect("subtype", payload.subtype, .summary)
        expectations.expect(
            "storefrontCountryCodes", payload.summary?.storefrontCountryCodes,
            ["CAN", "USA", "MEX"])
        expectations.expect("succeededCount", payload.summary?.succeededCount, 5)
        expectations.expect("failedCount", payload.summary?.failedCount, 2)
        return expectations
    }

    private static func externalPurchaseToken(_ payload: JWSNotification) -> Expectations {
        var expectations = carrier(payload, "externalPurchaseToken")
        expectations.expect("notificationType", payload.notificationType, .externalPurchaseToken)
        expectations.expect("subtype", payload.subtype, .unreported)
        expectations.expect("environment", payload.environment, .production)
        expectations.expect("appAppleId", payload.appAppleID, 55555)
        return expectations
    }

    private static func appData(_ payload: JWSNotification) -> Expectations {
        var expectations = carrier(payload, "appData")
        expectations.expect("environment", payload.environment, .sandbox)
        expectations.expect("appAppleId", payload.appAppleID, 987_654_321)
        expectations.expect(
            "signedAppTransactionInfo", payload.appData?.signedAppTransactionInfo,
            "signed-app-transaction-info")
        return expectations
    }

    /// Exactly one of the four objects is there, and it names the app.
    private static func carrier(_ payload: JWSNotification, _ field: String) -> Expectations {
        var expectations = Expectations()
        expectations.expect("data", payload.data != nil, field == "data")
        expectations.expect("summary", payload.summary != nil, field == "summary")
        expectations.expect(
            "externalPurchaseToken", payload.externalPurchaseToken != nil,
            field == "externalPurchaseToken")
        expectations.expect("appData", payload.appData != nil, field == "appData")
        expectations.expect("bundleId", payload.bundleID?.rawValue, "com.example")
        return expectations
    }

    // MARK: - App transactions and requests

    private static func appTransaction(_ payload: JWSAppTransaction) -> Expectations {
        var expectations = Expectations()
        expectations.expect("receiptType", payload.environment, .localTesting)
        expectations.expect("appAppleId", payload.appAppleID, 531_412)
        expectations.expect("bundleId", payload.bundleID?.rawValue, "com.example")
        expectations.expect("applicationVersion", payload.applicationVersion, "1.2.3")
        expectations.expect("versionExternalIdentifier", payload.versionExternalIdentifier, 512)
        expectations.expect(
            "receiptCreationDate", payload.receiptCreationDate, instant(1_698_148_900_000))
        expectations.expect(
            "originalPurchaseDate", payload.originalPurchaseDate, instant(1_698_148_800_000))
        expectations.expect(
            "originalApplicationVersion", payload.originalApplicationVersion, "1.1.2")
        expectations.expect(
            "deviceVerification", payload.deviceVerification, "device_verification_value")
        expectations.expect(
            "deviceVerificationNonce", payload.deviceVerificationNonce?.description,
            "48ccfa42-7431-4f22-9908-7e88983e105a")
        expectations.expect("preorderDate", payload.preorderDate, instant(1_698_148_700_000))
        expectations.expect("appTransactionId", payload.appTransactionID, "71134")
        expectations.expect("originalPlatform", payload.originalPlatform, .iOS)
        return expectations
    }

    private static func realtimeRequest(_ payload: JWSRealtimeRequest) -> Expectations {
        var expectations = Expectations()
        expectations.expect(
            "originalTransactionId", payload.originalTransactionID?.rawValue, "99371282")
        expectations.expect("appAppleId", payload.appAppleID, 531_412)
        expectations.expect("productId", payload.productID?.rawValue, "com.example.product")
        expectations.expect("userLocale", payload.userLocale, "en-US")
        expectations.expect(
            "requestIdentifier", payload.requestIdentifier?.description,
            "3db5c98d-8acf-4e29-831e-8e1f82f9f6e9")
        expectations.expect("environment", payload.environment, .localTesting)
        expectations.expect("signedDate", payload.signedDate, instant(1_698_148_900_000))
        return expectations
    }

    // MARK: - Xcode

    static func xcodeAppTransaction(_ payload: JWSAppTransaction) -> Expectations {
        var expectations = Expectations()
        expectations.expect("applicationVersion", payload.applicationVersion, "1")
        expectations.expect("originalApplicationVersion", payload.originalApplicationVersion, "1")
        expectations.expect(
            "originalPurchaseDate", payload.originalPurchaseDate, instant(-62_135_769_600_000))
        expectations.expect(
            "deviceVerificationNonce", payload.deviceVerificationNonce?.description,
            "48c8b92d-ce0d-4229-bedf-e61b4f9cfc92")
        expectations.expect("receiptType", payload.environment, .xcode)
        expectations.expect(
            "receiptCreationDate", payload.receiptCreationDate, instant(1_697_680_122_257))
        expectations.expect("appAppleId", payload.appAppleID, nil)
        expectations.expect("versionExternalIdentifier", payload.versionExternalIdentifier, nil)
        expectations.expect("preorderDate", payload.preorderDate, nil)
        return expectations
    }

    static func xcodeTransaction(_ payload: JWSTransaction) -> Expectations {
        var expectations = Expectations()
        expectations.expect("transactionId", payload.transactionID?.rawValue, "0")
        expectations.expect("originalTransactionId", payload.originalTransactionID?.rawValue, "0")
        expectations.expect("webOrderLineItemId", payload.fields["webOrderLineItemId"], "0")
        expectations.expect("productId", payload.productID?.rawValue, "pass.premium")
        expectations.expect(
            "subscriptionGroupIdentifier", payload.subscriptionGroupIdentifier, "6F3A93AB")
        expectations.expect("purchaseDate", payload.purchaseDate, instant(1_697_679_936_049))
        expectations.expect(
            "originalPurchaseDate", payload.originalPurchaseDate, instant(1_697_679_936_049))
        expectations.expect("expiresDate", payload.expiresDate, instant(1_700_358_336_049))
        expectations.expect("signedDate", payload.signedDate, instant(1_697_679_936_056))
        expectations.expect("quantity", payload.quantity, 1)
        expectations.expect("type", payload.type, .autoRenewable)
        expectations.expect("offerType", payload.offerType, .introductory)
        expectations.expect("isUpgraded", payload.isUpgraded, false)
        expectations.expect("storefront", payload.storefront, "USA")
        expectations.expect("storefrontId", payload.storefrontID, "143441")
        expectations.expect("transactionReason", payload.transactionReason, .purchase)
        expectations.expect("environment", payload.environment, .xcode)
        expectations.expect("revocationDate", payload.revocationDate, nil)
        return expectations
    }
}
