// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// That a customer became one with another.
package struct MergeRecord: Hashable, Sendable {
    package let mergeID: UniqueID
    package let app: AppID

    /// Whose id became another name of the target.
    package let source: UniqueID
    package let target: UniqueID

    /// The word of whoever asked for it, for people.
    package let reason: String
    package let createdAt: Instant
    package var undoneAt: Instant?
    package var undoReason: String?

    package init(
        mergeID: UniqueID, app: AppID, source: UniqueID, target: UniqueID, reason: String,
        createdAt: Instant
    ) {
        self.mergeID = mergeID
        self.app = app
        self.source = source
        self.target = target
        self.reason = reason
        self.createdAt = createdAt
    }
}

private let columns: SQL = """
    merge_id, app, source_key, target_key, reason, created_at, undone_at, undo_reason
    """

private let selectByID: SQL =
    "SELECT " + columns + " FROM merges WHERE merge_id = $1 AND app = $2"

private let selectStanding: SQL =
    "SELECT " + columns + """
         FROM merges WHERE source_key = $1 AND undone_at IS NULL
        """

extension ReadTransaction {
    package func merge(_ app: AppID, id: UniqueID) throws(DatabaseError) -> MergeRecord? {
        try row(selectByID, [.value(id), .value(app)])
            .map { row throws(DatabaseError) in try MergeRecord(row) }
    }

    /// The merge by which a customer is another's now; nil for one that is its own.
    package func standingMerge(of source: UniqueID) throws(DatabaseError) -> MergeRecord? {
        try row(selectStanding, [.value(source)])
            .map { row throws(DatabaseError) in try MergeRecord(row) }
    }

    /// The customer that a key stands for now: its own, or that of the one it was merged into.
    package func current(_ key: UniqueID) throws(DatabaseError) -> UniqueID {
        var key = key
        for _ in 0..<Limits.mergeDepth {
            let row = try row(
                "SELECT merged_into FROM customers WHERE customer_key = $1", [.value(key)])
            guard let next = try row?.optionalUniqueID(0) else { return key }
            key = next
        }
        throw DatabaseError(.unexpectedValue, "customers are merged in a circle")
    }

    /// The keys that stand for a customer now: its own, and behind it those of the first that were merged
    /// into it, and into them.
    package func allKeys(of customer: UniqueID) throws(DatabaseError) -> [UniqueID] {
        var keys = [customer]
        var next = 0
        while next < keys.count, keys.count < Limits.mergedKeys {
            keys += try rows(
                """
                SELECT source_key FROM merges WHERE target_key = $1 AND undone_at IS NULL
                ORDER BY created_at, source_key LIMIT $2
                """, [.value(keys[next]), .value(Int64(Limits.mergedKeys - keys.count))]
            ).map { row throws(DatabaseError) in try row.uniqueID(0) }
            next += 1
        }
        return keys
    }

    /// Whether a customer is, or was for a time, one with another by merges into that one.
    package func wasMerged(
        _ source: UniqueID, into target: UniqueID
    ) throws(DatabaseError) -> Bool {
        var keys = [source]
        var next = 0
        while next < keys.count, keys.count < Limits.mergedKeys {
            if keys[next] == target { return true }
            keys += try rows(
                """
                SELECT DISTINCT target_key FROM merges WHERE source_key = $1
                ORDER BY target_key LIMIT $2
                """, [.value(keys[next]), .value(Int64(Limits.mergedKeys))]
            ).map { row throws(DatabaseError) in try row.uniqueID(0) }.filter { !keys.contains($0) }
            next += 1
        }
        return keys.contains(target)
    }

