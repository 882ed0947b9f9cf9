// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

extension Engine {
    /// Prepares a new order; it is made by ``OrderMaking/run(in:)`` inside ``once(_:_:)``.
    ///
    /// - Parameter secret: What only the caller knows, and says again in a repeat of the request: the
    ///   ticket follows from it, so that it need not be stored to be told again. nil draws one.
    package func making(
        _ request: OrderRequest, for policy: AppPolicy, secret: String? = nil
    ) -> OrderMaking {
        let orderID = freshID()
        return OrderMaking(
            request: request, policy: policy, orderID: orderID, token: UniqueID.random(random),
            ticket: secret.map { OrderTicket(of: orderID, secret: $0) }
                ?? OrderTicket(random: random),
            freshCustomerKey: freshID(), now: clock.now)
    }

    /// An order; nil if the app has none with this id, or if it is another customer's than the viewer's,
    /// which costs the same.
    package func order(
        _ id: UniqueID, of app: AppID, visibleTo viewer: CustomerID? = nil
    ) async throws -> OrderView? {
        try await database.read { transaction in
            let key = try viewer.map { try transaction.customerKey(app, $0) }
            let found = try transaction.order(app, id: id)
            if let key, try !transaction.isOwned(by: key, found?.customer) { return nil }
            guard let record = found else { return nil }
            return try OrderView(record, in: transaction)
        }
    }

    /// Prepares a client's hint; it is taken by ``OrderHinting/run(in:)`` inside ``once(_:_:)``.
    package func hinting(
        _ hint: OrderHint, of id: UniqueID, to policy: AppPolicy
    ) -> OrderHinting {
        OrderHinting(hint: hint, orderID: id, policy: policy, epoch: epoch, now: clock.now)
    }

    /// Lets orders lapse whose time ran out, each in its own transaction; a payment revives them.
    ///
    /// Several servers may call it at the same time, as often as they like. One that cannot be done does
    /// not keep the others waiting; the next round comes back for it.
    ///
    /// - Returns: How many lapsed.
    @discardableResult
    package func lapseOrders() async throws -> Int {
        var lapsed = 0
        for app in policies.keys.sorted() {
            let (now, epoch) = (clock.now, epoch)
            let ids = try await database.read { transaction in
                try transaction.overdueOrders(app, at: now, limit: Limits.lapsesPerRound)
            }
            for id in ids {
                try Task.checkCancellation()
                let didLapse = try await attempt("lapse of an order", app) { transaction -> Bool in
                    guard let order = try transaction.lockedOrder(app, id: id),
                        order.state.isOpen, order.openUntil < now
                    else { return false }
                    try Orders(transaction, epoch: epoch, at: now).apply(.expired, to: order)
                    return true
                }
                if didLapse { lapsed += 1 }
            }
        }
        if lapsed > 0 { eventSignal() }
        return lapsed
    }
}
