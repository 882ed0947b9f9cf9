// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

private let columns: SQL = """
    app, environment, transaction_id, created_at, original_transaction_id, product_id, quantity,
    purchase_date, original_purchase_date, type, web_order_line_item_id, identity_signed_date,
    identity_rank, identity_evidence, expires_date, expiry_signed_date, expiry_rank,
    expiry_evidence, is_upgraded, upgrade_signed_date, upgrade_rank, upgrade_evidence, price_milli,
    currency, storefront, price_signed_date, price_rank, price_evidence, app_account_token,
    ownership_type, ownership_signed_date, ownership_rank, ownership_evidence, revocation_date,
    revocation_signed_date, revocation_rank, revocation_evidence, refund_terms_date,
    revocation_reason, revocation_type, revocation_percentage, refund_terms_signed_date,
    refund_terms_rank, refund_terms_evidence, customer_key, owner_source, sale, parked_reason,
    parked_on, order_id, refund_history
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
        AND (purchase_date, transaction_id) > ($4, $5)
        ORDER BY purchase_date, transaction_id LIMIT $6
        """

private let selectParked: SQL =
    "SELECT " + columns + """
         FROM transactions WHERE app = $1 AND environment = $2 AND parked_reason = $3
        AND parked_on = $4 AND transaction_id > $5 ORDER BY transaction_id LIMIT $6
        """

private let selectEnded: SQL =
    "SELECT " + columns + """
         FROM transactions WHERE app = $1 AND environment = $2 AND app_account_token = $3
        AND customer_key IS NULL AND parked_reason IS NULL
        AND transaction_id > $4 ORDER BY transaction_id LIMIT $5
        """

private let selectAllParked: SQL =
    "SELECT " + columns + """
         FROM transactions WHERE app = $1 AND environment = $2 AND parked_reason IS NOT NULL
        AND transaction_id > $3 ORDER BY transaction_id LIMIT $4
        """

private let insert: SQL =
    "INSERT INTO transactions (" + columns + """
        ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
        $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36,
        $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49, $50, $51)
        ON CONFLICT (app, environment, transaction_id) DO 
        """

private let insertIfMissing: SQL = insert + "NOTHING"

private let upsert: SQL =
    insert + """
        UPDATE SET
        original_transaction_id = excluded.original_transaction_id,
        product_id = excluded.product_id, quantity = excluded.quantity,
        purchase_date = excluded.purchase_date,
        original_purchase_date = excluded.original_purchase_date, type = excluded.type,
        web_order_line_item_id = excluded.web_order_line_item_id,
        identity_signed_date = excluded.identity_signed_date,
        identity_rank = excluded.identity_rank, identity_evidence = excluded.identity_evidence,
        expires_date = excluded.expires_date, expiry_signed_date = excluded.expiry_signed_date,
        expiry_rank = excluded.expiry_rank, expiry_evidence = excluded.expiry_evidence,
        is_upgraded = excluded.is_upgraded, upgrade_signed_date = excluded.upgrade_signed_date,
        upgrade_rank = excluded.upgrade_rank, upgrade_evidence = excluded.upgrade_evidence,
        price_milli = excluded.price_milli, currency = excluded.currency,
        storefront = excluded.storefront, price_signed_date = excluded.price_signed_date,
        price_rank = excluded.price_rank, price_evidence = excluded.price_evidence,
        app_account_token = excluded.app_account_token, ownership_type = excluded.ownership_type,
        ownership_signed_date = excluded.ownership_signed_date,
        ownership_rank = excluded.ownership_rank, ownership_evidence = excluded.ownership_evidence,
        revocation_date = excluded.revocation_date,
        revocation_reason = excluded.revocation_reason, revocation_type = excluded.revocation_type,
        revocation_percentage = excluded.revocation_percentage,
        revocation_signed_date = excluded.revocation_signed_date,
        revocation_rank = excluded.revocation_rank,
        revocation_evidence = excluded.revocation_evidence,
        refund_terms_date = excluded.refund_terms_date,
        refund_terms_signed_date = excluded.refund_terms_signed_date,
        refund_terms_rank = excluded.refund_terms_rank,
        refund_terms_evidence = excluded.refund_terms_evidence, customer_key = excluded.customer_key,
        owner_source = excluded.owner_source, sale = excluded.sale,
        parked_reason = excluded.parked_reason, parked_on = excluded.parked_on,
        order_id = excluded.order_id, refund_history = excluded.refund_history
        """

extension ReadTransaction {
    package func transaction(
        _ app: AppID, _ environment: AppStoreEnvironment, _ id: TransactionID
    ) throws(DatabaseError) -> TransactionRecord? {
        try row(selectOne, [.value(app), .value(environment), .value(id)])
            .map { row throws(DatabaseError) in try TransactionRecord(row) }
    }

