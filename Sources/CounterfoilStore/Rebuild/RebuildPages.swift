// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// Where a page of a table ended: the values of its primary key in the last row.
package struct PageEnd: Sendable {
    package let values: [DatabaseValue]

    package init(_ values: [DatabaseValue]) {
        self.values = values
    }
}

/// One stored transfer with its entries, for comparison.
package struct StoredTransfer: Hashable, Sendable {
    package let transferID: UniqueID
    package let unit: String
    package let amount: Int64
    package let kind: String

    /// What each account got or gave.
    package let entries: [UniqueID: Int64]

    package init(
        transferID: UniqueID, unit: String, amount: Int64, kind: String, entries: [UniqueID: Int64]
    ) {
        self.transferID = transferID
        self.unit = unit
        self.amount = amount
        self.kind = kind
        self.entries = entries
    }

    /// What a posted transfer is stored as.
    package init(_ record: TransferRecord) {
        self.init(
            transferID: record.transferID, unit: record.unit.rawValue, amount: record.amount,
            kind: record.kind,
            entries: [
                record.from.accountID: -record.amount, record.to.accountID: record.amount,
            ])
    }
}

/// A stored sum beside the rows that it sums up.
package struct StoredSum: Sendable {
    /// What the sum is of, for people.
    package let key: String
    package let stored: Int64
    package let computed: Int64
}

// Every table page by page in the order of its key, so that a walk over all of it needs little memory
// and each page is one short snapshot.
extension ReadTransaction {
    /// Transfers of a sale's revision, by id.
    package func transfers(
        of sale: SaleReference, revision: Int64
    ) throws(DatabaseError) -> [StoredTransfer] {
        let rows = try rows(
            """
            SELECT t.transfer_id, t.unit, t.amount, t.kind, e.account_id, e.amount
            FROM transfers t LEFT JOIN entries e ON e.transfer_id = t.transfer_id
            WHERE t.app = $1 AND t.environment = $2 AND t.sale = $3 AND t.revision = $4
            ORDER BY t.transfer_id
            """, sale.values + [.value(revision)])
        var transfers: [StoredTransfer] = []
        var entries: [UniqueID: Int64] = [:]
        for (index, row) in rows.enumerated() {
            let id = try row.uniqueID(0)
            if let account = try row.optionalUniqueID(4) {
                entries[account] = try row.integer(5)
            }
            let next = index + 1 < rows.count ? try rows[index + 1].uniqueID(0) : nil
            guard next != id else { continue }
            transfers.append(
                StoredTransfer(
                    transferID: id, unit: try row.text(1), amount: try row.integer(2),
                    kind: try row.text(3), entries: entries))
            entries = [:]
        }
        return transfers
    }

    /// Transfers of sales that no grant stands for, among those behind `after`.
    package func transfersWithoutGrant(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (count: Int, end: PageEnd?, orphans: [String]) {
        let rows = try rows(
            """
            SELECT t.transfer_id, t.sale, g.sale FROM transfers t
            LEFT JOIN grants g ON g.app = t.app AND g.environment = t.environment
            AND g.sale = t.sale AND g.revision = t.revision
            WHERE t.transfer_id > $1 ORDER BY t.transfer_id LIMIT $2
            """,
            (after?.values ?? [.bytes([])]) + [.value(limit)])
        var orphans: [String] = []
        for row in rows {
            let (sale, granted) = (try row.optionalText(1), try row.optionalText(2))
            if sale != nil, granted == nil { orphans.append(try row.uniqueID(0).description) }
        }
        let end = try rows.last.map { row throws(DatabaseError) in PageEnd([try row.value(0)]) }
        return (rows.count, end, orphans)
    }

    /// The customers' accounts behind `after`: each balance beside the sum of its entries.
    package func accountSums(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (end: PageEnd?, sums: [StoredSum]) {
        let rows = try rows(
            """
            SELECT account_id, app, environment, unit, kind, balance,
            CAST((SELECT COALESCE(SUM(amount), 0) FROM entries
                WHERE entries.account_id = accounts.account_id) AS BIGINT)
            FROM accounts WHERE account_id > $1 AND customer_key IS NOT NULL
            ORDER BY account_id LIMIT $2
            """,
            (after?.values ?? [.bytes([])]) + [.value(limit)])
        let sums = try rows.map { row throws(DatabaseError) in
            let words = [try row.text(1), try row.text(2), try row.text(3), try row.text(4)]
            return StoredSum(
                key: "\(try row.uniqueID(0)) (\(words.joined(separator: ", ")))",
                stored: try row.optionalInteger(5) ?? 0, computed: try row.integer(6))
        }
        let end = try rows.last.map { row throws(DatabaseError) in PageEnd([try row.value(0)]) }
        return (end, sums)
    }

    /// The wallets behind `after`: each sequence beside the last one of the customer's events.
    package func walletSequences(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (end: PageEnd?, sums: [StoredSum]) {
        let rows = try rows(
            """
            SELECT app, environment, customer_key, sequence,
            (SELECT COALESCE(MAX(e.sequence), 0) FROM events e WHERE e.app = wallets.app
                AND e.environment = wallets.environment
                AND e.customer_key = wallets.customer_key)
            FROM wallets WHERE (app, environment, customer_key) > ($1, $2, $3)
            ORDER BY app, environment, customer_key LIMIT $4
            """,
            (after?.values ?? [.text(""), .text(""), .bytes([])]) + [.value(limit)])
        let sums = try rows.map { row throws(DatabaseError) in
            StoredSum(
                key: "\(try row.text(0)), \(try row.text(1)), \(try row.uniqueID(2))",
                stored: try row.integer(3), computed: try row.integer(4))
        }
        return (try rows.last.map { row throws(DatabaseError) in try row.keyed(3) }, sums)
    }

    /// Customers who have entitlement periods, behind `after`.
    package func customersWithPeriods(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> [(
        app: AppID, environment: AppStoreEnvironment, customer: UniqueID, end: PageEnd
    )] {
        try rows(
            """
            SELECT app, environment, customer_key FROM entitlement_periods
            WHERE (app, environment, customer_key) > ($1, $2, $3)
            GROUP BY app, environment, customer_key
            ORDER BY app, environment, customer_key LIMIT $4
            """,
            (after?.values ?? [.text(""), .text(""), .bytes([])]) + [.value(limit)]
        ).map { row throws(DatabaseError) in
            (
                try row.identifier(0), try row.get(1), try row.uniqueID(2), try row.keyed(3)
            )
        }
    }
}

extension Row {
    /// The first values of the row as the end of a page.
    func keyed(_ count: Int) throws(DatabaseError) -> PageEnd {
        PageEnd(Array(values.prefix(count)))
    }
}
