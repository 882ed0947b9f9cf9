// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// That deliveries are held back, by a person.
package struct DeliveryHold: Hashable, Sendable {
    package let app: AppID

    /// nil for the whole app.
    package let product: ProductID?
    package let note: String?
    package let createdAt: Instant

    package init(app: AppID, product: ProductID?, note: String?, createdAt: Instant) {
        self.app = app
        self.product = product
        self.note = note
        self.createdAt = createdAt
    }
}

extension ReadTransaction {
    /// What an app holds back: first the app itself, then products in their order.
    package func deliveryHolds(_ app: AppID, limit: Int64) throws(DatabaseError) -> [DeliveryHold] {
        try rows(
            """
            SELECT product_id, note, created_at FROM delivery_holds WHERE app = $1
            ORDER BY product_id LIMIT $2
            """, [.value(app), .value(limit)]
        ).map { row throws(DatabaseError) in
            let product = try row.text(0)
            return DeliveryHold(
                app: app, product: product.isEmpty ? nil : try row.identifier(0),
                note: try row.optionalText(1), createdAt: try row.instant(2))
        }
    }

    /// Whether an app, or with a product that one of its products, is held back.
    package func isHeld(_ app: AppID, _ product: ProductID?) throws(DatabaseError) -> Bool {
        try row(
            "SELECT 1 FROM delivery_holds WHERE app = $1 AND product_id = $2",
            [.value(app), .value(product?.rawValue ?? "")]) != nil
    }
}

extension WriteTransaction {
    /// Begins a hold; one that is there stays, with the new note.
    package func save(_ hold: DeliveryHold) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO delivery_holds (app, product_id, note, created_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (app, product_id) DO UPDATE SET note = excluded.note
            """,
            [
                .value(hold.app), .value(hold.product?.rawValue ?? ""), .value(hold.note),
                .value(hold.createdAt),
            ], expecting: .one)
    }

    /// Whether a product is held back, which then stays so to the end of the transaction.
    package func lockDeliveryHold(_ app: AppID, _ product: ProductID) throws(DatabaseError) -> Bool
    {
        guard try isHeld(app, product) else { return false }
        try lock(LockKey(Schema.deliveryHolds, [.value(app), .value(product)]))
        return try isHeld(app, product)
    }

    /// Ends a hold; false if there was none.
    package func endDeliveryHold(_ app: AppID, _ product: ProductID?) throws(DatabaseError) -> Bool
    {
        try change(
            "DELETE FROM delivery_holds WHERE app = $1 AND product_id = $2",
            [.value(app), .value(product?.rawValue ?? "")]) == 1
    }

    /// Lets deliveries of a product go that were held back, the oldest first.
    ///
    /// - Returns: How many there were, `limit` at most.
    package func releaseHeld(
        _ app: AppID, _ product: ProductID, limit: Int64, at time: Instant
    ) throws(DatabaseError) -> Int {
        try change(
            """
            UPDATE deliveries SET state = 'waiting', next_at = $4, product_id = NULL
            WHERE (endpoint_id, number) IN (SELECT endpoint_id, number FROM deliveries
            WHERE app = $1 AND state = 'held' AND product_id = $2
            ORDER BY number, endpoint_id LIMIT $3)
            """, [.value(app), .value(product), .value(limit), .value(time)])
    }
}