    /// All transactions of one original in order of purchase, read in pages.
    package func transactions(
        _ app: AppID, _ environment: AppStoreEnvironment,
        ofOriginal original: OriginalTransactionID
    ) throws(DatabaseError) -> [TransactionRecord] {
        var all: [TransactionRecord] = []
        while true {
            let page = try records(
                selectOfOriginal,
                [
                    .value(app), .value(environment), .value(original),
                    .integer(all.last?.identity.value.purchaseDate.millisecondsSinceEpoch ?? .min),
                    .text(all.last?.transactionID.rawValue ?? ""),
                    .value(Limits.transactionPage),
                ])
            all += page
            if page.count < Limits.transactionPage { return all }
        }
    }

    /// Parked transactions that wait for one thing, in the order of their ids behind `after`.
    package func parkedTransactions(
        _ app: AppID, _ environment: AppStoreEnvironment, reason: String, cause: String,
        after: String, limit: Int64
    ) throws(DatabaseError) -> [TransactionRecord] {
        try records(
            selectParked,
            [
                .value(app), .value(environment), .value(reason), .value(cause), .value(after),
                .value(limit),
            ])
    }

    /// Transactions that name a token, have no owner and wait for nothing, since a refund ended them
    /// before the token was known; in the order of their ids behind `after`.
    package func endedTransactions(
        _ app: AppID, _ environment: AppStoreEnvironment, naming token: UniqueID, after: String,
        limit: Int64
    ) throws(DatabaseError) -> [TransactionRecord] {
        try records(
            selectEnded,
            [.value(app), .value(environment), .value(token), .value(after), .value(limit)])
    }

    /// Parked transactions, whatever they wait for, in the order of their ids behind `after`.
    package func parkedTransactions(
        _ app: AppID, _ environment: AppStoreEnvironment, after: String, limit: Int64
    ) throws(DatabaseError) -> [TransactionRecord] {
        try records(
            selectAllParked, [.value(app), .value(environment), .value(after), .value(limit)])
    }

    /// What the parked transactions of an environment wait for, without repetition and in order.
    package func parkedCauses(
        _ app: AppID, _ environment: AppStoreEnvironment, reason: String, after: String,
        limit: Int64
    ) throws(DatabaseError) -> [String] {
        try rows(
            """
            SELECT DISTINCT parked_on FROM transactions
            WHERE app = $1 AND environment = $2 AND parked_reason = $3 AND parked_on > $4
            ORDER BY parked_on LIMIT $5
            """,
            [.value(app), .value(environment), .value(reason), .value(after), .value(limit)]
        ).map { row throws(DatabaseError) in try row.text(0) }
    }

    private func records(
        _ sql: SQL, _ parameters: [DatabaseValue]
    ) throws(DatabaseError) -> [TransactionRecord] {
        try rows(sql, parameters).map { row throws(DatabaseError) in try TransactionRecord(row) }
    }
}

extension WriteTransaction {
    /// The stored transaction, or `fresh` if there is none; nobody else changes it before the commit.
    ///
    /// Where several transactions write at the same time, what was read without the lock may be
    /// another's by the time it is saved, and one copy of two would be lost.
    package func locked(_ fresh: TransactionRecord) throws(DatabaseError) -> TransactionRecord {
        if !hasSingleWriter { try execute(insertIfMissing, fresh.values) }
        let stored = try lockedTransaction(fresh.app, fresh.environment, fresh.transactionID)
        return stored ?? fresh
    }

    /// The stored transaction, nil if there is none; nobody else changes it before the commit.
    package func lockedTransaction(
        _ app: AppID, _ environment: AppStoreEnvironment, _ id: TransactionID
    ) throws(DatabaseError) -> TransactionRecord? {
        try lock(
            LockKey(Schema.transactions, [.value(app), .value(environment), .value(id)]))
        return try transaction(app, environment, id)
    }

    /// Locks an original with all its transactions, as far as everybody who decides about one of them
    /// does so too.
    package func lockOriginal(
        _ app: AppID, _ environment: AppStoreEnvironment, _ original: OriginalTransactionID
    ) throws(DatabaseError) {
        guard !hasSingleWriter else { return }
        let key: [DatabaseValue] = [.value(app), .value(environment), .value(original)]
        try execute(
            """
            INSERT INTO originals (app, environment, original_transaction_id) VALUES ($1, $2, $3)
            ON CONFLICT (app, environment, original_transaction_id) DO NOTHING
            """, key)
        try lock(LockKey(Schema.originals, key))
    }

    /// Stores the joined record, new or changed.
    package func save(_ record: TransactionRecord) throws(DatabaseError) {
        try execute(upsert, record.values, expecting: .one)
    }
}

