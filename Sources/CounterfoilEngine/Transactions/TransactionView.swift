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
            guard let record = try transaction.transaction(app, environment, id) else { return nil }
            let grant = try record.sale.flatMap { key in
                try transaction.grant(
                    SaleReference(app: app, environment: environment, key: key), revision: 0)
            }
            return TransactionView(
                record: record, owner: try record.owner.flatMap { try transaction.customerID($0) },
                grant: try grant.map { try GrantView($0, in: transaction) })
        }
    }
}
