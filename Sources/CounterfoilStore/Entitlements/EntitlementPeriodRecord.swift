// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// What one sale contributes to one right of a customer.
package struct EntitlementPeriodRecord: Hashable, Sendable {
    package let app: AppID
    package let environment: AppStoreEnvironment
    package let customer: UniqueID
    package let entitlement: EntitlementID
    package let sale: String
    package let productID: ProductID
    package let transactionID: TransactionID
    package var purchaseDate: Instant
    package let quantity: Int64

    /// ISO 8601; nil for ever.
    package let duration: String?
    package var isRevoked: Bool
    package var startsAt: Instant
    package var endsAt: Instant?

    package init(
        app: AppID, environment: AppStoreEnvironment, customer: UniqueID,
        entitlement: EntitlementID, sale: String, productID: ProductID,
        transactionID: TransactionID, purchaseDate: Instant, quantity: Int64, duration: String?,
        isRevoked: Bool, startsAt: Instant, endsAt: Instant?
    ) {
        self.app = app
        self.environment = environment
        self.customer = customer
        self.entitlement = entitlement
        self.sale = sale
        self.productID = productID
        self.transactionID = transactionID
        self.purchaseDate = purchaseDate
        self.quantity = quantity
        self.duration = duration
        self.isRevoked = isRevoked
        self.startsAt = startsAt
        self.endsAt = endsAt
    }
}

extension EntitlementPeriodRecord {
    /// The same right of another customer.
    package func held(by customer: UniqueID) -> EntitlementPeriodRecord {
        EntitlementPeriodRecord(
            app: app, environment: environment, customer: customer, entitlement: entitlement,
            sale: sale, productID: productID, transactionID: transactionID,
            purchaseDate: purchaseDate, quantity: quantity, duration: duration,
            isRevoked: isRevoked, startsAt: startsAt, endsAt: endsAt)
    }
}

private let columns: SQL = """
    app, environment, customer_key, entitlement, sale, product_id, transaction_id, purchase_date,
    quantity, duration, is_revoked, starts_at, ends_at
    """

private let selectOfCustomer: SQL =
    "SELECT " + columns + """
         FROM entitlement_periods
        WHERE app = $1 AND environment = $2 AND customer_key = $3
        ORDER BY entitlement, purchase_date, transaction_id
        """

private let selectOfSale: SQL =
    "SELECT " + columns + """
         FROM entitlement_periods WHERE app = $1 AND environment = $2 AND sale = $3
        ORDER BY customer_key, entitlement
        """

extension ReadTransaction {
    /// The periods that one sale gives.
    package func entitlementPeriods(
        of sale: SaleReference
    ) throws(DatabaseError) -> [EntitlementPeriodRecord] {
        try rows(selectOfSale, sale.values)
            .map { row throws(DatabaseError) in try EntitlementPeriodRecord(row) }
    }

    /// Every period of a customer in an environment, revoked ones too.
    package func entitlementPeriods(
        _ app: AppID, _ environment: AppStoreEnvironment, _ customer: UniqueID
    ) throws(DatabaseError) -> [EntitlementPeriodRecord] {
        try rows(selectOfCustomer, [.value(app), .value(environment), .value(customer)])
            .map { row throws(DatabaseError) in try EntitlementPeriodRecord(row) }
    }
}

extension EntitlementPeriodRecord {
    /// Reads a row of `columns`.
    fileprivate init(_ row: Row) throws(DatabaseError) {
        self.init(
            app: try row.identifier(0), environment: try row.get(1),
            customer: try row.uniqueID(2), entitlement: try row.identifier(3),
            sale: try row.text(4), productID: try row.identifier(5),
            transactionID: try row.identifier(6), purchaseDate: try row.instant(7),
            quantity: try row.integer(8), duration: try row.optionalText(9),
            isRevoked: try row.boolean(10), startsAt: try row.instant(11),
            endsAt: try row.optionalInstant(12))
    }
}

extension WriteTransaction {
    /// Stores the period, new or changed; the wallet is locked.
    package func save(_ period: EntitlementPeriodRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO entitlement_periods
            (app, environment, customer_key, entitlement, sale, product_id, transaction_id,
            purchase_date, quantity, duration, is_revoked, starts_at, ends_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            ON CONFLICT (app, environment, customer_key, entitlement, sale) DO UPDATE SET
            purchase_date = excluded.purchase_date, is_revoked = excluded.is_revoked,
            starts_at = excluded.starts_at, ends_at = excluded.ends_at
            """,
            [
                .value(period.app), .value(period.environment), .value(period.customer),
                .value(period.entitlement), .value(period.sale), .value(period.productID),
                .value(period.transactionID), .value(period.purchaseDate),
                .value(period.quantity), .value(period.duration), .value(period.isRevoked),
                .value(period.startsAt), .value(period.endsAt),
            ], expecting: .one)
    }

    /// Takes a sale's right from a customer; the wallet is locked.
    package func delete(_ period: EntitlementPeriodRecord) throws(DatabaseError) {
        try execute(
            """
            DELETE FROM entitlement_periods WHERE app = $1 AND environment = $2
            AND customer_key = $3 AND entitlement = $4 AND sale = $5
            """,
            [
                .value(period.app), .value(period.environment), .value(period.customer),
                .value(period.entitlement), .value(period.sale),
            ], expecting: .one)
    }
}
