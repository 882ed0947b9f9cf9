// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

/// Purchases of receipts that came back, as verifyReceipt writes them.
enum ReceiptEntry {
    /// An element of `in_app`: the purchase as it stands in the receipt that was handed in.
    static func snapshot(_ purchase: InAppPurchase) -> JSONObject {
        var entry = PayloadWriter()
        entry.text("quantity", purchase.quantity.map { String($0) })
        entry.text("product_id", purchase.productID?.rawValue)
        entry.text("transaction_id", purchase.transactionID?.rawValue)
        entry.text("original_transaction_id", purchase.originalTransactionID?.rawValue)
        entry.appleDate("purchase_date", purchase.purchaseDate)
        entry.appleDate("original_purchase_date", purchase.originalPurchaseDate)
        entry.appleDate("expires_date", purchase.expiresDate)
        entry.text("web_order_line_item_id", purchase.webOrderLineItemID)
        entry.text("is_trial_period", purchase.isTrialPeriod == true ? "true" : "false")
        if purchase.expiresDate != nil {
            entry.text(
                "is_in_intro_offer_period",
                purchase.isInIntroOfferPeriod == true ? "true" : "false")
        }
        entry.appleDate("cancellation_date", purchase.cancellationDate)
        entry.text("cancellation_reason", purchase.cancellationDate.map { _ in "0" })
        entry.text("promotional_offer_id", purchase.promotionalOfferID)
        return entry.object
    }

    /// The flat form of iOS 6, in which `expires_date` is a number as text.
    static func flat(_ purchase: SimulatedPurchase, settings: StoreSettings) -> JSONObject {
        var entry = PayloadWriter()
        entry.text("quantity", String(purchase.quantity))
        entry.text("product_id", purchase.productID)
        entry.text("transaction_id", purchase.transactionID)
        entry.text("original_transaction_id", purchase.originalTransactionID)
        entry.appleDate("purchase_date", purchase.purchaseDate)
        entry.appleDate("original_purchase_date", purchase.originalPurchaseDate)
        if let expires = purchase.expiresDate.map(AppleDateText.init) {
            entry.text("expires_date", expires.milliseconds)
            entry.text("expires_date_formatted", expires.gmt)
            entry.text("expires_date_formatted_pst", expires.pacific)
            entry.text("web_order_line_item_id", purchase.webOrderLineItemID)
            entry.text("is_trial_period", purchase.isTrial ? "true" : "false")
            entry.text(
                "is_in_intro_offer_period", purchase.isInPaidIntroduction ? "true" : "false")
        }
        entry.appleDate("cancellation_date", purchase.receiptCancellationDate)
        entry.text("bid", settings.bundleID)
        entry.text("bvrs", settings.bundleVersion)
        entry.text("item_id", String(settings.appAppleID))
        return entry.object
    }
}
