// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// What a merge made of a lot of the merged customer's.
struct BroughtLot {
    /// At the target.
    let lot: LotRecord

    /// At the merged customer.
    let source: LotRecord

    /// The sale whose goods it is, or that a credit made smaller.
    let sale: SaleReference?

    /// How much of it ran out, and how much refunds of its sale took, also where later merges had brought
    /// it.
    let fate: LotFate

    /// How much of it was given back before.
    let returned: Int64

    /// Whether it is a credit that has made a purchase smaller since; that came to the target.
    let isSettled: Bool

    /// How much of it was used for something else.
    var spent: Int64 {
        max(0, lot.amount - fate.expired - fate.refunded - lot.remaining - returned)
    }

    /// - Parameter move: The merge's transfer that made it.
    init(
        _ move: UniqueID, from sourceID: UniqueID, by merge: MergeRecord,
        in transaction: any ReadTransaction
    ) throws {
        guard let transfer = try transaction.transfer(move) else {
            throw LedgerError.noSuchTransfer
        }
        let isDebt = transfer.to.kind == .debt
        let (own, theirs) =
            isDebt ? (transfer.to, transfer.from) : (transfer.from, transfer.to)
        guard let lot = try transaction.lot(move, of: theirs),
            let source = try transaction.lot(sourceID, of: own)
        else { throw LedgerError.lotsMissing }
        self.lot = lot
        self.source = source
        sale = try transaction.sale(of: lot)
        fate = try LotFate(of: lot, sale, in: transaction)
        returned = try transaction.lotUses(of: sourceID).filter { $0.corrects == move }
            .reduce(0) { $0 - $1.use.amount }
        isSettled = try transaction.isCredit(lot, settledSince: merge)
    }
}

/// What became of a lot, and of what merges made of it, beside being used.
struct LotFate: Hashable {
    private(set) var remaining: Int64
    private(set) var expired: Int64 = 0

    /// What refunds of its own sale took.
    private(set) var refunded: Int64 = 0

    /// What refunds of other sales took.
    private(set) var refundedElsewhere: Int64 = 0

    init(
        of lot: LotRecord, _ sale: SaleReference?, in transaction: any ReadTransaction
    ) throws {
        remaining = lot.remaining
        let uses = try transaction.lotUses(of: lot.lotID)
        var refunds: [UniqueID: Bool] = [:]
        for (use, kind, _) in uses where kind == TransferKind.refund.rawValue {
            refunds[use.transferID] = try transaction.transfer(use.transferID)?.sale == sale
        }
        for (use, kind, corrects) in uses {
            // What undoes a refund counts with it; what undoes the payment of a debt does not.
            if let isOwn = refunds[use.transferID] ?? corrects.flatMap({ refunds[$0] }) {
                if isOwn { refunded += use.amount } else { refundedElsewhere += use.amount }
            } else if kind == TransferKind.expiry.rawValue {
                expired += use.amount
            } else if kind == TransferKind.merge.rawValue, use.amount > 0 {
                add(try LotFate(of: try transaction.lot(movedBy: use), sale, in: transaction))
            }
        }
    }

    private mutating func add(_ other: LotFate) {
        remaining += other.remaining
        expired += other.expired
        refunded += other.refunded
        refundedElsewhere += other.refundedElsewhere
    }
}

extension ReadTransaction {
    /// The sale whose goods a lot is, or that it made smaller as a credit; nil for neither.
    func sale(of lot: LotRecord) throws(DatabaseError) -> SaleReference? {
        guard var key = lot.sale else { return nil }
        if let id = CreditRecord.id(ofLotKey: key) {
            guard let sale = try credit(id)?.sale else { return nil }
            key = sale
        }
        return SaleReference(
            app: lot.account.app, environment: lot.account.environment, key: key)
    }

    /// What a merge made of a lot.
    func lot(movedBy use: LotUse) throws -> LotRecord {
        guard let transfer = try transfer(use.transferID) else {
            throw LedgerError.noSuchTransfer
        }
        let account = transfer.from.accountID == use.accountID ? transfer.to : transfer.from
        guard let lot = try lot(use.transferID, of: account) else {
            throw LedgerError.lotsMissing
        }
        return lot
    }
}
