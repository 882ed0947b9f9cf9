// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension SimulatedStore {
    /// Announces a higher price for one subscription from its next renewal on.
    ///
    /// - Parameters:
    ///   - priceMilli: The new price in thousandths of the subscription's currency.
    ///   - needsConsent: `PRICE_INCREASE/PENDING`, and without consent the subscription ends at its
    ///     renewal; otherwise the customer is only told: `PRICE_INCREASE/ACCEPTED`.
    /// - Throws: `transaction.unknown`, `subscription.unknown`, `transaction.family_shared`,
    ///   `subscription.state`, `price_increase.state` where it is no increase.
    public mutating func raisePrice(
        of transactionID: String, to priceMilli: Int64, needsConsent: Bool = true
    ) throws(StoreError) {
        let position = try ownSubscriptionPosition(transactionID)
        let record = subscriptions[position]
        guard record.state == .active else {
            throw wrongState(position, "it does not run", allowed: ["active"])
        }
        guard (record.priceMilli + 1...Limits.maximumPriceMilli).contains(priceMilli) else {
            throw StoreError(
                .priceIncrease, "\(priceMilli) is no higher price",
                allowed: ["\(record.priceMilli + 1)…\(Limits.maximumPriceMilli)"])
        }
        raise(position, to: priceMilli, needsConsent: needsConsent)
    }

    /// Changes a product's price for new customers, and for present ones too where it is told how.
    ///
    /// - Parameter consentNeeded: Whether present subscribers must agree; nil lets them keep their price.
    /// - Returns: How many subscribers were asked or told.
    /// - Throws: `product.unknown`, `price_increase.state` for a price that cannot be.
    @discardableResult
    public mutating func changePrice(
        ofProduct productID: String, to priceMilli: Int64, consentNeeded: Bool? = nil
    ) throws(StoreError) -> Int {
        let product = Int32(try productPosition(productID))
        guard (0...Limits.maximumPriceMilli).contains(priceMilli) else {
            throw StoreError(.priceIncrease, "\(priceMilli) is no price")
        }
        changedPrices[product] = priceMilli
        guard let consentNeeded else { return 0 }
        var count = 0
        for position in subscriptions.indices
        where subscriptions[position].product == product
            && subscriptions[position].state == .active && subscriptions[position].sharedFrom < 0
            && subscriptions[position].priceMilli < priceMilli
        {
            raise(position, to: priceMilli, needsConsent: consentNeeded)
            count += 1
        }
        return count
    }

    /// The customer agrees: `PRICE_INCREASE/ACCEPTED`.
    ///
    /// - Throws: `transaction.unknown`, `subscription.unknown`, `transaction.family_shared`,
    ///   `price_increase.state` where no question is open.
    public mutating func consentToPriceIncrease(_ transactionID: String) throws(StoreError) {
        let position = try askedSubscriptionPosition(transactionID)
        subscriptions[position].priceConsent = .accepted
        announce(.priceIncrease, .accepted, subscription: position)
    }

    /// The customer refuses: nothing is announced until the renewal, which is
    /// `EXPIRED/PRICE_INCREASE`.
    ///
    /// - Throws: As ``consentToPriceIncrease(_:)``.
    public mutating func refusePriceIncrease(_ transactionID: String) throws(StoreError) {
        let position = try askedSubscriptionPosition(transactionID)
        subscriptions[position].priceConsent = .refused
    }

    private func askedSubscriptionPosition(_ transactionID: String) throws(StoreError) -> Int {
        let position = try ownSubscriptionPosition(transactionID)
        guard subscriptions[position].priceConsent == .unanswered,
            subscriptions[position].state.isOpen
        else {
            throw StoreError(
                .priceIncrease, "no higher price waits for an answer", allowed: ["raisePrice"])
        }
        return position
    }

    private mutating func raise(_ position: Int, to priceMilli: Int64, needsConsent: Bool) {
        subscriptions[position].pendingPriceMilli = priceMilli
        subscriptions[position].priceConsent = needsConsent ? .unanswered : .accepted
        announce(
            .priceIncrease, needsConsent ? .pending : .accepted, subscription: position)
    }
}
