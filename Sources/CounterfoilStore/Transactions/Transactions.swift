// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

private let columns: SQL = """
    app, environment, transaction_id, original_transaction_id, product_id, quantity,
    purchase_date, original_purchase_date, type, web_order_line_item_id, identity_signed_date,
    identity_rank, identity_evidence, expires_date, is_upgraded, expiry_signed_date, expiry_rank,
    expiry_evidence, price_milli, currency, storefront, price_signed_date, price_rank,
    price_evidence, app_account_token, ownership_type, ownership_signed_date, ownership_rank,
    ownership_evidence, revocation_date, revocation_reason, revocation_type,
    revocation_percentage, revocation_signed_date, revocation_rank, revocation_evidence,
    customer_key, owner_source, sale, created_at
    """

private let selectOne: SQL =
    "SELECT " + columns + """
         FROM transactions
        WHERE app = $1 AND environment = $2 AND transaction_id = $3
        """

private let selectOfOriginal: SQL =
    "SELECT " + columns + """
         FROM transactions
        WHERE app = $1 AND environment = $2 AND original_transaction_id = $3
        ORDER BY purchase_date, transaction_id LIMIT $4
        """

private let selectOfSale: SQL =
    "SELECT " + columns + """
         FROM transactions
        WHERE app = $1 AND environment = $2 AND sale = $3
        ORDER BY purchase_date, transaction_id LIMIT $4
        """

private let upsert: SQL =
    "INSERT INTO transactions (" + columns + """
        ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
        $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36,
        $37, $38, $39, $40)
        ON CONFLICT (app, environment, transaction_id) DO UPDATE SET
        original_transaction_id = excluded.original_transaction_id,
        product_id = excluded.product_id, quantity = excluded.quantity,
        purchase_date = excluded.purchase_date,
        original_purchase_date = excluded.original_purchase_date, type = excluded.type,
        web_order_line_item_id = excluded.web_order_line_item_id,
        identity_signed_date = excluded.identity_signed_date,
        identity_rank = excluded.identity_rank, identity_evidence = excluded.identity_evidence,
        expires_date = excluded.expires_date, is_upgraded = excluded.is_upgraded,
        expiry_signed_date = excluded.expiry_signed_date, expiry_rank = excluded.expiry_rank,
        expiry_evidence = excluded.expiry_evidence, price_milli = excluded.price_milli,
        currency = excluded.currency, storefront = excluded.storefront,
        price_signed_date = excluded.price_signed_date, price_rank = excluded.price_rank,
        price_evidence = excluded.price_evidence,
        app_account_token = excluded.app_account_token, ownership_type = excluded.ownership_type,
        ownership_signed_date = excluded.ownership_signed_date,
        ownership_rank = excluded.ownership_rank, ownership_evidence = excluded.ownership_evidence,
        revocation_date = excluded.revocation_date,
        revocation_reason = excluded.revocation_reason, revocation_type = excluded.revocation_type,
        revocation_percentage = excluded.revocation_percentage,
        revocation_signed_date = excluded.revocation_signed_date,
        revocation_rank = excluded.revocation_rank,
        revocation_evidence = excluded.revocation_evidence, customer_key = excluded.customer_key,
        owner_source = excluded.owner_source, sale = excluded.sale
        """

extension ReadTransaction {
    package func transaction(
        _ app: AppID, _ environment: AppStoreEnvironment, _ id: TransactionID
    ) throws(DatabaseError) -> TransactionRecord? {
        try row(selectOne, [.value(app), .value(environment), .value(id)])
            .map { row throws(DatabaseError) in try TransactionRecord(row) }
    }

    /// The transactions of one original in order of purchase, `limit` at most.
    package func transactions(
        _ app: AppID, _ environment: AppStoreEnvironment,
        ofOriginal original: OriginalTransactionID,
        limit: Int64
    ) throws(DatabaseError) -> [TransactionRecord] {
        try records(
            selectOfOriginal, [.value(app), .value(environment), .value(original), .value(limit)])
    }

    /// The transactions of one sale in order of purchase, `limit` at most.
    package func transactions(
        _ app: AppID, _ environment: AppStoreEnvironment, ofSale sale: String, limit: Int64
    ) throws(DatabaseError) -> [TransactionRecord] {
        try records(selectOfSale, [.value(app), .value(environment), .value(sale), .value(limit)])
    }

