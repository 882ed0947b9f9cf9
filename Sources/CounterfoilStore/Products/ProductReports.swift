// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// A product that apps asked the store for in vain.
package struct ProductReport: Hashable, Sendable {
    package let productID: ProductID
    package let firstAt: Instant

    /// Of the last report, but for those that came shortly behind another.
    package let lastAt: Instant
}

extension ReadTransaction {
    /// Reported products in the order of their ids, those behind `after`.
    package func productReports(
        _ app: AppID, after: String, limit: Int64
    ) throws(DatabaseError) -> [ProductReport] {
        try rows(
            """
            SELECT product_id, first_at, last_at FROM product_reports
            WHERE app = $1 AND product_id > $2 ORDER BY product_id LIMIT $3
            """, [.value(app), .value(after), .value(limit)]
        ).map { row throws(DatabaseError) in
            ProductReport(
                productID: try row.identifier(0), firstAt: try row.instant(1),
                lastAt: try row.instant(2))
        }
    }

    /// Every product of an app that was reported, the one longest ago first.
    package func reportedProducts(_ app: AppID) throws(DatabaseError) -> [ProductID] {
        try rows(
            "SELECT product_id FROM product_reports WHERE app = $1 ORDER BY last_at, product_id",
            [.value(app)]
        ).map { row throws(DatabaseError) in try row.identifier(0) }
    }
}

extension WriteTransaction {
    /// Notes that a product was reported.
    ///
    /// - Parameter interval: A later report within it changes nothing, so that a thousand apps that
    ///   start at the same time do not wait for one row.
    /// - Returns: Whether it was not noted before.
    package func noteReport(
        of product: ProductID, _ app: AppID, at now: Instant, interval: Duration
    ) throws(DatabaseError) -> Bool {
        let key: [DatabaseValue] = [.value(app), .value(product)]
        let row = try row(
            "SELECT last_at FROM product_reports WHERE app = $1 AND product_id = $2", key)
        if let row {
            guard try row.instant(0) + interval <= now else { return false }
            try execute(
                "UPDATE product_reports SET last_at = $3 WHERE app = $1 AND product_id = $2",
                key + [.value(now)])
            return false
        }
        try execute(
            """
            INSERT INTO product_reports (app, product_id, first_at, last_at)
            VALUES ($1, $2, $3, $3) ON CONFLICT (app, product_id) DO NOTHING
            """, key + [.value(now)])
        return true
    }

    package func dropReport(of product: ProductID, _ app: AppID) throws(DatabaseError) {
        try execute(
            "DELETE FROM product_reports WHERE app = $1 AND product_id = $2",
            [.value(app), .value(product)])
    }
}
