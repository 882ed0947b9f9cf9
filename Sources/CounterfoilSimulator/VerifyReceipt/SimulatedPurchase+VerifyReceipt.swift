// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

extension SimulatedPurchase {
    /// The list of a verifyReceipt answer that an entry stands in.
    public enum ReceiptList: Hashable, Sendable, CaseIterable {
        /// `in_app`, which knows what the submitted receipt knows.
        case inApp

        /// `latest_receipt_info`, which knows more.
        case latest
    }

    /// The entry as verifyReceipt writes it: all values are text, and dates stand three times.
    public func verifyReceiptEntry(in list: ReceiptList) -> JSONObject {
        var entry = PayloadWriter()
        let isSubscription = kind == .autoRenewableSubscription
        entry.text("quantity", String(quantity))
        entry.text("product_id", productID)
        entry.text("transaction_id", transactionID)
        entry.text("original_transaction_id", originalTransactionID)
        entry.appleDate("purchase_date", purchaseDate)
        entry.appleDate("original_purchase_date", originalPurchaseDate)
        entry.appleDate("expires_date", isSubscription ? expiresDate : nil)
        entry.text("web_order_line_item_id", webOrderLineItemID)
        entry.text("is_trial_period", isTrial ? "true" : "false")
        if isSubscription {
            entry.text("is_in_intro_offer_period", isInPaidIntroduction ? "true" : "false")
        }
        entry.appleDate("cancellation_date", receiptCancellationDate)
        if receiptCancellationDate != nil {
            entry.text("cancellation_reason", String(revocation?.reason ?? 0))
        }
        entry.text("promotional_offer_id", promotionalOfferID)
        entry.text("in_app_ownership_type", ownershipType)
        guard list == .latest else { return entry.object }
        entry.text("offer_code_ref_name", offer?.type == 3 ? offer?.identifier : nil)
        entry.text("subscription_group_identifier", subscriptionGroupID)
        entry.text("is_upgraded", isUpgraded ? "true" : nil)
        entry.text("app_account_token", appAccountToken?.description)
        return entry.object
    }

    /// Whether nothing is paid for the period.
    var isTrial: Bool { offer?.discountType == StoreOffer.PaymentMode.freeTrial.rawValue }

    /// Whether an introductory price is paid.
    var isInPaidIntroduction: Bool { offer?.type == 1 && !isTrial }

    /// Receipts know one date for a refund and for an upgrade.
    var receiptCancellationDate: Instant? { revocation?.date ?? upgradeDate }

    var promotionalOfferID: String? {
        offer?.type == 2 || offer?.type == 4 ? offer?.identifier : nil
    }
}

extension SimulatedRenewal {
    /// The element of `pending_renewal_info`.
    public var pendingRenewalEntry: JSONObject {
        var entry = PayloadWriter()
        entry.text("auto_renew_product_id", autoRenewProductID)
        entry.text("product_id", productID)
        entry.text("original_transaction_id", originalTransactionID)
        entry.text("auto_renew_status", autoRenews == true ? "1" : "0")
        entry.text("expiration_intent", expirationIntent.map { String($0) })
        entry.text("is_in_billing_retry_period", isInBillingRetryPeriod.map { $0 ? "1" : "0" })
        entry.appleDate("grace_period_expires_date", gracePeriodExpiresDate)
        entry.text("price_consent_status", priceIncreaseStatus.map { String($0) })
        let isPromotional = offer?.type == 2 || offer?.type == 4
        entry.text("promotional_offer_id", isPromotional ? offer?.identifier : nil)
        entry.text("offer_code_ref_name", offer?.type == 3 ? offer?.identifier : nil)
        return entry.object
    }
}

extension SimulatedReceipt {
    /// The member `receipt` of a verifyReceipt answer.
    ///
    /// - Parameter requestDate: Apple's clock at the answer.
    public func verifyReceiptObject(requestDate: Instant) -> JSONObject {
        var object = PayloadWriter()
        object.text("receipt_type", receiptType)
        object.number("adam_id", appAppleID)
        object.number("app_item_id", appAppleID)
        object.text("bundle_id", bundleID)
        object.text("application_version", applicationVersion)
        object.number("download_id", 0)
        object.number("version_external_identifier", 0)
        object.appleDate("receipt_creation_date", creationDate)
        object.appleDate("request_date", requestDate)
        object.appleDate("original_purchase_date", originalPurchaseDate ?? creationDate)
        object.text("original_application_version", originalApplicationVersion)
        object.appleDate("expiration_date", expirationDate)
        object.list("in_app", purchases.map { $0.verifyReceiptEntry(in: .inApp) })
        return object.object
    }
}
