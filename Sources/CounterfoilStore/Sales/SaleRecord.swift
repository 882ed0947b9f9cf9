// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// Where a sale stands: an app, an environment and the sale's own key.
package struct SaleReference: Hashable, Sendable {
    package let app: AppID
    package let environment: AppStoreEnvironment
    package let key: String

    package init(app: AppID, environment: AppStoreEnvironment, key: String) {
        self.app = app
        self.environment = environment
        self.key = key
    }

    var values: [DatabaseValue] { [.value(app), .value(environment), .value(key)] }
}

/// What is sold once.
package struct SaleRecord: Hashable, Sendable {
    package let reference: SaleReference
    package var type: String
    package var productID: ProductID
    package var customer: UniqueID?
    package var revision: Int64
    package var createdAt: Instant

    package init(
        reference: SaleReference, type: String, productID: ProductID, customer: UniqueID?,
        revision: Int64, createdAt: Instant
    ) {
        self.reference = reference
        self.type = type
        self.productID = productID
        self.customer = customer
        self.revision = revision
        self.createdAt = createdAt
    }
}

extension ReadTransaction {
    package func sale(_ reference: SaleReference) throws(DatabaseError) -> SaleRecord? {
        let row = try row(
            """
            SELECT type, product_id, customer_key, revision, created_at FROM sales
            WHERE app = $1 AND environment = $2 AND sale = $3
            """, reference.values)
        guard let row else { return nil }
        return SaleRecord(
            reference: reference, type: try row.text(0), productID: try row.identifier(1),
            customer: try row.optionalUniqueID(2), revision: try row.integer(3),
            createdAt: try row.instant(4))
    }

    /// Whether a non-consumable was sold to a customer and not taken back.
    package func hasNonConsumable(
        _ product: ProductID, _ app: AppID, _ environment: AppStoreEnvironment,
        soldTo customer: UniqueID
    ) throws(DatabaseError) -> Bool {
        try row(
            """
            SELECT 1 FROM sales s WHERE s.app = $1 AND s.environment = $2 AND s.customer_key = $3
            AND s.product_id = $4 AND s.type = 'non_consumable'
            AND NOT EXISTS (SELECT 1 FROM transactions t
                WHERE t.app = s.app AND t.environment = s.environment AND t.sale = s.sale
                AND t.revocation_date IS NOT NULL
                AND COALESCE(t.revocation_percentage, 100000) >= 100000)
            LIMIT 1
            """,
            [.value(app), .value(environment), .value(customer), .value(product)]) != nil
    }

    /// The sale that an identity belongs to, or nil.
    package func saleKey(
        _ app: AppID, _ environment: AppStoreEnvironment, identity: String
    ) throws(DatabaseError) -> String? {
        try row(
            """
            SELECT sale FROM sale_keys WHERE app = $1 AND environment = $2 AND identity = $3
            """,
            [.value(app), .value(environment), .value(identity)]
        )?.text(0)
    }
}

extension WriteTransaction {
    /// Makes the sale if it is not there, and locks its row; whoever settles it next waits.
    package func lockSale(_ fresh: SaleRecord) throws(DatabaseError) -> SaleRecord {
        let reference = fresh.reference
        try execute(
            """
            INSERT INTO sales
            (app, environment, sale, type, product_id, customer_key, revision, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (app, environment, sale) DO NOTHING
            """,
            reference.values + [
                .value(fresh.type), .value(fresh.productID), .value(fresh.customer),
                .value(fresh.revision), .value(fresh.createdAt),
            ])
        try lock(.sale(reference))
        guard let sale = try sale(reference) else {
            throw DatabaseError(.unexpectedRowCount, "a sale vanished while it was locked")
        }
        return sale
    }

    /// Gives the sale another identity; one that belongs to another sale already is an error, since
    /// it would let one payment deliver twice.
    package func addSaleKey(
        _ identity: String, to reference: SaleReference
    ) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO sale_keys (app, environment, identity, sale) VALUES ($1, $2, $4, $3)
            ON CONFLICT (app, environment, identity) DO NOTHING
            """, reference.values + [.value(identity)])
        let holder = try saleKey(reference.app, reference.environment, identity: identity)
        guard holder == reference.key else {
            throw DatabaseError(.uniqueViolation, "an identity belongs to another sale")
        }
    }

    /// Keeps the owner of a sale that had none yet.
    package func setFirstOwner(
        _ customer: UniqueID, of reference: SaleReference
    ) throws(DatabaseError) {
        try execute(
            """
            UPDATE sales SET customer_key = COALESCE(customer_key, $4)
            WHERE app = $1 AND environment = $2 AND sale = $3
            """, reference.values + [.value(customer)], expecting: .one)
    }

    package func setOwner(
        _ customer: UniqueID, of reference: SaleReference
    ) throws(DatabaseError) {
        try execute(
            """
            UPDATE sales SET customer_key = $4
            WHERE app = $1 AND environment = $2 AND sale = $3
            """, reference.values + [.value(customer)], expecting: .one)
    }
}

extension LockKey {
    /// The lock of a sale's row.
    package static func sale(_ reference: SaleReference) -> LockKey {
        LockKey(Schema.sales, reference.values)
    }
}
