// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// Units that came to a customer together, and what is left of them.
package struct LotRecord: Hashable, Sendable {
    /// The id of the transfer that brought them.
    package let lotID: UniqueID
    package let account: AccountRecord

    /// The key of the sale that they were bought with.
    package var sale: String?
    package let amount: Int64
    package var remaining: Int64

    /// What was paid for all of the lot, where it is known.
    package var price: Money?

    /// When what is left runs out; of a bonus only.
    package var expiresAt: Instant?

    /// Of a debt that a refund made: how many events the customer had before it, which says what came
    /// first, whatever clocks said; nil where a merge brought it, and in rows of older versions.
    package var sequence: Int64?

    /// Since when they are there, also where a merge has brought them elsewhere since.
    package var createdAt: Instant

    /// What a transfer brings to its second account, or takes on as a debt on its first.
    package init(_ transfer: TransferRecord, on account: AccountRecord) {
        precondition(account.kind.hasLots, "the account keeps no lots")
        lotID = transfer.transferID
        self.account = account
        sale = transfer.sale?.key
        amount = transfer.amount
        remaining = transfer.amount
        createdAt = transfer.createdAt
    }

    /// Reads the columns of the table, in their order but for whether it is open and the last.
    init(_ row: Row, of account: AccountRecord) throws(DatabaseError) {
        lotID = try row.uniqueID(1)
        self.account = account
        sale = try row.optionalText(2)
        amount = try row.integer(3)
        remaining = try row.integer(4)
        if let price = try row.optionalInteger(5), let currency = try row.optionalText(6) {
            self.price = Money(amountMilli: price, currency: currency)
        }
        expiresAt = try row.optionalInstant(7)
        createdAt = try row.instant(8)
    }
}

/// How much of a lot a transfer took, or gave back (negative).
package struct LotUse: Hashable, Sendable {
    package let transferID: UniqueID
    package let lotID: UniqueID
    package let accountID: UniqueID
    package let amount: Int64
}

extension ReadTransaction {
    /// The open lots of the account behind `after`, by id, which says nothing of their age.
    package func openLots(
        of account: AccountRecord, after: UniqueID?, limit: Int64
    ) throws(DatabaseError) -> [LotRecord] {
        try rows(
            """
            SELECT account_id, lot_id, sale, amount, remaining, price_milli, currency,
            expires_at, created_at FROM lots
            WHERE account_id = $1 AND is_open = 1 AND lot_id > $2 ORDER BY lot_id LIMIT $3
            """,
            [.value(account.accountID), .bytes(after?.bytes ?? []), .value(limit)]
        ).map { row throws(DatabaseError) in try LotRecord(row, of: account) }
    }

    /// The open lots of the account that came with a sale.
    package func openLots(
        of account: AccountRecord, sale: String
    ) throws(DatabaseError) -> [LotRecord] {
        try rows(
            """
            SELECT account_id, lot_id, sale, amount, remaining, price_milli, currency,
            expires_at, created_at FROM lots
            WHERE account_id = $1 AND is_open = 1 AND sale = $2 ORDER BY lot_id
            """, [.value(account.accountID), .value(sale)]
        ).map { row throws(DatabaseError) in try LotRecord(row, of: account) }
    }

    /// The open lots of the account that ran out.
    package func expiredLots(
        of account: AccountRecord, at now: Instant, limit: Int64
    ) throws(DatabaseError) -> [LotRecord] {
        try rows(
            """
            SELECT account_id, lot_id, sale, amount, remaining, price_milli, currency,
            expires_at, created_at FROM lots
            WHERE account_id = $1 AND is_open = 1 AND expires_at <= $2
            ORDER BY expires_at, lot_id LIMIT $3
            """,
            [.value(account.accountID), .value(now), .value(limit)]
        ).map { row throws(DatabaseError) in try LotRecord(row, of: account) }
    }

