// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// A wallet beside what its customer's events say of it.
package struct StoredWallet: Sendable {
    /// Whose it is, for people.
    package let key: String
    package let sequence: Int64

    /// The customer's events: how many, how many different sequences, the first and the last of them;
    /// 0 where there is none.
    package let events: Int64
    package let sequences: Int64
    package let first: Int64
    package let last: Int64
}

private let selectWallets: SQL = """
    SELECT w.app, w.environment, w.customer_key, w.sequence, COUNT(e.epoch),
    COUNT(DISTINCT e.sequence), COALESCE(MIN(e.sequence), 0), COALESCE(MAX(e.sequence), 0)
    FROM (
        SELECT app, environment, customer_key, sequence FROM wallets
        WHERE (app, environment, customer_key) > ($1, $2, $3)
        ORDER BY app, environment, customer_key LIMIT $4
    ) AS w LEFT JOIN events e ON e.app = w.app AND e.environment = w.environment
    AND e.customer_key = w.customer_key
    GROUP BY w.app, w.environment, w.customer_key, w.sequence
    ORDER BY w.app, w.environment, w.customer_key
    """

private let selectCustomers: SQL = """
    SELECT e.app, e.environment, e.customer_key, w.sequence FROM (
        SELECT app, environment, customer_key FROM events
        WHERE customer_key IS NOT NULL AND (app, environment, customer_key) > ($1, $2, $3)
        GROUP BY app, environment, customer_key
        ORDER BY app, environment, customer_key LIMIT $4
    ) AS e LEFT JOIN wallets w ON w.app = e.app AND w.environment = e.environment
    AND w.customer_key = e.customer_key
    ORDER BY e.app, e.environment, e.customer_key
    """

extension ReadTransaction {
    /// The wallets behind `after`.
    package func wallets(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (wallets: [StoredWallet], end: PageEnd?) {
        let rows = try rows(
            selectWallets,
            (after?.values ?? [.text(""), .text(""), .bytes([])]) + [.value(limit)])
        let wallets = try rows.map { row throws(DatabaseError) in
            StoredWallet(
                key: try row.customerWords, sequence: try row.integer(3),
                events: try row.integer(4), sequences: try row.integer(5),
                first: try row.integer(6), last: try row.integer(7))
        }
        return (wallets, rows.last?.keyed(3))
    }

    /// Customers who have events and no wallet, among those with events behind `after`.
    package func customersWithoutWallet(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (keys: [String], end: PageEnd?) {
        let rows = try rows(
            selectCustomers,
            (after?.values ?? [.text(""), .text(""), .bytes([])]) + [.value(limit)])
        var keys: [String] = []
        for row in rows where try row.optionalInteger(3) == nil {
            keys.append(try row.customerWords)
        }
        return (keys, rows.last?.keyed(3))
    }

    /// The numbers of the apps' published events behind `after`, in order.
    package func eventNumbers(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (numbers: [(app: String, number: Int64)], end: PageEnd?) {
        let rows = try rows(
            """
            SELECT app, number FROM events WHERE number IS NOT NULL AND (app, number) > ($1, $2)
            ORDER BY app, number LIMIT $3
            """,
            (after?.values ?? [.text(""), .integer(0)]) + [.value(limit)])
        let numbers = try rows.map { row throws(DatabaseError) in
            (app: try row.text(0), number: try row.integer(1))
        }
        return (numbers, rows.last?.keyed(2))
    }

    /// Whose an event is, and its body; nil if there is none with this id.
    package func eventBody(
        _ id: UniqueID
    ) throws(DatabaseError) -> (customer: UniqueID?, body: String)? {
        let row = try row(
            "SELECT customer_key, body FROM events WHERE event_id = $1", [.value(id)])
        guard let row else { return nil }
        return (try row.optionalUniqueID(0), try row.text(1))
    }
}

extension Row {
    /// App, environment and customer in the first columns.
    fileprivate var customerWords: String {
        get throws(DatabaseError) {
            "\(try text(0)), \(try text(1)), \(try uniqueID(2))"
        }
    }
}
