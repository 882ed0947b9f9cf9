// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

extension ReadTransaction {
    /// Whether the studio says that a transaction was delivered by its former backend; nil where it says
    /// nothing.
    package func formerDelivery(
        _ app: AppID, _ environment: AppStoreEnvironment, _ id: TransactionID
    ) throws(DatabaseError) -> Bool? {
        try row(
            """
            SELECT is_delivered FROM former_deliveries
            WHERE app = $1 AND environment = $2 AND transaction_id = $3
            """, [.value(app), .value(environment), .value(id)]
        )?.boolean(0)
    }

    /// How many lines of a file were imported; nil for one that is not known.
    package func importedLines(_ importID: [UInt8]) throws(DatabaseError) -> Int64? {
        try row("SELECT lines_done FROM imports WHERE import_id = $1", [.value(importID)])?
            .integer(0)
    }
}

extension WriteTransaction {
    /// Keeps the studio's word about a transaction; the last one counts.
    package func keep(
        formerDelivery isDelivered: Bool, _ app: AppID, _ environment: AppStoreEnvironment,
        _ id: TransactionID, at now: Instant
    ) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO former_deliveries (app, environment, transaction_id, is_delivered, created_at)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (app, environment, transaction_id)
            DO UPDATE SET is_delivered = excluded.is_delivered
            """,
            [.value(app), .value(environment), .value(id), .value(isDelivered), .value(now)],
            expecting: .one)
    }

    /// Keeps how far a file was imported.
    package func keep(
        importedLines count: Int64, of importID: [UInt8], _ app: AppID, at now: Instant
    ) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO imports (import_id, app, lines_done, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $4) ON CONFLICT (import_id)
            DO UPDATE SET lines_done = excluded.lines_done, updated_at = excluded.updated_at
            """, [.value(importID), .value(app), .value(count), .value(now)], expecting: .one)
    }
}
