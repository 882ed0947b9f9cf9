// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// One change in the history of a sale's refund, beside the grant of the same revision.
package struct RefundRecord: Hashable, Sendable {
    package let sale: SaleReference

    /// From 1.
    package let revision: Int64
    package let customer: UniqueID

    /// The transaction that the refund is known of.
    package let transactionID: TransactionID

    /// When Apple gave the money back; nil where the refund was undone.
    package let revocationDate: Instant?

    /// Whether money went back, and not only access.
    package let isOfMoney: Bool

    /// By how much the revenue of the sale changed; nil where no evidence tells the price.
    package let price: Money?

    /// What the sale came to, by which the change is known outside; nil in rows of older versions.
    package var cause: String?

    /// How many events the customer had before it: what came first, whatever clocks said; nil in rows
    /// of older versions.
    package var sequence: Int64?
    package let createdAt: Instant

    package init(
        sale: SaleReference, revision: Int64, customer: UniqueID, transactionID: TransactionID,
        revocationDate: Instant?, isOfMoney: Bool, price: Money?, createdAt: Instant
    ) {
        self.sale = sale
        self.revision = revision
        self.customer = customer
        self.transactionID = transactionID
        self.revocationDate = revocationDate
        self.isOfMoney = isOfMoney
        self.price = price
        self.createdAt = createdAt
    }
}

private let columns: SQL = """
    app, environment, sale, revision, customer_key, transaction_id, revocation_date,
    is_of_money, price_milli, currency, created_at, cause, sequence
    """

private let selectOfSale: SQL =
    "SELECT " + columns + """
         FROM refunds WHERE app = $1 AND environment = $2 AND sale = $3 ORDER BY revision
        """

private let insert: SQL =
    "INSERT INTO refunds (" + columns + ") VALUES ("
    + "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"

extension ReadTransaction {
    /// The history of a sale's refund, oldest first.
    package func refunds(of sale: SaleReference) throws(DatabaseError) -> [RefundRecord] {
        try rows(selectOfSale, sale.values)
            .map { row throws(DatabaseError) in try RefundRecord(row) }
    }

    /// The transfers by which refunds of a sale took units or made debts, from a revision on.
    package func refundTransfers(
        of sale: SaleReference, since revision: Int64
    ) throws(DatabaseError) -> [UniqueID] {
        try rows(
            """
            SELECT transfer_id FROM transfers
            WHERE app = $1 AND environment = $2 AND sale = $3 AND kind = 'refund'
            AND revision >= $4 ORDER BY revision, transfer_id
            """, sale.values + [.value(revision)]
        ).map { row throws(DatabaseError) in try row.uniqueID(0) }
    }

    /// How many sales of a customer were refunded since a moment, those whose refund was undone among
    /// them; counted as far as `limit`.
    package func refundCount(
        _ app: AppID, _ environment: AppStoreEnvironment, of customer: UniqueID,
        since start: Instant, limit: Int64
    ) throws(DatabaseError) -> Int64 {
        try row(
            """
            SELECT COUNT(*) FROM (SELECT DISTINCT sale FROM refunds
            WHERE customer_key = $1 AND app = $2 AND environment = $3 AND created_at >= $4
            AND is_of_money = 1 LIMIT $5) AS counted
            """,
            [.value(customer), .value(app), .value(environment), .value(start), .value(limit)]
        )?.integer(0) ?? 0
    }
}

extension WriteTransaction {
    /// Adds a change to the history of a sale's refund; a revision that is there already is an error.
    package func insert(_ refund: RefundRecord) throws(DatabaseError) {
        try execute(
            CounterfoilStore.insert,
            refund.sale.values + [
                .value(refund.revision), .value(refund.customer), .value(refund.transactionID),
                .value(refund.revocationDate), .value(refund.isOfMoney),
                .value(refund.price?.amountMilli),
                .value(refund.price?.currency), .value(refund.createdAt), .value(refund.cause),
                .value(refund.sequence),
            ], expecting: .one)
    }

    /// Counts a change of the sale's goods; the sale is locked.
    package func setRevision(
        _ revision: Int64, of sale: SaleReference
    ) throws(DatabaseError) {
        try execute(
            "UPDATE sales SET revision = $4 WHERE app = $1 AND environment = $2 AND sale = $3",
            sale.values + [.value(revision)], expecting: .one)
    }
}

extension RefundRecord {
    /// Reads a row of `columns`.
    fileprivate init(_ row: Row) throws(DatabaseError) {
        var price: Money?
        if let amount = try row.optionalInteger(8), let currency = try row.optionalText(9) {
            price = Money(amountMilli: amount, currency: currency)
        }
        self.init(
            sale: SaleReference(
                app: try row.identifier(0), environment: try row.get(1), key: try row.text(2)),
            revision: try row.integer(3), customer: try row.uniqueID(4),
            transactionID: try row.identifier(5), revocationDate: try row.optionalInstant(6),
            isOfMoney: try row.boolean(7), price: price, createdAt: try row.instant(10))
        cause = try row.optionalText(11)
        sequence = try row.optionalInteger(12)
    }
}