    /// How many merges lie one below the other under a customer, as far as is allowed.
    package func mergeDepth(below customer: UniqueID) throws(DatabaseError) -> Int {
        var level = [customer]
        for depth in 0..<Limits.mergeDepth {
            var next: [UniqueID] = []
            for key in level {
                next += try rows(
                    "SELECT source_key FROM merges WHERE target_key = $1 AND undone_at IS NULL",
                    [.value(key)]
                ).map { row throws(DatabaseError) in try row.uniqueID(0) }
            }
            if next.isEmpty { return depth }
            level = next
        }
        return Limits.mergeDepth
    }

    /// The studio's id of the customer that a key stands for now, or nil once it is erased.
    package func currentCustomerID(_ key: UniqueID) throws(DatabaseError) -> CustomerID? {
        try customerID(try current(key))
    }

    /// Whether something is the viewer's, whose key stands for nobody else; it costs the same whether
    /// it is another customer's or nobody's.
    package func isOwned(
        by viewer: UniqueID?, _ holder: UniqueID?
    ) throws(DatabaseError) -> Bool {
        guard let viewer else { return false }
        let current = try current(holder ?? viewer)
        return holder != nil && current == viewer
    }

    /// An order, of the customer that its customer is now.
    package func currentOrder(_ app: AppID, id: UniqueID) throws(DatabaseError) -> OrderRecord? {
        guard var order = try order(app, id: id) else { return nil }
        order.customer = try current(order.customer)
        return order
    }

    /// The key behind the studio's id itself, whomever it was merged into.
    package func ownKey(_ app: AppID, _ id: CustomerID) throws(DatabaseError) -> UniqueID? {
        try row(
            "SELECT customer_key FROM aliases WHERE app = $1 AND customer_id = $2",
            [.value(app), .value(id)]
        )?.uniqueID(0)
    }
}

extension WriteTransaction {
    /// Locks customers, so that nobody else merges them.
    package func lockCustomers(_ keys: Set<UniqueID>) throws(DatabaseError) {
        for key in keys.sorted() { try lock(LockKey(Schema.customers, [.value(key)])) }
    }

    /// Keeps the merge; the customers are locked.
    package func insert(_ merge: MergeRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO merges (merge_id, app, source_key, target_key, reason, created_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [
                .value(merge.mergeID), .value(merge.app), .value(merge.source),
                .value(merge.target), .value(merge.reason), .value(merge.createdAt),
            ], expecting: .one)
        try execute(
            "UPDATE customers SET merged_into = $2 WHERE customer_key = $1",
            [.value(merge.source), .value(merge.target)], expecting: .one)
    }

    /// Keeps that the merge was undone; the customers are locked.
    package func undo(
        _ merge: MergeRecord, reason: String, at now: Instant
    ) throws(DatabaseError) {
        try execute(
            """
            UPDATE merges SET undone_at = $2, undo_reason = $3
            WHERE merge_id = $1 AND undone_at IS NULL
            """, [.value(merge.mergeID), .value(now), .value(reason)], expecting: .one)
        try execute(
            "UPDATE customers SET merged_into = NULL WHERE customer_key = $1",
            [.value(merge.source)], expecting: .one)
    }

    /// Closes a wallet to whoever did not see yet that its customer was merged, or opens it again; the
    /// wallet is locked.
    package func close(
        _ isClosed: Bool, wallet customer: UniqueID, _ app: AppID,
        _ environment: AppStoreEnvironment
    ) throws(DatabaseError) {
        try execute(
            """
            UPDATE wallets SET is_merged = $4
            WHERE app = $1 AND environment = $2 AND customer_key = $3
            """,
            [.value(app), .value(environment), .value(customer), .value(isClosed)], expecting: .one)
    }
}

extension MergeRecord {
    /// Reads a row of `columns`.
    fileprivate init(_ row: Row) throws(DatabaseError) {
        mergeID = try row.uniqueID(0)
        app = try row.identifier(1)
        source = try row.uniqueID(2)
        target = try row.uniqueID(3)
        reason = try row.text(4)
        createdAt = try row.instant(5)
        undoneAt = try row.optionalInstant(6)
        undoReason = try row.optionalText(7)
    }
}