// The row and the list of values follow `columns` to the letter.
extension TransactionRecord {
    fileprivate init(_ row: Row) throws(DatabaseError) {
        var cursor = RowCursor(row)
        let (app, environment) = (
            try cursor.next(AppID.self), try cursor.next(AppStoreEnvironment.self)
        )
        let id = try cursor.next(TransactionID.self)
        let createdAt = try cursor.next(Instant.self)
        let identity = Identity(
            originalTransactionID: try cursor.next(), productID: try cursor.next(),
            quantity: try cursor.next(), purchaseDate: try cursor.next(),
            originalPurchaseDate: try cursor.next(), type: try cursor.nextOptional(),
            webOrderLineItemID: try cursor.nextOptional())
        guard let sourced = try cursor.sourced(identity) else {
            throw DatabaseError(.unexpectedValue, "a transaction has no source")
        }
        self.init(
            app: app, environment: environment, transactionID: id, identity: sourced,
            createdAt: createdAt)
        expiresDate = try cursor.sourced(try cursor.nextOptional(Instant.self))
        isUpgraded = try cursor.sourced(try cursor.nextOptional(Bool.self))
        let price = Price(
            amountMilli: try cursor.nextOptional(), currency: try cursor.nextOptional(),
            storefront: try cursor.nextOptional())
        self.price = try cursor.sourced(price)
        let ownership = Ownership(
            appAccountToken: try cursor.nextOptional(), ownershipType: try cursor.nextOptional())
        self.ownership = try cursor.sourced(ownership)
        revocation = try cursor.sourced(Revocation(date: try cursor.nextOptional()))
        let refundDate = try cursor.nextOptional(Instant.self)
        let (reason, type, percentage) = (
            try cursor.nextOptional(Int64.self), try cursor.nextOptional(String.self),
            try cursor.nextOptional(Int64.self)
        )
        let terms = refundDate.map {
            RefundTerms(date: $0, reason: reason, type: type, percentageMilli: percentage)
        }
        if let sourced = try cursor.sourced(terms), let terms = sourced.value {
            lastRefundTerms = Sourced(terms, from: sourced.source)
        }
        owner = try cursor.nextOptional()
        ownerSource = try cursor.nextOptional()
        sale = try cursor.nextOptional()
        let (parkedReason, cause) = (
            try cursor.nextOptional(String.self), try cursor.nextOptional(String.self)
        )
        parking = parkedReason.map { Parking(reason: $0, cause: cause ?? "") }
        order = try cursor.nextOptional()
        refundHistory = refundsInGroups
        if let text = try cursor.nextOptional(String.self) {
            guard let more = RefundHistory(text: text) else {
                throw DatabaseError(.unexpectedValue, "a history of refunds cannot be read")
            }
            refundHistory.join(more)
        }
    }

    private static let columnCount = 51

    fileprivate var values: [DatabaseValue] {
        let identity = identity.value
        var values: [DatabaseValue] = []
        values.reserveCapacity(Self.columnCount)
        values += [
            .value(app), .value(environment), .value(transactionID), .value(createdAt),
            .value(identity.originalTransactionID), .value(identity.productID),
            .value(identity.quantity), .value(identity.purchaseDate),
            .value(identity.originalPurchaseDate), .value(identity.type),
            .value(identity.webOrderLineItemID),
        ]
        values += Self.values(of: self.identity.source)
        values.append(.value(expiresDate?.value))
        values += Self.values(of: expiresDate?.source)
        values.append(.value(isUpgraded?.value))
        values += Self.values(of: isUpgraded?.source)
        values += [
            .value(price?.value.amountMilli), .value(price?.value.currency),
            .value(price?.value.storefront),
        ]
        values += Self.values(of: price?.source)
        values += [
            .value(ownership?.value.appAccountToken), .value(ownership?.value.ownershipType),
        ]
        values += Self.values(of: ownership?.source)
        values.append(.value(revocation?.value.date))
        values += Self.values(of: revocation?.source)
        let terms = lastRefundTerms?.value
        values += [
            .value(terms?.date), .value(terms?.reason), .value(terms?.type),
            .value(terms?.percentageMilli),
        ]
        values += Self.values(of: lastRefundTerms?.source)
        values += [
            .value(owner), .value(ownerSource), .value(sale), .value(parking?.reason),
            .value(parking?.cause), .value(order),
            .value(refundHistory == refundsInGroups ? nil : refundHistory.text),
        ]
        return values
    }

    private static func values(of source: FactSource?) -> [DatabaseValue] {
        [.value(source?.signedDate), .value(source?.rank), .value(source?.evidence)]
    }
}

/// Reads the columns of a row one behind the other.
private struct RowCursor {
    private let row: Row
    private var position = 0

    init(_ row: Row) {
        self.row = row
    }

    mutating func next<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self
    ) throws(DatabaseError) -> Value {
        defer { position += 1 }
        return try row.get(.position(position))
    }

    mutating func nextOptional<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self
    ) throws(DatabaseError) -> Value? {
        defer { position += 1 }
        return try row.optional(.position(position))
    }

    /// The value with the source that stands in the next three columns; nil where there is none.
    mutating func sourced<Value>(_ value: Value) throws(DatabaseError) -> Sourced<Value>? {
        let signedDate = try nextOptional(Instant.self)
        let rank = try nextOptional(Int64.self)
        let evidence = try nextOptional([UInt8].self)
        guard let signedDate, let rank, let evidence else { return nil }
        return Sourced(
            value, from: FactSource(signedDate: signedDate, rank: rank, evidence: evidence))
    }
}
