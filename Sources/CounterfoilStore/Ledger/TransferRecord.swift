// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// Why units moved.
package enum TransferKind: String, CaseIterable, Sendable {
    /// The goods of a sale.
    case grant

    /// Given by hand, with a reason.
    case credit

    case spend

    /// Set aside for something that is not decided yet.
    case reserve

    /// What was set aside is spent.
    case post

    /// What was set aside goes back.
    case void

    /// Goods of a refunded sale; what is no longer there becomes debt.
    case refund

    /// A refund that was taken back.
    case reversal

    case debtPayment = "debt_payment"
    case writeOff = "write_off"
    case expiry

    /// From a customer to the one that they are now.
    case merge

    /// A merge that was taken back.
    case mergeUndone = "merge_undone"
}

/// One movement of a unit.
package struct TransferRecord: Hashable, Sendable {
    package let transferID: UniqueID
    package let from: AccountRecord
    package let to: AccountRecord
    package let amount: Int64
    package let kind: TransferKind

    /// The sale whose goods move, and the revision of its grants that moves them.
    package let sale: SaleReference?
    package let revision: Int64?

    /// What a sale does not stand for: one spend, one hold. Its transfers share the id.
    package var operationID: UniqueID?

    /// The word of whoever asked for it, for people.
    package var reason: String?

    /// A name that whoever asked for it knows it by.
    package var reference: String?

    /// The transfer that this one undoes.
    package var corrects: UniqueID?
    package let createdAt: Instant

    /// The same for both accounts.
    package var unit: UnitID { from.unit }

    package init(
        transferID: UniqueID, from: AccountRecord, to: AccountRecord, amount: Int64,
        kind: TransferKind, sale: SaleReference? = nil, revision: Int64? = nil, createdAt: Instant
    ) {
        precondition(amount > 0, "a transfer moves something")
        precondition(from.unit == to.unit, "a transfer keeps its unit")
        precondition(from.accountID != to.accountID, "a transfer has two sides")
        precondition((sale == nil) == (revision == nil), "a sale moves goods by its revisions")
        self.transferID = transferID
        self.from = from
        self.to = to
        self.amount = amount
        self.kind = kind
        self.sale = sale
        self.revision = revision
        self.createdAt = createdAt
    }
}

extension WriteTransaction {
    /// Books the transfer: the movement, its two entries, and the balance of a customer's account. Lots
    /// are the caller's.
    ///
    /// The wallets concerned are locked. A transfer whose id exists is an error: it would move the
    /// same goods twice.
    ///
    /// - Parameter opening: Those of its accounts that may not be there yet.
    package func post(
        _ transfer: TransferRecord, opening: [AccountRecord]
    ) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO transfers
            (transfer_id, app, environment, unit, amount, kind, sale, revision, created_at,
            operation_id, reason, reference, corrects)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """,
            [
                .value(transfer.transferID), .value(transfer.from.app),
                .value(transfer.from.environment), .value(transfer.from.unit),
                .value(transfer.amount), .value(transfer.kind.rawValue),
                .value(transfer.sale?.key), .value(transfer.revision), .value(transfer.createdAt),
                .value(transfer.operationID), .value(transfer.reason), .value(transfer.reference),
                .value(transfer.corrects),
            ], expecting: .one)
        for account in opening { try open(account) }
        try enter(-transfer.amount, on: transfer.from, of: transfer)
        try enter(transfer.amount, on: transfer.to, of: transfer)
    }

    /// Entries of customers carry their time, by which a statement is read; the system's are too many.
    private func enter(
        _ amount: Int64, on account: AccountRecord, of transfer: TransferRecord
    ) throws(DatabaseError) {
        let isCustomers = account.kind.isCustomers
        try execute(
            """
            INSERT INTO entries (account_id, transfer_id, amount, created_at)
            VALUES ($1, $2, $3, $4)
            """,
            [
                .value(account.accountID), .value(transfer.transferID), .value(amount),
                isCustomers ? .value(transfer.createdAt) : .null,
            ], expecting: .one)
        if isCustomers { try change(account, by: amount) }
    }
}

extension ReadTransaction {
    /// A transfer with its two accounts; nil if there is none.
    package func transfer(_ id: UniqueID) throws(DatabaseError) -> TransferRecord? {
        let rows = try rows(
            """
            SELECT t.app, t.environment, t.unit, t.kind, t.sale, t.revision, t.operation_id,
            t.reason, t.reference, t.corrects, t.created_at,
            a.account_id, a.customer_key, a.kind, e.amount
            FROM transfers t JOIN entries e ON e.transfer_id = t.transfer_id
            JOIN accounts a ON a.account_id = e.account_id
            WHERE t.transfer_id = $1 ORDER BY e.amount
            """, [.value(id)])
        guard let from = rows.first, let to = rows.last, rows.count == 2 else { return nil }
        guard let kind = TransferKind(rawValue: try from.text(3)) else {
            throw DatabaseError(.unexpectedValue, "a transfer has an unknown kind")
        }
        let sale = try from.optionalText(4).map { key throws(DatabaseError) in
            SaleReference(app: try from.identifier(0), environment: try from.get(1), key: key)
        }
        var transfer = TransferRecord(
            transferID: id, from: try AccountRecord(besideTransfer: from),
            to: try AccountRecord(besideTransfer: to), amount: try to.integer(14), kind: kind,
            sale: sale, revision: try from.optionalInteger(5), createdAt: try from.instant(10))
        transfer.operationID = try from.optionalUniqueID(6)
        transfer.reason = try from.optionalText(7)
        transfer.reference = try from.optionalText(8)
        transfer.corrects = try from.optionalUniqueID(9)
        return transfer
    }
}

extension AccountRecord {
    /// Reads the account of one entry.
    fileprivate init(besideTransfer row: Row) throws(DatabaseError) {
        self.init(
            accountID: try row.uniqueID(11), app: try row.identifier(0),
            environment: try row.get(1), customer: try row.optionalUniqueID(12),
            unit: try row.identifier(2), kind: try AccountKind(row, 13))
    }
}
