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
            kind: record.kind.rawValue,
            entries: [
                record.from.accountID: -record.amount, record.to.accountID: record.amount,
            ])
    }
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
                try row.identifier(0), try row.get(1), try row.uniqueID(2), row.keyed(3)
            )
        }
    }
}

extension Row {
    /// The first values of the row as the end of a page.
    func keyed(_ count: Int) -> PageEnd {
        PageEnd(Array(values.prefix(count)))
    }
}
