// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

// What is open when customers are merged becomes the target's, and is written down, so that undoing it
// gives back exactly that, whatever was merged before or since.

extension ReadTransaction {
    /// Whether a lot is of a credit that moved with a merge, and that made a sale smaller thereafter.
    package func isCredit(
        _ lot: LotRecord, settledSince merge: MergeRecord
    ) throws(DatabaseError) -> Bool {
        guard let key = lot.sale, let id = CreditRecord.id(ofLotKey: key) else { return false }
        return try row(
            """
            SELECT 1 FROM merged_rows r JOIN credits c ON c.credit_id = r.row_id
            WHERE r.merge_id = $1 AND r.kind = 'credit' AND r.row_id = $2 AND c.is_standing_in = 0
            """, [.value(merge.mergeID), .value(id)]) != nil
    }

    /// The holds that moved with a merge and that nobody has decided about, the oldest first.
    package func openHolds(
        movedBy merge: MergeRecord, in environment: AppStoreEnvironment
    ) throws(DatabaseError) -> [HoldRecord] {
        let ids = try rows(
            """
            SELECT h.hold_id FROM merged_rows r JOIN holds h ON h.hold_id = r.row_id
            WHERE r.merge_id = $1 AND r.kind = 'hold' AND h.state = 'open'
            AND h.customer_key = $2 AND h.environment = $3 ORDER BY h.created_at, h.hold_id
            """, [.value(merge.mergeID), .value(merge.target), .value(environment)]
        ).map { row throws(DatabaseError) in try row.uniqueID(0) }
        var holds: [HoldRecord] = []
        for id in ids {
            if let hold = try hold(id) { holds.append(hold) }
        }
        return holds
    }
}

extension ReadTransaction {
    /// The transfers by which a merge moved units in an environment, each with the lot that it took them
    /// from, in the order of time.
    package func moves(
        by merge: MergeRecord, in environment: AppStoreEnvironment
    ) throws(DatabaseError) -> [(transfer: UniqueID, source: UniqueID)] {
        try rows(
            """
            SELECT t.transfer_id, u.lot_id FROM transfers t
            JOIN lot_uses u ON u.transfer_id = t.transfer_id
            WHERE t.operation_id = $1 AND t.kind = 'merge' AND t.environment = $2
            ORDER BY t.created_at, t.transfer_id
            """, [.value(merge.mergeID), .value(environment)]
        ).map { row throws(DatabaseError) in (try row.uniqueID(0), try row.uniqueID(1)) }
    }
}

// The merge is stored; customers, and wallets where there are credits and holds, are locked.
extension WriteTransaction {
    /// Makes the open orders of the merged customer the target's.
    package func moveOpenOrders(by merge: MergeRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO merged_rows (merge_id, kind, row_id)
            SELECT m.merge_id, 'order', o.order_id
            FROM merges m JOIN orders o ON o.customer_key = m.source_key
            WHERE m.merge_id = $1 AND o.state IN ('open', 'pending')
            """, [.value(merge.mergeID)])
        try execute(
            """
            UPDATE orders SET customer_key = $2 WHERE order_id IN
            (SELECT row_id FROM merged_rows WHERE merge_id = $1 AND kind = 'order')
            """, [.value(merge.mergeID), .value(merge.target)])
    }

    /// Gives the orders back that nobody has paid meanwhile.
    package func returnOpenOrders(of merge: MergeRecord) throws(DatabaseError) {
        try execute(
            """
            UPDATE orders SET customer_key = $2
            WHERE customer_key = $3 AND paid_by IS NULL AND order_id IN
            (SELECT row_id FROM merged_rows WHERE merge_id = $1 AND kind = 'order')
            """, [.value(merge.mergeID), .value(merge.source), .value(merge.target)])
    }

    /// Makes the credits that stand in for a purchase still to come the target's, in all environments.
    package func moveStandingCredits(by merge: MergeRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO merged_rows (merge_id, kind, row_id)
            SELECT m.merge_id, 'credit', c.credit_id
            FROM merges m JOIN credits c ON c.customer_key = m.source_key
            WHERE m.merge_id = $1 AND c.is_standing_in = 1
            """, [.value(merge.mergeID)])
        try execute(
            """
            UPDATE credits SET customer_key = $2 WHERE credit_id IN
            (SELECT row_id FROM merged_rows WHERE merge_id = $1 AND kind = 'credit')
            """, [.value(merge.mergeID), .value(merge.target)])
    }

    /// Gives the credits back whose purchase has not come meanwhile.
    package func returnStandingCredits(of merge: MergeRecord) throws(DatabaseError) {
        try execute(
            """
            UPDATE credits SET customer_key = $2
            WHERE customer_key = $3 AND is_standing_in = 1 AND credit_id IN
            (SELECT row_id FROM merged_rows WHERE merge_id = $1 AND kind = 'credit')
            """, [.value(merge.mergeID), .value(merge.source), .value(merge.target)])
    }

    /// Writes down that a hold moved.
    package func add(_ hold: HoldRecord, movedBy merge: MergeRecord) throws(DatabaseError) {
        try execute(
            "INSERT INTO merged_rows (merge_id, kind, row_id) VALUES ($1, 'hold', $2)",
            [.value(merge.mergeID), .value(hold.holdID)], expecting: .one)
    }
}
