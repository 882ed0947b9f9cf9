// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore

/// A transaction with what was granted for it.
package struct TransactionView: Sendable {
    package let record: TransactionRecord

    /// The studio's id of the owner, once there is one.
    package let owner: CustomerID?
    package let grant: GrantView?
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
        let grant = try record.sale.flatMap { key in
            try transaction.grant(
                SaleReference(app: record.app, environment: record.environment, key: key),
                revision: 0)
        }
        self.init(
            record: record, owner: try record.owner.flatMap { try transaction.customerID($0) },
            grant: try grant.map { try GrantView($0, in: transaction) })
    }
}
