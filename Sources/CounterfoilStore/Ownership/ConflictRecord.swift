// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// That a customer came up for what is another's.
package struct ConflictRecord: Hashable, Sendable {
    package let conflictID: UniqueID
    package let app: AppID
    package let environment: AppStoreEnvironment
    package let originalTransactionID: OriginalTransactionID

    /// The transaction with which it happened first.
    package let transactionID: TransactionID
    package let productID: ProductID

    /// Whose it was.
    package let holder: UniqueID
    package let contender: UniqueID

    /// By what the contender came up.
    package let claim: String

    /// What the app's policy answered, the last time.
    package var answer: String

    /// The evidence that showed it first; nil where none was handed in at that moment.
    package let evidence: [UInt8]?
    package var occurrences: Int64 = 1
    package let firstAt: Instant
    package var lastAt: Instant

    package init(
        conflictID: UniqueID, app: AppID, environment: AppStoreEnvironment,
        originalTransactionID: OriginalTransactionID, transactionID: TransactionID,
        productID: ProductID, holder: UniqueID, contender: UniqueID, claim: String, answer: String,
        evidence: [UInt8]?, at now: Instant
    ) {
        self.conflictID = conflictID
        self.app = app
        self.environment = environment
        self.originalTransactionID = originalTransactionID
        self.transactionID = transactionID
        self.productID = productID
        self.holder = holder
        self.contender = contender
        self.claim = claim
        self.answer = answer
        self.evidence = evidence
        firstAt = now
        lastAt = now
    }
}

/// Where a conflict stands in the list: they go by age, and by id where that is the same.
package struct ConflictPlace: Hashable, Sendable {
    package let firstAt: Instant
    package let conflictID: UniqueID

    package init(firstAt: Instant, conflictID: UniqueID) {
        self.firstAt = firstAt
        self.conflictID = conflictID
    }
}

extension ReadTransaction {
    /// Conflicts of an environment, the oldest first, those behind `after`.
    package func conflicts(
        _ app: AppID, _ environment: AppStoreEnvironment, after: ConflictPlace?, limit: Int64
    ) throws(DatabaseError) -> [ConflictRecord] {
        try rows(
            """
            SELECT app, environment, conflict_id, original_transaction_id, transaction_id,
            product_id, holder_key, contender_key, claim, answer, evidence, occurrences, first_at,
            last_at FROM conflicts WHERE app = $1 AND environment = $2
            AND (first_at, conflict_id) > ($3, $4)
            ORDER BY first_at, conflict_id LIMIT $5
            """,
            [
                .value(app), .value(environment),
                after.map { .value($0.firstAt) } ?? .integer(.min),
                .bytes(after?.conflictID.bytes ?? []), .value(limit),
            ]
        ).map { row throws(DatabaseError) in try ConflictRecord(row) }
    }
}

extension WriteTransaction {
    /// Counts the conflict, and keeps it if it is the first of its kind.
    ///
    /// - Returns: Whether it is the first.
    package func count(_ conflict: ConflictRecord) throws(DatabaseError) -> Bool {
        let row = try row(
            """
            INSERT INTO conflicts (conflict_id, app, environment, original_transaction_id,
            transaction_id, product_id, holder_key, contender_key, claim, answer, evidence,
            occurrences, first_at, last_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, $12, $12)
            ON CONFLICT (conflict_id) DO UPDATE SET occurrences = conflicts.occurrences + 1,
            answer = excluded.answer, last_at = excluded.last_at RETURNING occurrences
            """,
            [
                .value(conflict.conflictID), .value(conflict.app), .value(conflict.environment),
                .value(conflict.originalTransactionID), .value(conflict.transactionID),
                .value(conflict.productID), .value(conflict.holder), .value(conflict.contender),
                .value(conflict.claim), .value(conflict.answer), .value(conflict.evidence),
                .value(conflict.firstAt),
            ])
        guard let row else {
            throw DatabaseError(.unexpectedRowCount, "a conflict was not counted")
        }
        return try row.integer(0) == 1
    }
}

extension ConflictRecord {
    fileprivate init(_ row: Row) throws(DatabaseError) {
        self.init(
            conflictID: try row.uniqueID(2), app: try row.identifier(0),
            environment: try row.get(1), originalTransactionID: try row.identifier(3),
            transactionID: try row.identifier(4), productID: try row.identifier(5),
            holder: try row.uniqueID(6), contender: try row.uniqueID(7), claim: try row.text(8),
            answer: try row.text(9), evidence: try row.optionalBytes(10), at: try row.instant(12))
        occurrences = try row.integer(11)
        lastAt = try row.instant(13)
    }
}
