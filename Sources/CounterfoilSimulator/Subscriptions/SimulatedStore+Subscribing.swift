// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension SimulatedStore {
    /// What buying the subscription means for this customer now.
    func subscriptionChange(_ request: PurchaseRequest) throws(StoreError) -> SubscriptionChange {
        let item = shelf[request.product]
        guard let terms = item.product.subscription else { return .begin }
        if let plan = request.options.billingPlan, terms.plan(plan) == nil {
            throw StoreError(
                .billingPlan, "\(item.product.id) is not paid \(plan.rawValue)",
                allowed: terms.billingPlans.filter(\.isEnabled).map(\.type.rawValue))
        }
        guard let position = subscriptionPosition(account: request.account, group: item.group)
        else { return .begin }
        let record = subscriptions[position]
        let isSame = Int(record.product) == request.product
        if let date = request.options.purchaseDate {
            guard !record.state.isOpen, date >= record.endedAt ?? record.periodEnd else {
                throw StoreError(
                    .purchaseDate, "the customer had a subscription of the group at that time")
            }
        }
        switch record.state {
        case .expired, .revoked: return .resubscribe(position)
        case .retry: return isSame ? .recover(position) : .resubscribe(position)
        case .grace: return isSame ? .recover(position) : .replace(position)
        case .active: break
        }
        if !isSame { return try changeOfProduct(position, request, terms) }
        if request.isExplicitOffer { return .redeem(position) }
        if record.nextProduct != record.product { return .keep(position) }
        if !record.has(.autoRenews) { return .turnOn(position) }
        throw StoreError(
            .purchaseSubscribed, "the customer is subscribed to \(item.product.id) already",
            allowed: catalog.subscriptions(of: terms.groupID).map(\.id)
                .filter { $0 != item.product.id })
    }

    private func changeOfProduct(
        _ position: Int, _ request: PurchaseRequest, _ terms: SubscriptionTerms
    ) throws(StoreError) -> SubscriptionChange {
        let record = subscriptions[position]
        let current = shelf[Int(record.product)].product.subscription ?? terms
        let isImmediate =
            terms.level < current.level
            || (terms.level == current.level && terms.period.hasLength(of: current.period))
        if isImmediate { return .replace(position) }
        guard Int(record.nextProduct) != request.product || request.isExplicitOffer else {
            throw StoreError(
                .purchaseSubscribed, "the change to this product is planned already",
                allowed: [shelf[Int(record.product)].product.id])
        }
        return .planned(position)
    }

    mutating func subscribe(
        _ request: PurchaseRequest, _ change: SubscriptionChange
    ) -> (transaction: Int?, isNew: Bool) {
        switch change {
        case .begin: return (begin(request), true)
        case .resubscribe(let position): return (resubscribe(position, request), true)
        case .redeem(let position): return (redeem(position, request), true)
        case .replace(let position): return (replace(position, request), true)
        case .recover(let position):
            recover(position)
            return (Int(subscriptions[position].latest), true)
        case .planned(let position):
            plan(position, request)
            return (nil, false)
        case .keep(let position):
            subscriptions[position].nextProduct = subscriptions[position].product
            subscriptions[position].nextOffer = -1
            turnOn(position)
            announce(.didChangeRenewalPreference, subscription: position)
            return (Int(subscriptions[position].latest), false)
        case .turnOn(let position):
            turnOn(position)
            return (Int(subscriptions[position].latest), false)
        }
    }

    private mutating func begin(_ request: PurchaseRequest) -> Int {
        let start = request.options.purchaseDate ?? now
        let position = subscriptions.count
        var record = SubscriptionRecord(
            account: Int32(request.account), group: shelf[request.product].group,
            original: Int32(transactions.count), latest: Int32(transactions.count),
            product: Int32(request.product), nextProduct: Int32(request.product), anchor: start,
            periodEnd: start, streakStart: start, priceMilli: 0)
        record.token = request.options.appAccountToken
        subscriptions.append(record)
        accounts[request.account].subscriptions.append(Int32(position))
        takeOver(position, request, at: start)
        tell(request.beginning(settings), .initialBuy, position)
        finishStart(position, request)
        return Int(subscriptions[position].original)
    }

    private mutating func resubscribe(_ position: Int, _ request: PurchaseRequest) -> Int {
        let begin = request.options.purchaseDate ?? now
        let lapse = subscriptions[position].endedAt ?? subscriptions[position].periodEnd
        if begin > lapse + settings.timeRate.days(RenewalTerms.streakGapDays) {
            subscriptions[position].streakStart = begin
        }
        subscriptions[position].renewals = 0
        takeOver(position, request, at: begin)
        let transaction = Int(subscriptions[position].latest)
        tell(request.beginning(settings), .resubscribe, position)
        finishStart(position, request)
        return transaction
    }

    /// Takes over what was bought and begins its first period.
    private mutating func takeOver(_ position: Int, _ request: PurchaseRequest, at start: Instant) {
        let account = accounts[request.account]
        subscriptions[position].product = Int32(request.product)
        subscriptions[position].nextProduct = Int32(request.product)
        subscriptions[position].nextOffer = -1
        subscriptions[position].priceMilli = price(
            of: request.product, offer: nil, in: storefronts[Int(account.storefront)])
        subscriptions[position].pendingPriceMilli = nil
        subscriptions[position].priceConsent = .none
        subscriptions[position].flags.insert(.autoRenews)
        subscriptions[position].billingPeriod = 0
        if request.options.billingPlan == .monthly {
            subscriptions[position].flags.insert(.isMonthly)
        } else {
            subscriptions[position].flags.remove(.isMonthly)
        }
        if let token = request.options.appAccountToken { subscriptions[position].token = token }
        beginPeriod(position, offer: request.offer, start: start, charged: start, isRenewal: false)
    }

    private mutating func finishStart(_ position: Int, _ request: PurchaseRequest) {
        if request.options.purchaseDate != nil,
            request.options.renewalBehavior == .cancelImmediately
        {
            turnOff(position)
        }
        schedule(position)
        if request.options.purchaseDate != nil { processDue(until: now) }
    }

    private mutating func redeem(_ position: Int, _ request: PurchaseRequest) -> Int {
        let end = subscriptions[position].periodEnd
        subscriptions[position].nextProduct = subscriptions[position].product
        subscriptions[position].nextOffer = -1
        subscriptions[position].flags.insert(.autoRenews)
        if let token = request.options.appAccountToken { subscriptions[position].token = token }
        beginPeriod(position, offer: request.offer, start: end, charged: now, isRenewal: false)
        tell(.offerRedeemed, nil, position)
        schedule(position)
        return Int(subscriptions[position].latest)
    }

    private mutating func replace(_ position: Int, _ request: PurchaseRequest) -> Int {
        closeRunningPeriods(position)
        takeOver(position, request, at: now)
        tell(
            request.isExplicitOffer ? .offerRedeemed : .didChangeRenewalPreference, .upgrade,
            position)
        schedule(position)
        return Int(subscriptions[position].latest)
    }

    /// Apple gives the unused share back and marks what the new product replaces.
    private mutating func closeRunningPeriods(_ position: Int) {
        for transaction in unendedTransactions(of: position)
        where transactions[transaction].revocation == nil {
            transactions[transaction].flags.insert(.isUpgraded)
            transactions[transaction].upgraded = now
            touch(transaction)
        }
    }

    private mutating func plan(_ position: Int, _ request: PurchaseRequest) {
        subscriptions[position].nextProduct = Int32(request.product)
        subscriptions[position].nextOffer = Int16(request.offer ?? -1)
        if let token = request.options.appAccountToken { subscriptions[position].token = token }
        turnOn(position)
        announce(
            request.isExplicitOffer ? .offerRedeemed : .didChangeRenewalPreference, .downgrade,
            subscription: position)
    }
}

extension PurchaseRequest {
    /// Whether the customer chose an offer, rather than the store.
    var isExplicitOffer: Bool {
        switch options.offer {
        case .promotional, .code, .winBack: true
        case .automatic, .none, .introductory: false
        }
    }

    /// How the first period is announced.
    fileprivate func beginning(_ settings: StoreSettings) -> NotificationType {
        isExplicitOffer && settings.announcesOffersAsBefore ? .offerRedeemed : .subscribed
    }
}

extension StorePeriod {
    /// Twelve months are a year.
    func hasLength(of other: StorePeriod) -> Bool {
        if let months, let others = other.months { return months == others }
        return months == nil && other.months == nil && approximateDays == other.approximateDays
    }
}

/// Apple's lengths of time around renewals, in days of the store's rate.
enum RenewalTerms {
    /// A lapse shorter than this does not end a streak.
    static let streakGapDays: Int64 = 60

    /// Periods are counted from one anchor so often: sixty of any length end on the anchor's own day.
    static let anchoredPeriods: Int32 = 60

    /// So long Apple tries to be paid.
    static let retryDays: Int64 = 60
}
