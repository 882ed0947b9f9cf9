// SPDX-License-Identifier: Apache-2.0

package import CounterfoilStore

/// What can happen to an order.
package enum OrderInput: String, CaseIterable, Sendable {
    /// The client says that somebody must approve the payment first (Ask to Buy). A hint.
    case deferred

    /// The client says that nothing will come of it. A hint.
    case abandoned

    /// Its time ran out.
    case expired

    // What the payments on the order have come to together: any that was granted counts before one
    // that waits, and that one before any that was refunded.
    case paid
    case granted
    case refunded
}

extension OrderState {
    /// The state after an input.
    ///
    /// Payments decide, whatever was said or how late it is; hints and time never touch an order
    /// that was paid (requirement 001-11).
    package func after(_ input: OrderInput) -> OrderState {
        switch (self, input) {
        case (_, .paid): .paid
        case (_, .granted): .fulfilled
        case (_, .refunded): .refunded
        case (.paid, _), (.fulfilled, _), (.refunded, _): self
        case (_, .deferred): .pending
        case (_, .abandoned): .cancelled
        case (.open, .expired), (.pending, .expired), (.lapsed, .expired): .lapsed
        case (.cancelled, .expired): .cancelled
        }
    }
}

extension OrderInput {
    /// What a sale's payment has come to.
    init(_ payment: OrderPayment) {
        self = payment.isRevoked ? .refunded : payment.isGranted ? .granted : .paid
    }

    /// What several payments come to together; nil for none.
    init?(_ payments: [OrderPayment]) {
        let inputs = Set(payments.map { OrderInput($0) })
        guard let input = [.granted, .paid, .refunded].first(where: { inputs.contains($0) }) else {
            return nil
        }
        self = input
    }
}
