// SPDX-License-Identifier: Apache-2.0
public import CounterfoilApple
import CounterfoilCore

extension SimulatedStore {
    /// Lets an account's renewals fail, or no longer; what failed before waits for
    /// ``resolveBilling(_:)``.
    ///
    /// - Throws: `account.unknown`.
    public mutating func setBillingFailing(
        _ isFailing: Bool, of account: String
    ) throws(StoreError) {
        accounts[try accountPosition(account)].isBillingFailing = isFailing
    }

    /// Lets one subscription's next renewals fail, or no longer.
    ///
    /// - Throws: `transaction.unknown`, `subscription.unknown`, `transaction.family_shared`.
    public mutating func setBillingFailing(
        _ isFailing: Bool, ofSubscription transactionID: String
    ) throws(StoreError) {
        let position = try ownSubscriptionPosition(transactionID)
        if isFailing {
            subscriptions[position].flags.insert(.isBillingFailing)
        } else {
            subscriptions[position].flags.remove(.isBillingFailing)
        }
    }

    /// The customer pays after all: `DID_RENEW/BILLING_RECOVERY`. The account's renewals no longer
    /// fail. In grace the billing date stays; later a new period begins now.
    ///
    /// - Throws: `transaction.unknown`, `subscription.unknown`, `transaction.family_shared`,
    ///   `subscription.state` where no payment is missing.
    public mutating func resolveBilling(_ transactionID: String) throws(StoreError) {
        let position = try ownSubscriptionPosition(transactionID)
        let state = subscriptions[position].state
        guard state == .grace || state == .retry else {
            throw wrongState(position, "no payment is missing", allowed: ["grace", "retry"])
        }
        accounts[Int(subscriptions[position].account)].isBillingFailing = false
        recover(position)
    }

    /// Turns renewal on or off: `DID_CHANGE_RENEWAL_STATUS`. A repeat changes nothing. Off during
    /// billing retry ends the subscription at once, as Apple stops trying.
    ///
    /// - Throws: `transaction.unknown`, `subscription.unknown`, `transaction.family_shared`,
    ///   `subscription.state` where it has ended.
    public mutating func setAutoRenew(
        _ isOn: Bool, of transactionID: String
    ) throws(StoreError) {
        let position = try ownSubscriptionPosition(transactionID)
        guard subscriptions[position].state.isOpen else {
            throw wrongState(position, "it has ended", allowed: ["buy"])
        }
        if isOn { turnOn(position) } else { turnOff(position) }
        if !isOn, subscriptions[position].state == .retry {
            end(position, .voluntary, intent: .customerCancelled)
        }
    }

    /// Ends the running period now.
    ///
    /// - Parameter reason: Why; decides the subtype of `EXPIRED`.
    /// - Throws: `transaction.unknown`, `subscription.unknown`, `transaction.family_shared`,
    ///   `subscription.state` where it has ended.
    public mutating func expire(
        _ transactionID: String, reason: ExpirationIntent = .customerCancelled
    ) throws(StoreError) {
        let position = try ownSubscriptionPosition(transactionID)
        try cutPeriod(position)
        let subtypes: [ExpirationIntent: NotificationSubtype] = [
            .customerCancelled: .voluntary, .billingError: .billingRetry,
            .priceIncreaseNotAccepted: .priceIncrease, .productUnavailable: .productNotForSale,
        ]
        end(position, subtypes[reason], intent: reason)
    }

    /// Ends the running period now and does what its end does: renews, fails or expires.
    ///
    /// - Throws: `transaction.unknown`, `subscription.unknown`, `transaction.family_shared`,
    ///   `subscription.state` where it has ended or waits for a payment.
    public mutating func renew(_ transactionID: String) throws(StoreError) {
        let position = try ownSubscriptionPosition(transactionID)
        guard subscriptions[position].state == .active else {
            throw wrongState(position, "it does not run", allowed: ["active"])
        }
        try cutPeriod(position)
        periodEnded(position)
    }

    private mutating func cutPeriod(_ position: Int) throws(StoreError) {
        guard subscriptions[position].state.isOpen else {
            throw wrongState(position, "it has ended", allowed: ["active", "grace", "retry"])
        }
        guard subscriptions[position].periodEnd > now else { return }
        // A period that was paid in advance and has not begun is over with the one before it.
        for transaction in unendedTransactions(of: position) {
            transactions[transaction].expires = now
            touch(transaction)
        }
        subscriptions[position].periodEnd = now
        subscriptions[position].anchorPeriod = nil
    }

    /// The subscription's transactions whose periods have not ended.
    func unendedTransactions(of position: Int) -> [Int] {
        chain(of: Int(subscriptions[position].original))
            .filter { (transactions[$0].expires ?? now) > now }
    }

    func wrongState(_ position: Int, _ why: String, allowed: [String]) -> StoreError {
        let record = subscriptions[position]
        return StoreError(
            .subscriptionState,
            "subscription \(idOfTransaction(Int(record.original))) is \(record.state): \(why)",
            allowed: allowed)
    }

    func fails(_ record: SubscriptionRecord) -> Bool {
        settings.isBillingFailing || record.has(.isBillingFailing)
            || accounts[Int(record.account)].isBillingFailing
    }

    /// A renewal was not paid.
    mutating func fail(_ position: Int) {
        let record = subscriptions[position]
        let period = shelf[Int(record.nextProduct)].product.subscription?.period ?? .month
        subscriptions[position].retryEnd =
            record.periodEnd + settings.timeRate.days(RenewalTerms.retryDays)
        if let days = settings.graceDays, record.has(.wasPaid) || !settings.isGraceForPaidOnly {
            subscriptions[position].state = .grace
            subscriptions[position].graceEnd =
                record.periodEnd + settings.timeRate.grace(days: days, for: period)
            tell(.didFailToRenew, .gracePeriod, position)
        } else {
            subscriptions[position].state = .retry
            subscriptions[position].expirationIntent = ExpirationIntent.billingError.rawValue
            tell(.didFailToRenew, nil, position)
        }
        schedule(position)
    }

    mutating func graceEnded(_ position: Int) {
        subscriptions[position].graceEnd = nil
        guard subscriptions[position].has(.autoRenews) else {
            end(position, .voluntary, intent: .customerCancelled)
            return
        }
        subscriptions[position].state = .retry
        subscriptions[position].expirationIntent = ExpirationIntent.billingError.rawValue
        tell(.gracePeriodExpired, nil, position)
        schedule(position)
    }

    mutating func recover(_ position: Int) {
        let record = subscriptions[position]
        subscriptions[position].flags.remove(.isBillingFailing)
        subscriptions[position].flags.insert(.autoRenews)
        renew(position, start: record.state == .grace ? record.periodEnd : now)
        tell(.didRenew, .billingRecovery, position)
        schedule(position)
    }

    mutating func turnOn(_ position: Int) {
        guard !subscriptions[position].has(.autoRenews) else { return }
        subscriptions[position].flags.insert(.autoRenews)
        announce(.didChangeRenewalStatus, .autoRenewEnabled, subscription: position)
    }

    mutating func turnOff(_ position: Int) {
        guard subscriptions[position].has(.autoRenews) else { return }
        subscriptions[position].flags.remove(.autoRenews)
        announce(.didChangeRenewalStatus, .autoRenewDisabled, subscription: position)
    }
}
