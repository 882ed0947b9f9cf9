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

    /// How far a file was imported; nil for one that is not known.
    package func importProgress(
        _ importID: [UInt8]
    ) throws(DatabaseError) -> ImportProgress? {
        let row = try row(
            "SELECT lines_done, fault_count, faults FROM imports WHERE import_id = $1",
            [.value(importID)])
        guard let row else { return nil }
        return ImportProgress(
            lines: try row.integer(0), faultCount: try row.optionalInteger(1) ?? 0,
            faults: try row.optionalText(2) ?? "[]")
    }
}

/// How far a file was imported, and what was left out of it.
package struct ImportProgress: Hashable, Sendable {
    package let lines: Int64

    /// How many lines were not taken.
    package let faultCount: Int64

    /// The first of them, as JSON.
    package let faults: String

    package init(lines: Int64, faultCount: Int64, faults: String) {
        self.lines = lines
        self.faultCount = faultCount
        self.faults = faults
    }
}

extension WriteTransaction {
    /// Waits for whoever takes a transaction in just now, and lets nobody do so before the commit: where
    /// several write at the same time neither would see what the other is about to say of it.
    ///
    /// Names are held before originals, in one order.
    package func holdName(
        _ app: AppID, _ environment: AppStoreEnvironment, _ id: TransactionID
    ) throws(DatabaseError) {
        guard !hasSingleWriter else { return }
        let key: [DatabaseValue] = [.value(app), .value(environment), .value(id)]
        // A row that nobody ever sees; two of one name wait for each other.
        let held = try change(
            """
            INSERT INTO transactions
            (app, environment, transaction_id, original_transaction_id, product_id, quantity,
            purchase_date, original_purchase_date, identity_signed_date, identity_rank,
            identity_evidence, created_at)
            VALUES ($1, $2, $3, $3, '-', 0, 0, 0, 0, 0, $4, 0)
            ON CONFLICT (app, environment, transaction_id) DO NOTHING
            """, key + [.bytes([])])
        if held == 1 {
            try execute(
                "DELETE FROM transactions WHERE app = $1 AND environment = $2 AND transaction_id = $3",
                key, expecting: .one)
        } else {
            _ = try lockedTransaction(app, environment, id)
        }
    }

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
        _ progress: ImportProgress, of importID: [UInt8], _ app: AppID, at now: Instant
    ) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO imports
            (import_id, app, lines_done, created_at, updated_at, fault_count, faults)
            VALUES ($1, $2, $3, $4, $4, $5, $6) ON CONFLICT (import_id)
            DO UPDATE SET lines_done = excluded.lines_done, updated_at = excluded.updated_at,
            fault_count = excluded.fault_count, faults = excluded.faults
            """,
            [
                .value(importID), .value(app), .value(progress.lines), .value(now),
                .value(progress.faultCount), .value(progress.faults),
            ], expecting: .one)
    }
}
