// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension SimulatedStore {
    func status(at position: Int) -> SubscriptionStatus {
        switch subscriptions[position].state {
        case .active: .active
        case .grace: .gracePeriod
        case .retry: .billingRetry
        case .expired: .expired
        case .revoked: .revoked
        }
    }

    /// The renewal state as it is now, signed now.
    func renewal(at position: Int) -> SimulatedRenewal {
        let record = subscriptions[position]
        let item = shelf[Int(record.product)]
        let next = shelf[Int(record.nextProduct)]
        var renewal = SimulatedRenewal(
            originalTransactionID: idOfTransaction(Int(record.original)),
            environment: settings.environment, signedDate: signingDate)
        renewal.productID = item.product.id
        renewal.autoRenewProductID = next.product.id
        renewal.autoRenews = record.has(.autoRenews)
        renewal.expirationIntent =
            record.expirationIntent == 0 ? nil : record.expirationIntent
        switch record.state {
        case .active, .revoked: break
        case .grace, .retry: renewal.isInBillingRetryPeriod = true
        case .expired: renewal.isInBillingRetryPeriod = false
        }
        renewal.gracePeriodExpiresDate = record.graceEnd
        switch record.priceConsent {
        case .none: break
        case .unanswered, .refused: renewal.priceIncreaseStatus = 0
        case .accepted: renewal.priceIncreaseStatus = 1
        }
        renewal.renewalDate = record.periodEnd
        renewal.recentSubscriptionStartDate = record.streakStart
        renewal.appAccountToken = record.token
        renewal.appTransactionID = appTransactionID(Int(record.account))
        if record.state.isOpen {
            writeNext(record, next, into: &renewal)
        } else if let terms = item.product.subscription, !terms.winBackOffers.isEmpty {
            renewal.eligibleWinBackOfferIDs = terms.winBackOffers.filter(\.isWinBackOpen)
                .compactMap(\.id)
        }
        renewal.advancedCommerce = advancedCommerce[Int32(position)]?.renewal
        return renewal
    }

    /// What the next period costs and how it is paid.
    private func writeNext(
        _ record: SubscriptionRecord, _ next: ShelfItem, into renewal: inout SimulatedRenewal
    ) {
        let storefront = storefronts[Int(accounts[Int(record.account)].storefront)]
        let isChange = record.nextProduct != record.product
        var offer: Int?
        if record.nextOffer >= 0 {
            offer = Int(record.nextOffer)
        } else if !isChange, record.offerPeriodsLeft > 0 {
            offer = Int(record.offer)
        }
        renewal.offer = offer.map { next.offers[$0].signed }
        let plan = record.has(.isMonthly) ? next.product.subscription?.plan(.monthly) : nil
        let regular =
            isChange
            ? price(of: Int(record.nextProduct), offer: nil, in: storefront)
            : record.pendingPriceMilli ?? record.priceMilli
        let amount =
            offer.map { price(of: Int(record.nextProduct), offer: $0, in: storefront) }
            ?? plan?.priceMilli ?? regular
        if record.sharedFrom < 0, record.has(.autoRenews) {
            renewal.renewalPrice = Money(amountMilli: amount, currency: storefront.currency)
        }
        guard let plan else { return }
        let left = Int64(CommitmentTerms.payments) - Int64(record.billingPeriod)
        renewal.renewalBillingPlanType = plan.type.rawValue
        renewal.commitment = SimulatedRenewal.Commitment(
            autoRenewProductID: next.product.id, autoRenews: record.has(.autoRenews),
            renewalBillingPlanType: plan.type.rawValue,
            renewalDate: settings.timeRate.end(of: .month, from: record.periodEnd, times: left),
            renewalPriceMilli: plan.commitmentPriceMilli)
    }
}
