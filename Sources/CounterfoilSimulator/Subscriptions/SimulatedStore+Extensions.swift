// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
public import CounterfoilCore

/// What came of extending one subscription.
public struct RenewalExtension: Hashable, Sendable {
    /// The subscription.
    public let originalTransactionID: String

    /// The period that became longer.
    public let webOrderLineItemID: String

    /// Its new end.
    public let effectiveDate: Instant
}

/// How an extension of all subscribers of a product stands.
public struct MassExtension: Hashable, Sendable {
    /// The caller's id.
    public let requestIdentifier: String

    /// The product.
    public let productID: String

    /// When it was done; nil while it runs.
    public let completed: Instant?

    /// Subscriptions that were extended.
    public let succeededCount: Int64

    /// Subscriptions that were not.
    public let failedCount: Int64
}

struct MassExtensionRecord: Sendable {
    var product: Int32
    var requestIdentifier: String
    var storefronts: [String]?
    var days: Int64
    var completed: Instant?
    var succeeded: Int64 = 0
    var failed: Int64 = 0
}

extension SimulatedStore {
    /// Makes the running period longer: `RENEWAL_EXTENDED`.
    ///
    /// - Parameter days: 1 to 90, shortened by the store's time rate.
    /// - Throws: `transaction.unknown`, `subscription.unknown`, `transaction.family_shared`,
    ///   `extension.request`, `extension.ineligible` for what Apple does not extend: a free offer, no
    ///   running period, or a third time in 365 days.
    @discardableResult
    public mutating func extendRenewal(
        _ transactionID: String, days: Int64
    ) throws(StoreError) -> RenewalExtension {
        let position = try ownSubscriptionPosition(transactionID)
        try checkDays(days)
        if let obstacle = extensionObstacle(position) {
            throw StoreError(.extensionIneligible, obstacle)
        }
        prolong(position, days: days)
        let record = subscriptions[position]
        announce(.renewalExtended, subscription: position)
        return RenewalExtension(
            originalTransactionID: idOfTransaction(Int(record.original)),
            webOrderLineItemID: idOfLineItem(transactions[Int(record.latest)].line) ?? "",
            effectiveDate: record.periodEnd)
    }

    /// Begins to extend all subscribers of a product; it is done a minute of the store's time later,
    /// with `RENEWAL_EXTENDED` or `RENEWAL_EXTENSION/FAILURE` for each and
    /// `RENEWAL_EXTENSION/SUMMARY` for all. The same identifier again starts nothing.
    ///
    /// - Parameter storefronts: The countries; all where nil.
    /// - Throws: `product.unknown`, `extension.request`.
    public mutating func extendAllRenewals(
        ofProduct productID: String, days: Int64, requestIdentifier: String,
        storefronts: [String]? = nil
    ) throws(StoreError) {
        let product = Int32(try productPosition(productID))
        try checkDays(days)
        guard (1...Limits.maximumRequestIdentifierLength).contains(requestIdentifier.utf8.count),
            storefronts?.isEmpty != true
        else {
            throw StoreError(
                .extensionRequest,
                "a request needs an identifier of up to "
                    + "\(Limits.maximumRequestIdentifierLength) bytes and, if any, storefronts")
        }
        let isKnown = extensions.contains {
            $0.product == product && $0.requestIdentifier == requestIdentifier
        }
        guard !isKnown else { return }
        extensions.append(
            MassExtensionRecord(
                product: product, requestIdentifier: requestIdentifier, storefronts: storefronts,
                days: days))
        due.add(.massExtension, Int32(extensions.count - 1), at: now + .seconds(60))
    }

    /// How such a request stands, or nil where there is none.
    public func massExtension(
        ofProduct productID: String, requestIdentifier: String
    ) -> MassExtension? {
        let found = extensions.first {
            shelf[Int($0.product)].product.id == productID
                && $0.requestIdentifier == requestIdentifier
        }
        return found.map {
            MassExtension(
                requestIdentifier: $0.requestIdentifier, productID: productID,
                completed: $0.completed, succeededCount: $0.succeeded, failedCount: $0.failed)
        }
    }

    mutating func massExtensionIsDue(_ index: Int) {
        let request = extensions[index]
        for position in subscriptions.indices
        where subscriptions[position].product == request.product
            && subscriptions[position].sharedFrom < 0 && subscriptions[position].state.isOpen
        {
            let account = Int(subscriptions[position].account)
            let country = storefronts[Int(accounts[account].storefront)].country
            guard request.storefronts?.contains(country) != false else { continue }
            if extensionObstacle(position) == nil {
                prolong(position, days: request.days)
                extensions[index].succeeded += 1
                announce(.renewalExtended, subscription: position)
            } else {
                extensions[index].failed += 1
                announce(.renewalExtension, .failure, subscription: position)
            }
        }
        extensions[index].completed = now
        announce(
            .renewalExtension, .summary,
            content: .summary(
                SimulatedNotification.Summary(
                    productID: shelf[Int(request.product)].product.id,
                    requestIdentifier: request.requestIdentifier,
                    storefrontCountryCodes: request.storefronts,
                    succeededCount: extensions[index].succeeded,
                    failedCount: extensions[index].failed)))
    }

    private func checkDays(_ days: Int64) throws(StoreError) {
        guard (1...Limits.maximumExtensionDays).contains(days) else {
            throw StoreError(
                .extensionRequest, "Apple does not extend by \(days) days",
                allowed: ["1…\(Limits.maximumExtensionDays)"])
        }
    }

    /// Why Apple would not extend this one, or nil.
    private func extensionObstacle(_ position: Int) -> String? {
        let record = subscriptions[position]
        guard record.state == .active else { return "no paid period runs" }
        guard record.has(.wasPaid) else { return "the running period is free" }
        let year = settings.timeRate.days(365)
        if let before = record.extendedBefore, before + year > now {
            return "it was extended twice in 365 days"
        }
        return nil
    }

    private mutating func prolong(_ position: Int, days: Int64) {
        let end = subscriptions[position].periodEnd + settings.timeRate.days(days)
        subscriptions[position].extendedBefore = subscriptions[position].extended
        subscriptions[position].extended = now
        subscriptions[position].periodEnd = end
        subscriptions[position].anchorPeriod = nil
        let latest = Int(subscriptions[position].latest)
        transactions[latest].expires = end
        touch(latest)
        schedule(position)
        for member in followers[Int32(position)] ?? []
        where subscriptions[Int(member)].state.isOpen {
            follow(Int(member), position)
        }
    }
}
