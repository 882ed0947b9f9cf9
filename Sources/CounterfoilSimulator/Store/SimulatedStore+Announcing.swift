// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
public import CounterfoilCore

extension SimulatedStore {
    /// Puts a notification about a transaction, and its subscription if any, into the outbox.
    mutating func announce(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil, transaction: Int,
        reason: ConsumptionRequestReason? = nil
    ) {
        let subscription = subscriptionPosition(of: transaction)
        announce(
            type, subtype,
            content: .data(
                SimulatedNotification.Data(
                    transaction: purchase(at: transaction),
                    renewal: subscription.map { renewal(at: $0) },
                    status: subscription.map { status(at: $0) },
                    consumptionRequestReason: reason)),
            account: Int(transactions[transaction].account))
    }

    /// Puts a notification about a subscription's newest transaction into the outbox.
    mutating func announce(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil, subscription: Int
    ) {
        let record = subscriptions[subscription]
        announce(
            type, subtype,
            content: .data(
                SimulatedNotification.Data(
                    transaction: purchase(at: Int(record.latest)),
                    renewal: renewal(at: subscription), status: status(at: subscription))),
            account: Int(record.account))
    }

    mutating func announce(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil,
        content: SimulatedNotification.Content, account: Int? = nil
    ) {
        let isAboutPurchase: Bool
        if case .data(let data) = content {
            isAboutPurchase = data.transaction != nil
        } else {
            isAboutPurchase = false
        }
        outbox.append(
            SimulatedNotification(
                type: type, subtype: subtype, id: UniqueID.random(random), signedDate: signingDate,
                bundleID: settings.bundleID, appAppleID: payloadAppAppleID,
                bundleVersion: isAboutPurchase ? settings.bundleVersion : nil,
                environment: settings.environment, content: content,
                account: account.map { accounts[$0].name }))
    }

    /// Sends a test notification: `TEST`. Returns its id, which the delivery knows it by.
    @discardableResult
    public mutating func requestTestNotification() -> UniqueID? {
        announce(.test, content: .data(SimulatedNotification.Data()))
        return outbox.last?.id
    }
}