    /// One lot, open or not.
    package func lot(
        _ id: UniqueID, of account: AccountRecord
    ) throws(DatabaseError) -> LotRecord? {
        let row = try row(
            """
            SELECT account_id, lot_id, sale, amount, remaining, price_milli, currency,
            expires_at, created_at FROM lots
            WHERE account_id = $1 AND is_open IN (0, 1) AND lot_id = $2
            """, [.value(account.accountID), .value(id)])
        guard let row else { return nil }
        return try LotRecord(row, of: account)
    }

    /// From which lots a transfer took, and into which it gave back.
    package func lotUses(by transferID: UniqueID) throws(DatabaseError) -> [LotUse] {
        try rows(
            """
            SELECT transfer_id, lot_id, account_id, amount FROM lot_uses
            WHERE transfer_id = $1 ORDER BY lot_id
            """, [.value(transferID)]
        ).map { row throws(DatabaseError) in try LotUse(row) }
    }

    /// What took from a lot or gave back into it, with the kind of each transfer and the one that it
    /// undoes.
    package func lotUses(
        of lotID: UniqueID
    ) throws(DatabaseError) -> [(use: LotUse, kind: String, corrects: UniqueID?)] {
        try rows(
            """
            SELECT u.transfer_id, u.lot_id, u.account_id, u.amount, t.kind, t.corrects
            FROM lot_uses u JOIN transfers t ON t.transfer_id = u.transfer_id
            WHERE u.lot_id = $1 ORDER BY t.created_at, u.transfer_id
            """, [.value(lotID)]
        ).map { row throws(DatabaseError) in
            (try LotUse(row), try row.text(4), try row.optionalUniqueID(5))
        }
    }
}

extension LotUse {
    fileprivate init(_ row: Row) throws(DatabaseError) {
        transferID = try row.uniqueID(0)
        lotID = try row.uniqueID(1)
        accountID = try row.uniqueID(2)
        amount = try row.integer(3)
    }
}

// A lot changes with the transfer that moves its units; the wallet is locked.
extension WriteTransaction {
    package func add(_ lot: LotRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO lots (account_id, is_open, lot_id, sale, amount, remaining, price_milli,
            currency, expires_at, created_at, sequence)
            VALUES ($1, 1, $2, $3, $4, $4, $5, $6, $7, $8, $9)
            """,
            [
                .value(lot.account.accountID), .value(lot.lotID), .value(lot.sale),
                .value(lot.amount), .value(lot.price?.amountMilli), .value(lot.price?.currency),
                .value(lot.expiresAt), .value(lot.createdAt), .value(lot.sequence),
            ], expecting: .one)
    }

    /// Takes an amount from a lot, or gives it back (negative); more than is in it, or than belongs into
    /// it, is an error.
    package func take(
        _ amount: Int64, fromLot lotID: UniqueID, of accountID: UniqueID, by transferID: UniqueID
    ) throws(DatabaseError) {
        try execute(
            """
            UPDATE lots SET remaining = remaining - $3,
            is_open = CASE WHEN remaining = $3 THEN 0 ELSE 1 END
            WHERE account_id = $1 AND is_open IN (0, 1) AND lot_id = $2
            """,
            [.value(accountID), .value(lotID), .value(amount)], expecting: .one)
        try execute(
            """
            INSERT INTO lot_uses (transfer_id, lot_id, account_id, amount)
            VALUES ($1, $2, $3, $4)
            """,
            [.value(transferID), .value(lotID), .value(accountID), .value(amount)],
            expecting: .one)
    }

    /// Writes what was paid for a lot, where it was not known when the lot was made.
    package func setPrice(
        _ price: Money?, ofLot lotID: UniqueID, of account: AccountRecord
    ) throws(DatabaseError) {
        try execute(
            """
            UPDATE lots SET price_milli = $3, currency = $4
            WHERE account_id = $1 AND is_open IN (0, 1) AND lot_id = $2
            """,
            [
                .value(account.accountID), .value(lotID), .value(price?.amountMilli),
                .value(price?.currency),
            ], expecting: .one)
    }
}
