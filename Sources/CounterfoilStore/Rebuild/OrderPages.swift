// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// An order beside what the transactions say of it.
package struct OrderStanding: Sendable {
    package let orderID: UniqueID
    package let state: String
    package let paidBy: String?

    /// How many transactions pay it, and how many of them are the one that it names.
    package let payments: Int64
    package let namedPayments: Int64
}

private let selectOrders: SQL = """
    SELECT o.order_id, o.state, o.paid_by, COUNT(t.transaction_id),
    COUNT(CASE WHEN t.transaction_id = o.paid_by AND t.environment = o.environment
        THEN 1 END)
    FROM (
        SELECT order_id, environment, state, paid_by FROM orders WHERE order_id > $1
        ORDER BY order_id LIMIT $2
    ) AS o LEFT JOIN transactions t ON t.order_id = o.order_id
    GROUP BY o.order_id, o.state, o.paid_by ORDER BY o.order_id
    """

extension ReadTransaction {
    /// The orders behind `after`.
    package func orders(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (standings: [OrderStanding], end: PageEnd?) {
        let rows = try rows(selectOrders, (after?.values ?? [.bytes([])]) + [.value(limit)])
        let standings = try rows.map { row throws(DatabaseError) in
            OrderStanding(
                orderID: try row.uniqueID(0), state: try row.text(1),
                paidBy: try row.optionalText(2), payments: try row.integer(3),
                namedPayments: try row.integer(4))
        }
        return (standings, rows.last?.keyed(1))
    }
}
