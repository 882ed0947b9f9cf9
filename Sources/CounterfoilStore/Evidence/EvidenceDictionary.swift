// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// What a compressor may take as seen before it begins.
///
/// A dictionary never changes once evidence is stored with it: another one is another encoding. It
/// holds the names and values that Apple documents, and the forms of ASN.1; nothing of anybody's
/// evidence. What is most frequent stands last, since near matches are cheaper.
enum EvidenceDictionary {
    /// The dictionary of the encoding `packed`.
    static let first: [UInt8] = receipts + Array(texts.joined().utf8)

    private static let texts = [
        #"{"notificationType":"DID_RENEW","subtype":"INITIAL_BUY","REFUND","CONSUMPTION_REQUEST","#,
        #""DID_CHANGE_RENEWAL_STATUS","AUTO_RENEW_ENABLED","AUTO_RENEW_DISABLED","VOLUNTARY","#,
        #""DID_FAIL_TO_RENEW","GRACE_PERIOD","EXPIRED","BILLING_RETRY","ONE_TIME_CHARGE","#,
        #""SUBSCRIBED","RESUBSCRIBE","REFUND_REVERSED","REFUND_DECLINED","OFFER_REDEEMED","#,
        #""notificationUUID":"","data":{"appAppleId":,"bundleId":"","bundleVersion":"1","#,
        #""environment":"Sandbox","signedTransactionInfo":"","signedRenewalInfo":"","status":1},"#,
        #""version":"2.0","signedDate":17"#,
        #"{"autoRenewProductId":"","autoRenewStatus":1,"expirationIntent":1,"#,
        #""gracePeriodExpiresDate":17,"isInBillingRetryPeriod":false,"offerDiscountType":"","#,
        #""priceIncreaseStatus":0,"recentSubscriptionStartDate":17,"renewalDate":17,"#,
        #""renewalPrice":,"eligibleWinBackOfferIds":[""],"offerIdentifier":"","offerType":1,"#,
        #""offerPeriod":"P1M","PAY_AS_YOU_GO","PAY_UP_FRONT","FREE_TRIAL","#,
        #""revocationDate":17,"revocationReason":0,"revocationType":"REFUND_FULL","#,
        #""REFUND_PRORATED","FAMILY_REVOKE","revocationPercentage":100000,"isUpgraded":true,"#,
        #""appTransactionId":"70","originalPlatform":"iOS","deviceVerification":"","#,
        #""deviceVerificationNonce":"","storefront":"CHN","storefrontId":"143465","#,
        #""storefront":"JPN","storefrontId":"143462","currency":"EUR","currency":"JPY","#,
        #""currency":"CNY","transactionReason":"RENEWAL","inAppOwnershipType":"FAMILY_SHARED","#,
        #""type":"Non-Renewing Subscription","type":"Non-Consumable","#,
        #""type":"Auto-Renewable Subscription","#,
        #"{"transactionId":"2000000","originalTransactionId":"2000000","#,
        #""webOrderLineItemId":"2000000","bundleId":"com.","productId":"com.","#,
        #""subscriptionGroupIdentifier":"2","purchaseDate":17,"originalPurchaseDate":17,"#,
        #""expiresDate":17,"quantity":1,"type":"Consumable","appAccountToken":"-4","#,
        #""inAppOwnershipType":"PURCHASED","signedDate":17,"environment":"Production","#,
        #""transactionReason":"PURCHASE","storefront":"USA","storefrontId":"143441","#,
        #""price":990,"currency":"USD","appTransactionId":"70"}"#,
        #"{"alg":"ES256","x5c":["","",""]}"#,
    ]

    /// The container of a receipt and the attributes of a purchase.
    private static let receipts: [UInt8] =
        names + container + (1701...1719).flatMap(attribute)

    private static let names = Array(
        """
        Apple Worldwide Developer Relations Certification AuthorityApple Inc.\
        Apple Certification AuthorityApple Root CAProductionProductionSandboxXcodecom.1.0.0
        """.utf8)

    /// The object identifiers of signed data, its digests and its keys, with their headers.
    private static let container: [UInt8] = [
        0x30, 0x80, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02, 0xA0, 0x80,
        0x30, 0x80, 0x02, 0x01, 0x01, 0x31, 0x0B, 0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02,
        0x1A, 0x05, 0x00, 0x31, 0x0F, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03,
        0x04, 0x02, 0x01, 0x05, 0x00, 0x30, 0x80, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D,
        0x01, 0x07, 0x01, 0xA0, 0x80, 0x24, 0x80, 0x04, 0x82, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86,
        0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00, 0x04, 0x82, 0x01, 0x00, 0x06, 0x03,
        0x55, 0x04, 0x03, 0x0C, 0x06, 0x03, 0x55, 0x04, 0x0A, 0x0C, 0x06, 0x03, 0x55, 0x04, 0x06,
        0x13, 0x02, 0x55, 0x53,
    ]

    /// An attribute as receipts write it: SEQUENCE of type, version and an octet string with the
    /// usual value of this type.
    private static func attribute(_ type: Int) -> [UInt8] {
        let value: [UInt8] =
            switch type {
            case 1702: [0x0C, 0x12] + Array("com.".utf8)
            case 1703, 1705: [0x0C, 0x0F] + Array("2000000".utf8)
            case 1704, 1706, 1708, 1712: [0x16, 0x14] + Array("2026-01-01T00:00:00Z".utf8)
            default: [0x02, 0x01, 0x00]
            }
        // The dates stand whole; other texts only begin here, and go on in the evidence.
        let length = value[0] == 0x02 ? value.count : Int(value[1]) + 2
        return [
            0x30, UInt8(9 + length), 0x02, 0x02, UInt8(type >> 8), UInt8(type & 0xFF), 0x02, 0x01,
            0x01, 0x04, UInt8(length),
        ] + value
    }
}
