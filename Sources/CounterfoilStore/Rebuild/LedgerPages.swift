// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// An account as it stands, beside the sum of its entries.
package struct StoredAccount: Sendable {
    package let accountID: UniqueID
    package let app: AppID
    package let environment: AppStoreEnvironment
    package let customer: UniqueID?
    package let unit: UnitID

    /// As stored; nobody has looked at it yet.
    package let kind: String
    package let balance: Int64?

    /// What a customer's entries add up to; 0 of the system, whose entries are too many to add up.
    package let sum: Int64
}

/// An entry beside what it hangs on.
package struct StoredEntry: Sendable {
    package let accountID: UniqueID
    package let transferID: UniqueID
    package let amount: Int64

    /// The units of its transfer and its account; nil where there is none.
    package let transferUnit: String?
    package let accountUnit: String?
}

extension ReadTransaction {
    /// Transfers behind `after`, and those among them that move a sale's goods without a grant of it.
    package func transfersWithoutGrant(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (count: Int, orphans: [UniqueID], end: PageEnd?) {
        let rows = try rows(
            """
            SELECT t.transfer_id, CASE WHEN t.sale IS NULL
            AND t.kind NOT IN ('grant', 'refund', 'reversal') THEN '' ELSE g.sale END
            FROM transfers t LEFT JOIN grants g ON g.app = t.app AND g.environment = t.environment
            AND g.sale = t.sale AND g.revision = t.revision
            WHERE t.transfer_id > $1 ORDER BY t.transfer_id LIMIT $2
            """,
            (after?.values ?? [.bytes([])]) + [.value(limit)])
        var orphans: [UniqueID] = []
        for row in rows where try row.optionalText(1) == nil {
            orphans.append(try row.uniqueID(0))
        }
        return (rows.count, orphans, rows.last?.keyed(1))
    }

    /// The accounts behind `after`.
    package func accounts(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (accounts: [StoredAccount], end: PageEnd?) {
        let rows = try rows(
            """
            SELECT account_id, app, environment, customer_key, unit, kind, balance,
            CAST(CASE WHEN customer_key IS NULL THEN 0 ELSE
                (SELECT COALESCE(SUM(amount), 0) FROM entries
                WHERE entries.account_id = accounts.account_id) END AS BIGINT)
            FROM accounts WHERE account_id > $1 ORDER BY account_id LIMIT $2
            """,
            (after?.values ?? [.bytes([])]) + [.value(limit)])
        let accounts = try rows.map { row throws(DatabaseError) in
            StoredAccount(
                accountID: try row.uniqueID(0), app: try row.identifier(1),
                environment: try row.get(2), customer: try row.optionalUniqueID(3),
                unit: try row.identifier(4), kind: try row.text(5),
                balance: try row.optionalInteger(6), sum: try row.integer(7))
        }
        return (accounts, rows.last?.keyed(1))
    }

    /// The entries behind `after`.
    package func entries(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (entries: [StoredEntry], end: PageEnd?) {
        let rows = try rows(
            """
            SELECT e.account_id, e.transfer_id, e.amount, t.unit, a.unit FROM entries e
            LEFT JOIN transfers t ON t.transfer_id = e.transfer_id
            LEFT JOIN accounts a ON a.account_id = e.account_id
            WHERE (e.account_id, e.transfer_id) > ($1, $2)
            ORDER BY e.account_id, e.transfer_id LIMIT $3
            """,
            (after?.values ?? [.bytes([]), .bytes([])]) + [.value(limit)])
        let entries = try rows.map { row throws(DatabaseError) in
            StoredEntry(
                accountID: try row.uniqueID(0), transferID: try row.uniqueID(1),
                amount: try row.integer(2), transferUnit: try row.optionalText(3),
                accountUnit: try row.optionalText(4))
        }
        return (entries, rows.last?.keyed(2))
    }
}
