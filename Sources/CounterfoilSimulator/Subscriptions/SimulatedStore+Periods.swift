// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension SimulatedStore {
    /// Adds the transaction of a period and makes it the running one.
    ///
    /// - Parameters:
    ///   - offer: The position among the offers of the subscription's present product.
    ///   - periodsLeft: Payments of the offer after this one; worked out where nil.
    ///   - start: The period's first moment.
    ///   - charged: When it is paid.
    mutating func beginPeriod(
        _ position: Int, offer: Int?, periodsLeft: Int16? = nil, start: Instant, charged: Instant,
        isRenewal: Bool
    ) {
        var record = subscriptions[position]
        let item = shelf[Int(record.product)]
        let terms = offer.map { item.offers[$0] }
        let isMonthly = record.has(.isMonthly)
        let regular = isMonthly ? .month : item.product.subscription?.period ?? .month
        let length = terms?.paidPeriod ?? regular
        if isRenewal, record.anchorPeriod == length, record.periodEnd == start,
            record.anchoredPeriods < RenewalTerms.anchoredPeriods
        {
            record.anchoredPeriods += 1
        } else {
            record.anchor = start
            record.anchorPeriod = length
            record.anchoredPeriods = 1
        }
        record.periodEnd = settings.timeRate.end(
            of: length, from: record.anchor, times: Int64(record.anchoredPeriods))
        record.offer = Int16(offer ?? -1)
        record.offerPeriodsLeft =
            periodsLeft ?? (terms?.mode == .payAsYouGo ? Int16(terms?.periodCount ?? 1) - 1 : 0)
        if terms?.kind == .introductory { record.flags.insert(.usedIntroductoryOffer) }
        if isMonthly {
            record.billingPeriod = record.billingPeriod % Int16(CommitmentTerms.payments) + 1
        }
        record.state = .active
        record.graceEnd = nil
        record.retryEnd = nil
        record.endedAt = nil
        record.expirationIntent = 0
        let paid = amount(record, item, offer: offer)
        if paid > 0 { record.flags.insert(.wasPaid) } else { record.flags.remove(.wasPaid) }
        record.latest = Int32(transactions.count)
        subscriptions[position] = record
        _ = add(transaction(of: record, start: start, charged: charged, isRenewal, paid))
    }

    private func transaction(
        of record: SubscriptionRecord, start: Instant, charged: Instant, _ isRenewal: Bool,
        _ paid: Int64
    ) -> TransactionRecord {
        var transaction = TransactionRecord(
            original: record.original, account: record.account, product: record.product,
            offer: record.offer, storefront: accounts[Int(record.account)].storefront,
            purchased: charged)
        transaction.line = Int32(transactions.count)
        transaction.expires = record.periodEnd
        transaction.priceMilli = paid
        transaction.token = record.token
        transaction.billingPeriod = record.billingPeriod
        if isRenewal { transaction.flags.insert(.isRenewal) }
        if record.has(.isMonthly) { transaction.flags.insert(.isMonthly) }
        return transaction
    }

    /// What a period costs.
    private func amount(_ record: SubscriptionRecord, _ item: ShelfItem, offer: Int?) -> Int64 {
        if let offer {
            return price(
                of: Int(record.product), offer: offer,
                in: storefronts[Int(accounts[Int(record.account)].storefront)])
        }
        guard record.has(.isMonthly), let plan = item.product.subscription?.plan(.monthly) else {
            return record.priceMilli
        }
        return plan.priceMilli
    }

    /// Puts the next thing that happens to the subscription by itself into the queue.
    mutating func schedule(_ position: Int) {
        subscriptions[position].generation &+= 1
        let record = subscriptions[position]
        guard record.sharedFrom < 0 else { return }
        let time: Instant?
        switch record.state {
        case .active: time = record.periodEnd
        case .grace: time = record.graceEnd
        case .retry: time = record.retryEnd
        case .expired, .revoked: time = nil
        }
        guard let time else { return }
        due.add(.subscription, Int32(position), generation: record.generation, at: time)
    }

    /// The queue has come to the subscription.
    mutating func subscriptionIsDue(_ position: Int, generation: UInt32) {
        let record = subscriptions[position]
        guard record.generation == generation else { return }
        switch record.state {
        case .active: periodEnded(position)
        case .grace: graceEnded(position)
        case .retry: end(position, .billingRetry, intent: .billingError)
        case .expired, .revoked: break
        }
    }

    /// Renews, fails or ends the subscription.
    mutating func periodEnded(_ position: Int) {
        let record = subscriptions[position]
        let isBound =
            record.has(.isMonthly) && record.billingPeriod < Int16(CommitmentTerms.payments)
        if !record.has(.autoRenews), !isBound {
            end(position, .voluntary, intent: .customerCancelled)
        } else if record.priceConsent == .unanswered || record.priceConsent == .refused {
            end(position, .priceIncrease, intent: .priceIncreaseNotAccepted)
        } else if withdrawnProducts.contains(record.nextProduct)
            || !shelf[Int(record.nextProduct)].product.isForSale
        {
            end(position, .productNotForSale, intent: .productUnavailable)
        } else if let limit = settings.renewalLimit, Int64(record.renewals) >= limit {
            end(position, .voluntary, intent: .customerCancelled)
        } else if fails(record) {
            fail(position)
        } else {
            renew(position, start: record.periodEnd)
            tell(.didRenew, nil, position)
            schedule(position)
        }
    }

    /// Begins the next period with the planned product, offer and price.
    mutating func renew(_ position: Int, start: Instant) {
        var record = subscriptions[position]
        let isChange = record.nextProduct != record.product
        let storefront = accounts[Int(record.account)].storefront
        var offer: Int?
        var left: Int16?
        if record.nextOffer >= 0 {
            offer = Int(record.nextOffer)
        } else if !isChange, record.offerPeriodsLeft > 0 {
            offer = Int(record.offer)
            left = record.offerPeriodsLeft - 1
        }
        record.product = record.nextProduct
        record.nextOffer = -1
        if isChange || storefront != transactions[Int(record.latest)].storefront {
            record.priceMilli = price(
                of: Int(record.product), offer: nil, in: storefronts[Int(storefront)])
        } else if let raised = record.pendingPriceMilli {
            record.priceMilli = raised
        }
        if isChange, shelf[Int(record.product)].product.subscription?.plan(.monthly) == nil {
            record.flags.remove(.isMonthly)
            record.billingPeriod = 0
        }
        record.pendingPriceMilli = nil
        record.priceConsent = .none
        record.renewals += 1
        subscriptions[position] = record
        beginPeriod(
            position, offer: offer, periodsLeft: left, start: start, charged: start,
            isRenewal: true)
    }

    /// Ends the subscription as it stands.
    mutating func end(
        _ position: Int, _ subtype: NotificationSubtype?, intent: ExpirationIntent
    ) {
        subscriptions[position].state = .expired
        subscriptions[position].endedAt = now
        subscriptions[position].graceEnd = nil
        subscriptions[position].retryEnd = nil
        subscriptions[position].flags.remove(.autoRenews)
        subscriptions[position].expirationIntent = intent.rawValue
        subscriptions[position].nextProduct = subscriptions[position].product
        subscriptions[position].nextOffer = -1
        subscriptions[position].offerPeriodsLeft = 0
        schedule(position)
        tell(.expired, subtype, position)
    }
}
