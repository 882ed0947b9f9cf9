// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// A transaction beside the sale and the grant that follow from it.
package struct TransactionStanding: Sendable {
    package let app: AppID
    package let environment: AppStoreEnvironment
    package let transactionID: TransactionID

    /// The sale that it names.
    package let sale: SaleReference?
    package let isParked: Bool
    package let isRevoked: Bool

    /// Whether any transaction of the same original was refunded.
    package let isFamilyRevoked: Bool

    /// Whether the sale that it names is there.
    package let hasSale: Bool

    /// Whether the sale's grant has frozen goods; nil where there is no grant.
    package let grantHasGoods: Bool?
}

private let selectStandings: SQL = """
    SELECT t.app, t.environment, t.transaction_id, t.sale, t.parked_reason, t.revocation_date,
    CAST(CASE WHEN EXISTS (SELECT 1 FROM transactions r WHERE r.app = t.app
        AND r.environment = t.environment
        AND r.original_transaction_id = t.original_transaction_id
        AND r.revocation_date IS NOT NULL) THEN 1 ELSE 0 END AS BIGINT),
    s.sale, g.sale, CAST(CASE WHEN g.goods IS NULL THEN 0 ELSE 1 END AS BIGINT)
    FROM transactions t
    LEFT JOIN sales s ON s.app = t.app AND s.environment = t.environment AND s.sale = t.sale
    LEFT JOIN grants g ON g.app = t.app AND g.environment = t.environment AND g.sale = t.sale
    AND g.revision = 0
    WHERE (t.app, t.environment, t.transaction_id) > ($1, $2, $3)
    ORDER BY t.app, t.environment, t.transaction_id LIMIT $4
    """

extension ReadTransaction {
    /// The transactions behind `after`.
    package func transactionStandings(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (standings: [TransactionStanding], end: PageEnd?) {
        let rows = try rows(
            selectStandings,
            (after?.values ?? [.text(""), .text(""), .text("")]) + [.value(limit)])
        let standings = try rows.map { row throws(DatabaseError) in try TransactionStanding(row) }
        return (standings, rows.last?.keyed(3))
    }

    /// The sales behind `after`, with their types as stored.
    package func sales(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (sales: [(reference: SaleReference, type: String)], end: PageEnd?) {
        let rows = try rows(
            """
            SELECT app, environment, sale, type FROM sales
            WHERE (app, environment, sale) > ($1, $2, $3)
            ORDER BY app, environment, sale LIMIT $4
            """,
            (after?.values ?? [.text(""), .text(""), .text("")]) + [.value(limit)])
        let sales = try rows.map { row throws(DatabaseError) in
            let reference = SaleReference(
                app: try row.identifier(0), environment: try row.get(1), key: try row.text(2))
            return (reference: reference, type: try row.text(3))
        }
        return (sales, rows.last?.keyed(3))
    }
}

extension TransactionStanding {
    /// Reads a row of `selectStandings`.
    fileprivate init(_ row: Row) throws(DatabaseError) {
        app = try row.identifier(0)
        environment = try row.get(1)
        transactionID = try row.identifier(2)
        let key = try row.optionalText(3)
        sale = key.map { [app, environment] in
            SaleReference(app: app, environment: environment, key: $0)
        }
        isParked = try row.optionalText(4) != nil
        isRevoked = try row.optionalInstant(5) != nil
        isFamilyRevoked = try row.boolean(6)
        hasSale = try row.optionalText(7) != nil
        grantHasGoods = try row.optionalText(8) == nil ? nil : row.boolean(9)
    }
}