    private func records(
        _ sql: SQL, _ parameters: [DatabaseValue]
    ) throws(DatabaseError) -> [TransactionRecord] {
        try rows(sql, parameters).map { row throws(DatabaseError) in try TransactionRecord(row) }
    }
}

extension WriteTransaction {
    /// Stores the joined record, new or changed.
    package func save(_ record: TransactionRecord) throws(DatabaseError) {
        try execute(upsert, record.values, expecting: .one)
    }
}

extension FactSource {
    fileprivate static func values(_ source: FactSource?) -> [DatabaseValue] {
        [.value(source?.signedDate), .value(source?.rank), .value(source?.evidence)]
    }

    /// The source in three columns from `position`; nil for a group without one.
    fileprivate init?(_ row: Row, at position: Int) throws(DatabaseError) {
        guard let signedDate = try row.optionalInstant(.position(position)) else { return nil }
        self.init(
            signedDate: signedDate, rank: try row.integer(.position(position + 1)),
            evidence: try row.bytes(.position(position + 2)))
    }
}

extension TransactionRecord {
    /// Reads a row of `columns`.
    fileprivate init(_ row: Row) throws(DatabaseError) {
        guard let source = try FactSource(row, at: 10) else {
            throw DatabaseError(.unexpectedValue, "a transaction has no source")
        }
        let identity = Identity(
            originalTransactionID: try row.identifier(3), productID: try row.identifier(4),
            quantity: try row.integer(5), purchaseDate: try row.instant(6),
            originalPurchaseDate: try row.instant(7), type: try row.optionalText(8),
            webOrderLineItemID: try row.optionalText(9))
        self.init(
            app: try row.identifier(0), environment: try row.get(1),
            transactionID: try row.identifier(2), identity: Sourced(identity, from: source),
            createdAt: try row.instant(39))
        if let source = try FactSource(row, at: 15) {
            let value = Expiry(
                expiresDate: try row.optionalInstant(13), isUpgraded: try row.optionalBoolean(14))
            expiry = Sourced(value, from: source)
        }
        if let source = try FactSource(row, at: 21) {
            let value = Price(
                amountMilli: try row.optionalInteger(18), currency: try row.optionalText(19),
                storefront: try row.optionalText(20))
            price = Sourced(value, from: source)
        }
        if let source = try FactSource(row, at: 26) {
            let value = Ownership(
                appAccountToken: try row.optionalUniqueID(24),
                ownershipType: try row.optionalText(25))
            ownership = Sourced(value, from: source)
        }
        if let source = try FactSource(row, at: 33) {
            let value = Revocation(
                date: try row.optionalInstant(29), reason: try row.optionalInteger(30),
                type: try row.optionalText(31), percentageMilli: try row.optionalInteger(32))
            revocation = Sourced(value, from: source)
        }
        owner = try row.optionalUniqueID(36)
        ownerSource = try row.optionalText(37)
        sale = try row.optionalText(38)
    }

    /// The values in the order of `columns`.
    fileprivate var values: [DatabaseValue] {
        let identity = identity.value
        var values: [DatabaseValue] = [
            .value(app), .value(environment), .value(transactionID),
            .value(identity.originalTransactionID), .value(identity.productID),
            .value(identity.quantity), .value(identity.purchaseDate),
            .value(identity.originalPurchaseDate), .value(identity.type),
            .value(identity.webOrderLineItemID),
        ]
        values += FactSource.values(self.identity.source)
        values += [.value(expiry?.value.expiresDate), .value(expiry?.value.isUpgraded)]
        values += FactSource.values(expiry?.source)
        values += [
            .value(price?.value.amountMilli), .value(price?.value.currency),
            .value(price?.value.storefront),
        ]
        values += FactSource.values(price?.source)
        values += [
            .value(ownership?.value.appAccountToken), .value(ownership?.value.ownershipType),
        ]
        values += FactSource.values(ownership?.source)
        values += [
            .value(revocation?.value.date), .value(revocation?.value.reason),
            .value(revocation?.value.type), .value(revocation?.value.percentageMilli),
        ]
        values += FactSource.values(revocation?.source)
        return values + [.value(owner), .value(ownerSource), .value(sale), .value(createdAt)]
    }
}
