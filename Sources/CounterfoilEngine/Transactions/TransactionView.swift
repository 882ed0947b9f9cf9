// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore

/// A transaction with what was granted for it.
package struct TransactionView: Sendable {
    package let record: TransactionRecord

    /// The studio's id of the owner, once there is one.
    package let owner: CustomerID?

    /// By what that is known.
    package let ownerSource: String?

    /// As what it was sold; nil before there is a sale.
    package let saleType: SaleType?
    package let grant: GrantView?

    /// Whether it is a non-consumable that was bought anew after a refund.
    package let isBoughtAgain: Bool

    /// What refunds and their reversals changed, oldest first.
    package let changes: [GrantChange]

    /// What became of the units that the sale gave, as far as they are in wallets of ours.
    package let lots: [LotUsage]
}

/// One later revision of a sale's grant.
package struct GrantChange: Sendable {
    package let grant: GrantView
    package let refund: RefundRecord
}

/// How much of a lot was used.
package struct LotUsage: Hashable, Sendable {
    package let unit: UnitID
    package let kind: AccountKind

    /// What the sale gave.
    package let amount: Int64

    /// What is left of it, wherever merges have brought it.
    package let remaining: Int64

    /// What refunds took of it.
    package let refunded: Int64

    /// What the customer used, or holds for something that is not decided yet.
    package var consumed: Int64 { amount - remaining - refunded }
}

extension Engine {
    /// Reads a transaction; nil if no proof of it was ever stored in this environment.
    package func transaction(
        _ id: TransactionID, of app: AppID, in environment: AppStoreEnvironment
    ) async throws -> TransactionView? {
        try await database.read { transaction in
            try transaction.transaction(app, environment, id)
                .map { try TransactionView($0, in: transaction) }
        }
    }

    /// Parked transactions in the order of their ids, those behind `after`.
    package func parkedTransactions(
        of app: AppID, in environment: AppStoreEnvironment, after: TransactionID?, limit: Int64
    ) async throws -> [TransactionView] {
        try await database.read { transaction in
            try transaction.parkedTransactions(
                app, environment, after: after?.rawValue ?? "", limit: min(limit, Limits.pageSize)
            ).map { try TransactionView($0, in: transaction) }
        }
    }
}

extension TransactionView {
    fileprivate init(_ record: TransactionRecord, in transaction: any ReadTransaction) throws {
        let reference = record.sale.map {
            SaleReference(app: record.app, environment: record.environment, key: $0)
        }
        let sale = try reference.flatMap { try transaction.sale($0) }
        let grant = try reference.flatMap { try transaction.grant($0, revision: 0) }
        let transfer = try transaction.lastOwnershipTransfer(of: record.original)
        let owner = transfer?.to ?? record.owner
        self.init(
            record: record, owner: try owner.flatMap { try transaction.currentCustomerID($0) },
            ownerSource: transfer == nil ? record.ownerSource : "transfer",
            saleType: sale.flatMap { SaleType(rawValue: $0.type) },
            grant: try grant.map { try GrantView($0, in: transaction) },
            isBoughtAgain: record.sale?.hasPrefix(SaleKey.originalPrefix) ?? false
                ? try transaction.family(of: record, .known(.nonConsumable)).isBoughtAgain : false,
            changes: try grant.map { try Self.changes(of: $0.sale, in: transaction) } ?? [],
            lots: try grant.map { try Self.lots(of: $0, in: transaction) } ?? [])
    }

    private static func changes(
        of sale: SaleReference, in transaction: any ReadTransaction
    ) throws -> [GrantChange] {
        let refunds = try transaction.refunds(of: sale)
        guard !refunds.isEmpty else { return [] }
        let grants = try transaction.laterGrants(of: sale)
        return try zip(grants, refunds).map { grant, refund in
            GrantChange(grant: try GrantView(grant, in: transaction), refund: refund)
        }
    }

    private static func lots(
        of grant: GrantRecord, in transaction: any ReadTransaction
    ) throws -> [LotUsage] {
        guard let customer = grant.customer, let goods = grant.frozenGoods else { return [] }
        let given = GrantTransfers.of(goods, sale: grant.sale, to: customer, at: grant.createdAt)
        return try given.compactMap { transfer in
            guard let lot = try transaction.lot(transfer.transferID, of: transfer.to) else {
                return nil
            }
            let fate = try LotFate(of: lot, grant.sale, in: transaction)
            return LotUsage(
                unit: transfer.unit, kind: transfer.to.kind, amount: lot.amount,
                remaining: fate.remaining, refunded: fate.refunded + fate.refundedElsewhere)
        }
    }
}
