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
    package func run(in transaction: any WriteTransaction) throws -> OrderView? {
        guard let order = try transaction.lockedOrder(policy.app, id: orderID) else { return nil }
        let orders = Orders(transaction, epoch: epoch, at: now)
        let changed =
            switch hint {
            case .pending: try orders.apply(.deferred, to: order) { wait(&$0, before: order) }
            case .abandoned(let reason):
                try orders.apply(.abandoned, to: order) { close(&$0, before: order, reason) }
            }
        return try OrderView(changed, in: transaction)
    }

    private func wait(_ changed: inout OrderRecord, before order: OrderRecord) {
        guard changed.state != order.state else { return }
        changed.openUntil = now + policy.orders.pendingFor
        changed.closedReason = nil
    }

    private func close(
        _ changed: inout OrderRecord, before order: OrderRecord, _ reason: OrderClosing
    ) {
        guard changed.state != order.state else { return }
        changed.openUntil = min(order.openUntil, now)
        changed.closedReason = reason.rawValue
    }
}
