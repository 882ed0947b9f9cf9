// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

extension SimulatedStore {
    /// What waits for a parent or for the customer, the oldest first.
    public var waitingPurchases: [PendingPurchase] { pendingPurchases }

    /// A parent approves: the purchase is made now, and the app learns of it as of any other.
    ///
    /// - Throws: `purchase.unknown`, and what ``buy(_:by:_:)`` throws where it is no longer possible.
    @discardableResult
    public mutating func approve(_ pendingID: String) throws(StoreError) -> PurchaseOutcome {
        try finishPending(pendingID, .askToBuy)
    }

    /// A parent declines: nothing ever arrives.
    ///
    /// - Throws: `purchase.unknown`.
    public mutating func decline(_ pendingID: String) throws(StoreError) {
        pendingPurchases.remove(at: try pendingPosition(pendingID, .askToBuy))
    }

    /// The customer does what the interruption asked for: the purchase is made now.
    ///
    /// - Throws: `purchase.unknown`, and what ``buy(_:by:_:)`` throws where it is no longer possible.
    @discardableResult
    public mutating func resolvePurchase(_ pendingID: String) throws(StoreError) -> PurchaseOutcome
    {
        try finishPending(pendingID, .interrupted)
    }

    mutating func hold(
        _ request: PurchaseRequest, for reason: PendingPurchase.Reason
    ) -> PurchaseOutcome {
        let pending = PendingPurchase(
            id: UniqueID.random(random).description, reason: reason,
            account: accounts[request.account].name, productID: shelf[request.product].product.id,
            options: request.options, since: now)
        pendingPurchases.append(pending)
        return PurchaseOutcome(
            report: reason == .askToBuy ? .pending : .interrupted, transaction: nil,
            pendingID: pending.id, isNew: false)
    }

    private mutating func finishPending(
        _ id: String, _ reason: PendingPurchase.Reason
    ) throws(StoreError) -> PurchaseOutcome {
        let position = try pendingPosition(id, reason)
        let pending = pendingPurchases[position]
        let request = try checked(pending.productID, pending.account, pending.options)
        pendingPurchases.remove(at: position)
        return complete(request)
    }

    private func pendingPosition(
        _ id: String, _ reason: PendingPurchase.Reason
    ) throws(StoreError) -> Int {
        guard
            let position = pendingPurchases.firstIndex(where: { $0.id == id && $0.reason == reason }
            )
        else {
            throw StoreError(
                .purchaseUnknown, "no purchase waits under \(id)",
                allowed: pendingPurchases.filter { $0.reason == reason }.map(\.id))
        }
        return position
    }
}
