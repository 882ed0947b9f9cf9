// SPDX-License-Identifier: Apache-2.0

/// How far an order has come (docs/orders.md).
package enum OrderState: String, CaseIterable, Sendable {
    /// Made, and not paid as far as is known.
    case open

    /// The client says that somebody must approve the payment first (Ask to Buy).
    case pending

    /// The client says that nothing will come of it.
    case cancelled

    /// Nothing was heard of it for longer than the app waits.
    case lapsed

    /// A payment is proven; its goods wait for something.
    case paid

    /// The goods of a payment were granted.
    case fulfilled

    /// Every payment was refunded.
    case refunded

    /// Whether a payment is still expected.
    package var isOpen: Bool { self == .open || self == .pending }
}
