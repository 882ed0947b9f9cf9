// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilStore

/// Who says that a purchase is theirs, and for which order.
struct Claim {
    /// The authenticated customer who claims exactly this transaction.
    var customer: UniqueID?

    /// The order that came along with the claim.
    var order: OrderRecord?

    /// Whether the order's own ticket came with it.
    var hasTicket = false

    /// Why what the client said about an order does not count.
    var note: OrderNote?

    /// Who handed the evidence in, of a transaction that nobody claims; the first first.
    var presenters: [UniqueID] = []

    /// Nobody says anything; what is signed and recorded decides.
    static let none = Claim()
}
