// SPDX-License-Identifier: Apache-2.0

/// Why the order that a client named does not count. It is told in the detail of the answer; what
/// becomes of the purchase does not depend on it.
enum OrderNote: String, CaseIterable, Sendable {
    /// All that a customer hears about an order that is not theirs, or nobody's, without its ticket.
    case notYours = "order_id names no order of this customer, and no ticket of one came along"
    case unknownOrder = "order_id names no order of this app"
    case wrongTicket = "the ticket is not that of the order"
    case otherProduct = "the order is for another product than the signed one"
    case otherCustomer = "the order is another customer's"
    case otherOrder = "the signed account token names another order"
}
