// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilEngine
import CounterfoilReferenceModel

/// Knows the tickets of all orders, and what each device says about an order with a piece of evidence:
/// the same each time, since the books do not keep tickets.
final class OrderCounter {
    private var tickets: [UniqueID: String] = [:]
    private var said: [String: NamedOrder] = [:]

    func keep(_ order: ClientOrder) {
        tickets[order.id] = order.ticket
    }

    func named(
        _ order: UniqueID, _ ticket: String?, with evidence: Evidence, by client: Client
    ) -> NamedOrder {
        let key = Self.key(evidence, client.name, "\(order)")
        let words = said[key] ?? NamedOrder(orderID: order, ticket: ticket)
        said[key] = words
        return words
    }

    /// The order that a recorded submission named, if it had the order's own ticket.
    func ticketedOrder(
        of submission: BooksReader.Submission, _ evidence: Evidence
    ) -> String? {
        guard let order = submission.order,
            let words = said[Self.key(evidence, submission.customer, order)],
            let id = words.orderID, let ticket = words.ticket, tickets[id] == ticket
        else { return nil }
        return order
    }

    private static func key(_ evidence: Evidence, _ client: String, _ order: String) -> String {
        "\(client) \(order) \(evidence.meaning.name)"
    }
}
