// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// A lot as it stands, beside what its uses leave in it.
package struct StoredLot: Sendable {
    package let lotID: UniqueID
    package let amount: Int64
    package let remaining: Int64

    /// What all its uses add up to.
    package let used: Int64

    /// Whether the transfer that made it has an entry on its account.
    package let hasEntry: Bool
}

/// A balance of a customer beside what it should be by lots or holds.
package struct StoredBalance: Sendable {
    package let accountID: UniqueID
    package let kind: String
    package let balance: Int64

    /// What is left of its lots; of a debt, what is open.
    package let remaining: Int64

    /// What the customer's open holds of the unit hold.
    package let held: Int64
}

/// An entry of an account with lots, beside what it brought into lots and took out of them.
package struct StoredMovement: Sendable {
    package let accountID: UniqueID
    package let transferID: UniqueID
    package let kind: String
    package let amount: Int64
    package let made: Int64
    package let used: Int64
}

/// A transfer beside its entries.
package struct StoredSides: Sendable {
    package let transferID: UniqueID
    package let amount: Int64
    package let entries: Int64
    package let sum: Int64
    package let largest: Int64
}

// Page by page, each row with what it is compared with, as the other pages of a rebuild.
extension ReadTransaction {
    package func lots(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (lots: [StoredLot], end: PageEnd?) {
        let rows = try rows(
            """
            SELECT l.account_id, l.is_open, l.lot_id, l.amount, l.remaining,
            CAST((SELECT COALESCE(SUM(u.amount), 0) FROM lot_uses u WHERE u.lot_id = l.lot_id)
                AS BIGINT),
            CASE WHEN EXISTS (SELECT 1 FROM entries e WHERE e.account_id = l.account_id
                AND e.transfer_id = l.lot_id) THEN 1 ELSE 0 END
            FROM lots l WHERE (l.account_id, l.is_open, l.lot_id) > ($1, $2, $3)
            ORDER BY l.account_id, l.is_open, l.lot_id LIMIT $4
            """,
            (after?.values ?? [.bytes([]), .integer(-1), .bytes([])]) + [.value(limit)])
        let lots = try rows.map { row throws(DatabaseError) in
            StoredLot(
                lotID: try row.uniqueID(2), amount: try row.integer(3),
                remaining: try row.integer(4), used: try row.integer(5),
                hasEntry: try row.boolean(6))
        }
        return (lots, rows.last?.keyed(3))
    }

    package func balances(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (balances: [StoredBalance], end: PageEnd?) {
        let rows = try rows(
            """
            SELECT a.account_id, a.kind, a.balance,
            CAST((SELECT COALESCE(SUM(l.remaining), 0) FROM lots l
                WHERE l.account_id = a.account_id AND l.is_open = 1) AS BIGINT),
            CAST(CASE WHEN a.kind = 'held' THEN (SELECT COALESCE(SUM(h.amount), 0) FROM holds h
                WHERE h.customer_key = a.customer_key AND h.app = a.app
                AND h.environment = a.environment AND h.unit = a.unit AND h.state = 'open')
                ELSE 0 END AS BIGINT)
            FROM accounts a WHERE a.account_id > $1 AND a.balance IS NOT NULL
            ORDER BY a.account_id LIMIT $2
            """,
            (after?.values ?? [.bytes([])]) + [.value(limit)])
        let balances = try rows.map { row throws(DatabaseError) in
            StoredBalance(
                accountID: try row.uniqueID(0), kind: try row.text(1),
                balance: try row.integer(2), remaining: try row.integer(3),
                held: try row.integer(4))
        }
        return (balances, rows.last?.keyed(1))
    }

    package func movements(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (movements: [StoredMovement], end: PageEnd?) {
        let rows = try rows(
            """
            SELECT e.account_id, e.transfer_id, a.kind, e.amount,
            COALESCE((SELECT l.amount FROM lots l WHERE l.account_id = e.account_id
                AND l.is_open IN (0, 1) AND l.lot_id = e.transfer_id), 0),
            CAST(COALESCE((SELECT SUM(u.amount) FROM lot_uses u
                WHERE u.transfer_id = e.transfer_id AND u.account_id = e.account_id), 0) AS BIGINT)
            FROM entries e LEFT JOIN accounts a ON a.account_id = e.account_id
            WHERE (e.account_id, e.transfer_id) > ($1, $2)
            ORDER BY e.account_id, e.transfer_id LIMIT $3
            """,
            (after?.values ?? [.bytes([]), .bytes([])]) + [.value(limit)])
        let movements = try rows.map { row throws(DatabaseError) in
            StoredMovement(
                accountID: try row.uniqueID(0), transferID: try row.uniqueID(1),
                kind: try row.optionalText(2) ?? "", amount: try row.integer(3),
                made: try row.integer(4), used: try row.integer(5))
        }
        return (movements, rows.last?.keyed(2))
    }

    package func sides(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (sides: [StoredSides], end: PageEnd?) {
        let rows = try rows(
            """
            SELECT t.transfer_id, t.amount, COUNT(e.amount),
            CAST(COALESCE(SUM(e.amount), 0) AS BIGINT), COALESCE(MAX(e.amount), 0)
            FROM (SELECT transfer_id, amount FROM transfers WHERE transfer_id > $1
                ORDER BY transfer_id LIMIT $2) t
            LEFT JOIN entries e ON e.transfer_id = t.transfer_id
            GROUP BY t.transfer_id, t.amount ORDER BY t.transfer_id
            """,
            (after?.values ?? [.bytes([])]) + [.value(limit)])
        let sides = try rows.map { row throws(DatabaseError) in
            StoredSides(
                transferID: try row.uniqueID(0), amount: try row.integer(1),
                entries: try row.integer(2), sum: try row.integer(3),
                largest: try row.integer(4))
        }
        return (sides, rows.last?.keyed(1))
    }
}
