// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
public import CounterfoilCore

extension SimulatedNotification {
    /// What version 1 called it; nil where version 1 said nothing.
    public var legacyType: String? {
        switch (type, subtype) {
        case (.subscribed, .initialBuy?): "INITIAL_BUY"
        case (.subscribed, _), (.didChangeRenewalPreference, .upgrade?),
            (.offerRedeemed, .upgrade?):
            "INTERACTIVE_RENEWAL"
        case (.didRenew, .billingRecovery?): "DID_RECOVER"
        case (.didChangeRenewalPreference, _), (.offerRedeemed, .downgrade?):
            "DID_CHANGE_RENEWAL_PREF"
        case (.priceIncrease, .pending?): "PRICE_INCREASE_CONSENT"
        case (.refund, _):
            transaction?.kind == .autoRenewableSubscription ? "CANCEL" : "REFUND"
        case (.didRenew, _), (.didFailToRenew, _), (.didChangeRenewalStatus, _), (.revoke, _),
            (.consumptionRequest, _):
            type.rawValue
        default: nil
        }
    }
}

extension SimulatedStore {
    /// The version 1 body of a notification, or nil where version 1 has none.
    ///
    /// It shows the account as it is now: ask as soon as the notification is taken.
    /// - Parameter latestReceipt: The account's signed receipt in base64.
    public func legacyBody(
        for notification: SimulatedNotification, latestReceipt: String
    ) -> JSONObject? {
        guard let type = notification.legacyType, let account = notification.account,
            let transaction = notification.transaction, let position = accountPositions[account]
        else { return nil }
        let renewals = accounts[Int(position)].subscriptions.map { renewal(at: Int($0)) }
        let subject = notification.renewal ?? renewals.last
        var body = PayloadWriter()
        body.text("notification_type", type)
        body.text("password", settings.sharedSecret)
        body.text("environment", settings.environment == .production ? "PROD" : "Sandbox")
        body.text("auto_renew_product_id", subject?.autoRenewProductID)
        body.text("auto_renew_status", subject.map { $0.autoRenews == true ? "true" : "false" })
        if notification.type == .didChangeRenewalStatus {
            body.appleDate("auto_renew_status_change_date", notification.signedDate)
        }
        body.number("expiration_intent", subject?.expirationIntent)
        body.text("original_transaction_id", transaction.originalTransactionID)
        body.text("bid", settings.bundleID)
        body.text("bvrs", settings.bundleVersion)
        if type == "CANCEL" {
            body.appleDate("cancellation_date", transaction.revocation?.date)
            body.text("web_order_line_item_id", transaction.webOrderLineItemID)
        }
        body.object("unified_receipt", unifiedReceipt(Int(position), renewals, latestReceipt))
        return body.object
    }

    private func unifiedReceipt(
        _ account: Int, _ renewals: [SimulatedRenewal], _ latestReceipt: String
    ) -> JSONObject {
        var receipt = PayloadWriter()
        receipt.number("status", 0)
        receipt.text("environment", settings.environment.rawValue)
        receipt.text("latest_receipt", latestReceipt)
        let newest = visible(account).suffix(Limits.legacyTransactions).reversed()
        receipt.list(
            "latest_receipt_info",
            newest.map { purchase(at: $0).verifyReceiptEntry(in: .latest) })
        receipt.list("pending_renewal_info", renewals.map(\.pendingRenewalEntry))
        return receipt.object
    }
}
