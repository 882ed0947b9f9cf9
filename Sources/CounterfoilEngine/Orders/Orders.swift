// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore

/// Changes orders inside one database transaction.
///
/// An order is locked behind the sale that pays it and before its customer's wallet.
struct Orders {
    let transaction: any WriteTransaction
    let publisher: Publisher

    private var now: Instant { publisher.now }

    init(_ transaction: any WriteTransaction, epoch: UniqueID, at now: Instant) {
        self.transaction = transaction
        publisher = Publisher(transaction: transaction, epoch: epoch, now: now)
    }

    /// Applies an input to a locked order, stores what it changes and publishes `order.changed` if
    /// the state is another one afterwards.
    ///
    /// - Parameters:
    ///   - change: What else changes with it.
    ///   - isTold: Whether another event of this transaction tells of the order.
    /// - Returns: The order as it stands now.
    @discardableResult
    func apply(
        _ input: OrderInput, to order: OrderRecord, isTold: Bool = false,
        _ change: (inout OrderRecord) -> Void = { _ in }
    ) throws(DatabaseError) -> OrderRecord {
        var changed = order
        changed.state = order.state.after(input)
        change(&changed)
        guard changed != order else { return order }
        changed.revision += 1
        changed.updatedAt = now
        try transaction.save(changed)
        if changed.state != order.state, !isTold { try publish(changed, before: order.state) }
        return changed
    }

    /// Makes a locked order the payments' own: by what this payment and all others have come to.
    ///
    /// - Parameters:
    ///   - payment: This payment; its sale is locked, and what is stored of it may be older.
    ///   - isTold: Whether a purchase event of this transaction tells of the order.
    @discardableResult
    func settle(
        _ payment: OrderPayment, by id: TransactionID, in environment: AppStoreEnvironment,
        on order: OrderRecord, isTold: Bool
    ) throws(DatabaseError) -> OrderRecord {
        // A payment in another environment than production's says nothing about an order that was
        // paid there.
        let isFirst = order.paidBy == nil
        let takesOver = environment == .production && order.environment != .production
        guard isFirst || takesOver || environment == order.environment else { return order }
        var payments = [payment]
        // Granted is the most that payments can come to, and the first has no others beside it.
        if !isFirst, !takesOver, OrderInput(payment) != .granted {
            payments += try transaction.payments(
                on: order.orderID, in: environment, limit: Limits.paymentsPerOrder
            ).filter { $0.sale != payment.sale || $0.sale == nil }
        }
        let input = OrderInput(payments) ?? OrderInput(payment)
        return try apply(input, to: order, isTold: isTold) { changed in
            guard isFirst || takesOver else { return }
            changed.environment = environment
            changed.paidBy = id
        }
    }

    private func publish(
        _ order: OrderRecord, before: OrderState
    ) throws(DatabaseError) {
        let data: JSONValue = [
            "order_id": .string(order.orderID.description), "state": .string(order.state.rawValue),
            "previous_state": .string(before.rawValue), "reason": .optional(order.closedReason),
            "product_id": .string(order.productID.rawValue), "quantity": .integer(order.quantity),
            "context": order.contextJSON,
        ]
        try publisher.publish(
            EventDraft(
                id: DerivedID.of(order), type: .orderChanged, app: order.app,
                environment: order.environment,
                customer: try transaction.current(order.customer), data: data))
    }
}

extension OrderRecord {
    /// How events, grants and answers show the order that they belong to.
    package var referenceJSON: JSONValue {
        [
            "order_id": .string(orderID.description), "state": .string(state.rawValue),
            "context": contextJSON,
        ]
    }

    /// The studio's own words; null where it said nothing.
    package var contextJSON: JSONValue {
        context.flatMap { try? JSONValue(parsing: $0.utf8) } ?? .null
    }
}
