// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

private let columns: SQL = """
    app, environment, sale, revision, grant_id, customer_key, transaction_id, product_id,
    quantity, goods, catalogue_version, state, parked_reason, created_at, updated_at, note,
    order_id
    """

private let selectOfSale: SQL =
    "SELECT " + columns + """
         FROM grants WHERE app = $1 AND environment = $2 AND sale = $3 AND revision = $4
        """

private let selectLater: SQL =
    "SELECT " + columns + """
         FROM grants WHERE app = $1 AND environment = $2 AND sale = $3 AND revision > 0
        ORDER BY revision
        """

private let selectWithPrefix: SQL =
    "SELECT " + columns + """
         FROM grants WHERE app = $1 AND environment = $2 AND sale >= $3 AND sale < $4
        AND revision = 0 ORDER BY sale
        """

private let selectByID: SQL =
    "SELECT " + columns + " FROM grants WHERE app = $1 AND grant_id = $2"

private let selectPage: SQL =
    "SELECT " + columns + """
         FROM grants WHERE app = $1 AND environment = $2 AND state = $3
        AND (created_at, grant_id) > ($4, $5)
        ORDER BY created_at, grant_id LIMIT $6
        """

private let selectAll: SQL =
    "SELECT " + columns + """
         FROM grants WHERE (app, environment, sale, revision) > ($1, $2, $3, $4)
        ORDER BY app, environment, sale, revision LIMIT $5
        """

private let upsert: SQL =
    "INSERT INTO grants (" + columns + """
        ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
        ON CONFLICT (app, environment, sale, revision) DO UPDATE SET
        customer_key = excluded.customer_key, transaction_id = excluded.transaction_id,
        product_id = excluded.product_id, quantity = excluded.quantity, goods = excluded.goods,
        catalogue_version = excluded.catalogue_version, state = excluded.state,
        parked_reason = excluded.parked_reason, updated_at = excluded.updated_at, note = excluded.note,
        order_id = excluded.order_id
        """

extension ReadTransaction {
    package func grant(
        _ sale: SaleReference, revision: Int64
    ) throws(DatabaseError) -> GrantRecord? {
        try row(selectOfSale, sale.values + [.value(revision)])
            .map { row throws(DatabaseError) in try GrantRecord(row) }
    }

    /// The grants of all sales whose keys begin so.
    ///
    /// - Parameter prefix: Ends with a colon.
    package func grants(
        _ app: AppID, _ environment: AppStoreEnvironment, ofSalesWithPrefix prefix: String
    ) throws(DatabaseError) -> [GrantRecord] {
        precondition(prefix.hasSuffix(":"), "what follows a colon in the order of bytes bounds it")
        return try rows(
            selectWithPrefix,
            [
                .value(app), .value(environment), .value(prefix),
                .value(prefix.dropLast() + ";"),
            ]
        ).map { row throws(DatabaseError) in try GrantRecord(row) }
    }

    /// The changes of a sale's goods after its grant, oldest first.
    package func laterGrants(of sale: SaleReference) throws(DatabaseError) -> [GrantRecord] {
        try rows(selectLater, sale.values)
            .map { row throws(DatabaseError) in try GrantRecord(row) }
    }

    package func grant(_ app: AppID, id: UniqueID) throws(DatabaseError) -> GrantRecord? {
        try row(selectByID, [.value(app), .value(id)])
            .map { row throws(DatabaseError) in try GrantRecord(row) }
    }

    /// Grants of one state, the oldest first, those behind `after`.
    package func grants(
        _ app: AppID, _ environment: AppStoreEnvironment, in state: GrantState,
        after: GrantPlace?, limit: Int64
    ) throws(DatabaseError) -> [GrantRecord] {
        try rows(
            selectPage,
            [
                .value(app), .value(environment), .value(state.rawValue),
                after.map { .value($0.createdAt) } ?? .integer(.min),
                .bytes(after?.grantID.bytes ?? []), .value(limit),
            ]
        ).map { row throws(DatabaseError) in try GrantRecord(row) }
    }
}

extension ReadTransaction {
    /// All grants in the order of their key, those behind `after`.
    package func grants(
        after: PageEnd?, limit: Int64
    ) throws(DatabaseError) -> (grants: [GrantRecord], end: PageEnd?) {
        let start: [DatabaseValue] = [.text(""), .text(""), .text(""), .integer(-1)]
        let rows = try rows(selectAll, (after?.values ?? start) + [.value(limit)])
        let grants = try rows.map { row throws(DatabaseError) in try GrantRecord(row) }
        return (grants, rows.last?.keyed(4))
    }
}

extension WriteTransaction {
    /// Stores the grant, new or changed; its sale is locked.
    package func save(_ grant: GrantRecord) throws(DatabaseError) {
        try execute(
            upsert,
            grant.sale.values + [
                .value(grant.revision), .value(grant.grantID), .value(grant.customer),
                .value(grant.transactionID), .value(grant.productID), .value(grant.quantity),
                .value(grant.goods), .value(grant.catalogueVersion), .value(grant.state.rawValue),
                .value(grant.parkedReason), .value(grant.createdAt),
                .value(grant.updatedAt), .value(grant.note), .value(grant.order),
            ], expecting: .one)
    }
}

extension GrantRecord {
    /// Reads a row of `columns`.
    fileprivate init(_ row: Row) throws(DatabaseError) {
        guard let state = GrantState(rawValue: try row.text(11)) else {
            throw DatabaseError(.unexpectedValue, "a grant has an unknown state")
        }
        let sale = SaleReference(
            app: try row.identifier(0), environment: try row.get(1), key: try row.text(2))
        self.init(
            sale: sale, revision: try row.integer(3), grantID: try row.uniqueID(4),
            customer: try row.optionalUniqueID(5), transactionID: try row.identifier(6),
            productID: try row.identifier(7), quantity: try row.integer(8), state: state,
            createdAt: try row.instant(13))
        goods = try row.optionalText(9)
        catalogueVersion = try row.optionalText(10)
        parkedReason = try row.optionalText(12)
        updatedAt = try row.instant(14)
        note = try row.optionalText(15)
        order = try row.optionalUniqueID(16)
    }
}
