// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

/// From records to what is signed.
extension SimulatedStore {
    /// The transaction as it is now, signed now.
    func purchase(at position: Int) -> SimulatedPurchase {
        let record = transactions[position]
        let item = shelf[Int(record.product)]
        let storefront = storefronts[Int(record.storefront)]
        var purchase = SimulatedPurchase(
            environment: settings.environment, bundleID: settings.bundleID,
            transactionID: idOfTransaction(position), productID: item.product.id,
            kind: item.product.kind, purchaseDate: record.purchased)
        let original = Int(record.original)
        purchase.originalTransactionID = idOfTransaction(original)
        purchase.originalPurchaseDate = transactions[original].purchased
        purchase.webOrderLineItemID = idOfLineItem(record.line)
        purchase.subscriptionGroupID = item.product.subscription?.groupID
        purchase.expiresDate = record.expires
        purchase.quantity = Int64(record.quantity)
        purchase.appAccountToken = record.token
        if record.flags.contains(.isShared) { purchase.ownershipType = "FAMILY_SHARED" }
        if record.flags.contains(.isRenewal) { purchase.transactionReason = "RENEWAL" }
        purchase.signedDate = signingDate
        purchase.isUpgraded = record.flags.contains(.isUpgraded)
        purchase.upgradeDate = record.upgraded
        purchase.offer = offer(of: record)
        purchase.storefront = storefront.country
        purchase.storefrontID = storefront.id
        purchase.price = record.priceMilli.map {
            Money(amountMilli: $0, currency: storefront.currency)
        }
        purchase.appTransactionID = appTransactionID(Int(record.account))
        purchase.revocation = record.revocation.map {
            SimulatedPurchase.Revocation(
                date: $0.date, reason: $0.reason, type: $0.type.rawValue,
                percentageMilli: $0.percentageMilli.map { Int64($0) })
        }
        writeCommitment(record, item, into: &purchase)
        if !advancedCommerce.isEmpty, let subscription = subscriptionPosition(of: position) {
            purchase.advancedCommerce = advancedCommerce[Int32(subscription)]?.transaction
        }
        return purchase
    }

    private func offer(of record: TransactionRecord) -> SimulatedPurchase.Offer? {
        guard record.offer >= 0 else { return nil }
        return shelf[Int(record.product)].offers[Int(record.offer)].signed
    }

    private func writeCommitment(
        _ record: TransactionRecord, _ item: ShelfItem, into purchase: inout SimulatedPurchase
    ) {
        guard let terms = item.product.subscription, !terms.billingPlans.isEmpty else { return }
        let isMonthly = record.flags.contains(.isMonthly)
        let type = isMonthly ? BillingPlanType.monthly : .billedUpfront
        purchase.billingPlanType = type.rawValue
        guard isMonthly, let plan = terms.plan(type) else { return }
        let first = record.purchased
        let left = Int64(CommitmentTerms.payments - Int(record.billingPeriod)) + 1
        purchase.commitment = SimulatedPurchase.Commitment(
            billingPeriodNumber: Int64(record.billingPeriod),
            totalBillingPeriods: Int64(CommitmentTerms.payments),
            priceMilli: plan.commitmentPriceMilli,
            expiresDate: settings.timeRate.end(of: .month, from: first, times: left))
    }

    /// What servers are told of how the customer obtained the app.
    func appTransaction(at account: Int) -> SimulatedAppTransaction {
        let record = accounts[account]
        var copy = SimulatedAppTransaction(
            environment: settings.environment, bundleID: settings.bundleID,
            receiptCreationDate: signingDate, originalPurchaseDate: record.created)
        copy.appAppleID = payloadAppAppleID
        copy.originalApplicationVersion =
            settings.environment == .production ? settings.bundleVersion : "1.0"
        copy.appTransactionID = appTransactionID(account)
        copy.originalPlatform = record.devices.first?.platform ?? Platform.iOS.rawValue
        return copy
    }

    /// The app's number where payloads carry it.
    var payloadAppAppleID: Int64? {
        settings.environment == .production ? settings.appAppleID : nil
    }
}

/// What is fixed about paying a year by the month.
enum CommitmentTerms {
    static let payments = 12
}

extension SubscriptionTerms {
    func plan(_ type: BillingPlanType) -> BillingPlan? {
        billingPlans.first { $0.type == type && $0.isEnabled }
    }
}

extension StoreOffer {
    /// The members of a payload; introductory offers have no id there.
    var signed: SimulatedPurchase.Offer {
        SimulatedPurchase.Offer(
            type: kind.rawValue, identifier: kind == .introductory ? nil : id,
            discountType: mode.rawValue,
            period: mode == .oneTime ? nil : paidPeriod.description)
    }

    /// What one payment buys: a single period when paid as it goes, else all of them.
    var paidPeriod: StorePeriod {
        mode == .payAsYouGo ? period : period.times(periodCount) ?? period
    }
}
