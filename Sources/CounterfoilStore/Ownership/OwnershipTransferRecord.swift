// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// An original transaction: what is bought once and restored ever after.
package struct OriginalReference: Hashable, Sendable {
    package let app: AppID
    package let environment: AppStoreEnvironment
    package let id: OriginalTransactionID

    package init(
        app: AppID, environment: AppStoreEnvironment, id: OriginalTransactionID
    ) {
        self.app = app
        self.environment = environment
        self.id = id
    }

    fileprivate var values: [DatabaseValue] { [.value(app), .value(environment), .value(id)] }
}

/// That an original came from one owner to another.
package struct OwnershipTransferRecord: Hashable, Sendable {
    package let original: OriginalReference

    /// The place among the original's transfers, from 1.
    package let place: Int64
    package let transferID: UniqueID

    /// nil where it had no owner before.
    package let from: UniqueID?
    package let to: UniqueID

    /// Who decided it.
    package let cause: String

    /// The word of whoever asked for it, for people.
    package let reason: String?

    /// The transfer that this one takes back.
    package let undoes: UniqueID?
    package let createdAt: Instant

    package init(
        original: OriginalReference, place: Int64, transferID: UniqueID, from: UniqueID?,
        to: UniqueID, cause: String, reason: String?, undoes: UniqueID?, createdAt: Instant
    ) {
        self.original = original
        self.place = place
        self.transferID = transferID
        self.from = from
        self.to = to
        self.cause = cause
        self.reason = reason
        self.undoes = undoes
        self.createdAt = createdAt
    }
}

private let columns: SQL = """
    app, environment, original_transaction_id, place, transfer_id, from_key, to_key, cause, reason,
    undoes, created_at
    """

private let selectLast: SQL =
    "SELECT " + columns + """
         FROM ownership_transfers
        WHERE app = $1 AND environment = $2 AND original_transaction_id = $3
        ORDER BY place DESC LIMIT 1
        """

private let selectPage: SQL =
    "SELECT " + columns + """
         FROM ownership_transfers
        WHERE app = $1 AND environment = $2 AND original_transaction_id = $3 AND place > $4
        ORDER BY place LIMIT $5
        """

private let selectByID: SQL =
    "SELECT " + columns + " FROM ownership_transfers WHERE transfer_id = $1 AND app = $2"

extension ReadTransaction {
    /// The transfer that tells whose the original is; nil if it never left its first owner.
    package func lastOwnershipTransfer(
        of original: OriginalReference
    ) throws(DatabaseError) -> OwnershipTransferRecord? {
        try row(selectLast, original.values)
            .map { row throws(DatabaseError) in try OwnershipTransferRecord(row) }
    }

    /// The original's transfers in their order, those behind a place.
    package func ownershipTransfers(
        of original: OriginalReference, after place: Int64, limit: Int64
    ) throws(DatabaseError) -> [OwnershipTransferRecord] {
        try rows(selectPage, original.values + [.value(place), .value(limit)])
            .map { row throws(DatabaseError) in try OwnershipTransferRecord(row) }
    }

    package func ownershipTransfer(
        _ app: AppID, id: UniqueID
    ) throws(DatabaseError) -> OwnershipTransferRecord? {
        try row(selectByID, [.value(id), .value(app)])
            .map { row throws(DatabaseError) in try OwnershipTransferRecord(row) }
    }

    /// Who has the rights of a sale beside its owner, by key.
    package func shares(of sale: SaleReference) throws(DatabaseError) -> [UniqueID] {
        try rows(
            """
            SELECT customer_key FROM entitlement_shares
            WHERE app = $1 AND environment = $2 AND sale = $3 ORDER BY customer_key
            """, sale.values
        ).map { row throws(DatabaseError) in try row.uniqueID(0) }
    }
}

// The original is locked, on engines with several writers.
extension WriteTransaction {
    package func insert(_ transfer: OwnershipTransferRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO ownership_transfers
            (app, environment, original_transaction_id, place, transfer_id, from_key, to_key, cause,
            reason, undoes, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            """,
            transfer.original.values + [
                .value(transfer.place), .value(transfer.transferID), .value(transfer.from),
                .value(transfer.to), .value(transfer.cause), .value(transfer.reason),
                .value(transfer.undoes), .value(transfer.createdAt),
            ], expecting: .one)
    }

    package func share(
        _ sale: SaleReference, with customer: UniqueID, at now: Instant
    ) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO entitlement_shares (app, environment, sale, customer_key, created_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (app, environment, sale, customer_key) DO NOTHING
            """, sale.values + [.value(customer), .value(now)])
    }
}

extension OwnershipTransferRecord {
    /// Reads a row of `columns`.
    fileprivate init(_ row: Row) throws(DatabaseError) {
        original = OriginalReference(
            app: try row.identifier(0), environment: try row.get(1), id: try row.identifier(2))
        place = try row.integer(3)
        transferID = try row.uniqueID(4)
        from = try row.optionalUniqueID(5)
        to = try row.uniqueID(6)
        cause = try row.text(7)
        reason = try row.optionalText(8)
        undoes = try row.optionalUniqueID(9)
        createdAt = try row.instant(10)
    }
}
