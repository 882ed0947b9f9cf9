// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// Units that somebody gave by hand: a sale of its own kind, without a transaction of Apple's.
package struct CreditRecord: Hashable, Sendable {
    package let creditID: UniqueID
    package let app: AppID
    package let environment: AppStoreEnvironment
    package let customer: UniqueID
    package let unit: UnitID

    /// As if it had been paid for.
    package let amount: Int64

    /// What comes on top.
    package let bonus: Int64

    /// Why, for the audit.
    package let reason: String
    package var reference: String?

    /// The purchase that it stands in for; when that is settled, it grants what exceeds this only.
    package var transactionID: TransactionID?
    package var orderID: UniqueID?

    /// The sale that was settled for less because of this, once it is.
    package var sale: String?
    package let createdAt: Instant

    package init(
        creditID: UniqueID, app: AppID, environment: AppStoreEnvironment, customer: UniqueID,
        unit: UnitID, amount: Int64, bonus: Int64, reason: String, createdAt: Instant
    ) {
        self.creditID = creditID
        self.app = app
        self.environment = environment
        self.customer = customer
        self.unit = unit
        self.amount = amount
        self.bonus = bonus
        self.reason = reason
        self.createdAt = createdAt
    }

    /// What its lots name in place of a sale.
    package var lotKey: String { "c:\(creditID)" }

    /// The credit that a lot names in place of a sale; nil where it names a sale.
    package static func id(ofLotKey key: String) -> UniqueID? {
        key.hasPrefix("c:") ? UniqueID(String(key.dropFirst(2))) : nil
    }
}

extension ReadTransaction {
    /// The customer's credits that stand for a transaction or an order and have not made a sale smaller
    /// yet; the wallet is locked where that matters.
    package func creditsStanding(
        for transactionID: TransactionID, or orderID: UniqueID?, _ app: AppID,
        _ environment: AppStoreEnvironment, of customer: UniqueID
    ) throws(DatabaseError) -> [CreditRecord] {
        try rows(
            """
            SELECT credit_id, app, environment, customer_key, unit, amount, bonus, reason, reference,
            transaction_id, order_id, sale, created_at FROM credits
            WHERE customer_key = $1 AND is_standing_in = 1 AND app = $2 AND environment = $3
            AND (transaction_id = $4 OR order_id = $5) ORDER BY created_at, credit_id
            """,
            [
                .value(customer), .value(app), .value(environment), .value(transactionID),
                .value(orderID),
            ]
        ).map { row throws(DatabaseError) in try CreditRecord(row) }
    }

    package func credit(_ id: UniqueID) throws(DatabaseError) -> CreditRecord? {
        try row(
            """
            SELECT credit_id, app, environment, customer_key, unit, amount, bonus, reason, reference,
            transaction_id, order_id, sale, created_at FROM credits WHERE credit_id = $1
            """, [.value(id)]
        ).map { row throws(DatabaseError) in try CreditRecord(row) }
    }

    /// The credits that made a sale smaller.
    package func credits(of sale: SaleReference) throws(DatabaseError) -> [CreditRecord] {
        try rows(
            """
            SELECT credit_id, app, environment, customer_key, unit, amount, bonus, reason, reference,
            transaction_id, order_id, sale, created_at FROM credits
            WHERE app = $1 AND environment = $2 AND sale = $3 ORDER BY created_at, credit_id
            """, sale.values
        ).map { row throws(DatabaseError) in try CreditRecord(row) }
    }
}

extension CreditRecord {
    fileprivate init(_ row: Row) throws(DatabaseError) {
        self.init(
            creditID: try row.uniqueID(0), app: try row.identifier(1), environment: try row.get(2),
            customer: try row.uniqueID(3), unit: try row.identifier(4), amount: try row.integer(5),
            bonus: try row.integer(6), reason: try row.text(7), createdAt: try row.instant(12))
        reference = try row.optionalText(8)
        transactionID = try row.optionalIdentifier(9)
        orderID = try row.optionalUniqueID(10)
        sale = try row.optionalText(11)
    }
}

// The wallet of the customer is locked.
extension WriteTransaction {
    package func insert(_ credit: CreditRecord) throws(DatabaseError) {
        let standsIn = credit.transactionID != nil || credit.orderID != nil
        try execute(
            """
            INSERT INTO credits (credit_id, app, environment, customer_key, unit, amount, bonus,
            reason, reference, transaction_id, order_id, is_standing_in, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """,
            [
                .value(credit.creditID), .value(credit.app), .value(credit.environment),
                .value(credit.customer), .value(credit.unit), .value(credit.amount),
                .value(credit.bonus), .value(credit.reason), .value(credit.reference),
                .value(credit.transactionID), .value(credit.orderID), .value(standsIn),
                .value(credit.createdAt),
            ], expecting: .one)
    }

    /// Records which sale a credit made smaller; no other ever becomes smaller by it.
    package func settle(
        _ credit: CreditRecord, with sale: SaleReference
    ) throws(DatabaseError) {
        try execute(
            """
            UPDATE credits SET sale = $2, is_standing_in = 0
            WHERE credit_id = $1 AND is_standing_in = 1
            """, [.value(credit.creditID), .value(sale.key)], expecting: .one)
    }
}
