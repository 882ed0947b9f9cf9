// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
package import CounterfoilDatabase
import CounterfoilStore

/// What a client says about an order; payments decide, whatever it is.
package enum OrderHint: Sendable {
    /// Somebody must approve the payment first (Ask to Buy).
    case pending
    case abandoned(OrderClosing)
}

/// Why a client gave an order up.
package enum OrderClosing: String, CaseIterable, Sendable {
    case userCancelled = "user_cancelled"
    case failed
    case other
}

/// A hint on its way to an order.
package struct OrderHinting: Sendable {
    let hint: OrderHint
    let orderID: UniqueID
    let policy: AppPolicy
    let epoch: UniqueID
    let now: Instant

    /// Takes the hint; saying it again changes nothing, nor does it touch an order that was paid.
    ///
    /// - Returns: The order as it stands; nil if the app has none with this id.
    /// - Throws: ``OrderRefusal/tooMany(limit:)`` if it would expect a payment again beside as many as
    ///   one customer may have.
    package func run(in transaction: any WriteTransaction) throws -> OrderView? {
        guard let order = try transaction.lockedOrder(policy.app, id: orderID) else { return nil }
        let orders = Orders(transaction, epoch: epoch, at: now)
        let changed =
            switch hint {
            case .pending: try wait(for: order, orders)
            case .abandoned(let reason):
                try orders.apply(.abandoned, to: order) { close(&$0, before: order, reason) }
            }
        return try OrderView(changed, in: transaction)
    }

    private func wait(for order: OrderRecord, _ orders: Orders) throws -> OrderRecord {
        let end = latestWait(of: order)
        guard order.state.after(.deferred) != order.state, end > now else { return order }
        let limit = Limits.openOrdersPerCustomer
        if !order.state.isOpen,
            try orders.transaction.openOrderCount(of: order.customer) >= limit
        {
            throw OrderRefusal.tooMany(limit: limit)
        }
        return try orders.apply(.deferred, to: order) { changed in
            changed.openUntil = max(order.openUntil, end)
            changed.closedReason = nil
        }
    }

    /// Until when the order may wait for an approval. It is asked for while the order is open, so no
    /// longer than if that was at its last moment: taken back and said again, the hint gains nothing.
    private func latestWait(of order: OrderRecord) -> Instant {
        min(now, order.createdAt + policy.orders.openFor) + policy.orders.pendingFor
    }

    private func close(
        _ changed: inout OrderRecord, before order: OrderRecord, _ reason: OrderClosing
    ) {
        guard changed.state != order.state else { return }
        changed.openUntil = min(order.openUntil, now)
        changed.closedReason = reason.rawValue
    }
}
