// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore

/// A conflict with the customers' ids.
package struct ConflictView: Sendable {
    package let conflict: ConflictRecord
    package let holder: CustomerID?
    package let contender: CustomerID?

    /// What does not change; numbers that grow are in the list only.
    package var data: JSONObject {
        JSONObject([
            .init(key: "conflict_id", value: .string(conflict.conflictID.description)),
            .init(
                key: "original_transaction_id",
                value: .string(conflict.originalTransactionID.rawValue)),
            .init(key: "transaction_id", value: .string(conflict.transactionID.rawValue)),
            .init(key: "product_id", value: .string(conflict.productID.rawValue)),
            .init(key: "holder_customer_id", value: .optional(holder?.rawValue)),
            .init(key: "contender_customer_id", value: .optional(contender?.rawValue)),
            .init(key: "claim", value: .string(conflict.claim)),
            .init(key: "answer", value: .string(conflict.answer)),
        ])
    }
}

extension Engine {
    /// Prepares the studio's decision to give an original to a customer.
    package func ownershipChange(
        of original: OriginalTransactionID, in environment: AppStoreEnvironment,
        to customer: CustomerID, reason: String, _ policy: AppPolicy
    ) -> OwnershipChange {
        OwnershipChange(
            policy: policy, environment: environment, original: original, customer: customer,
            reason: reason, transferID: freshID(), freshCustomerKey: freshID(), epoch: epoch,
            now: clock.now)
    }

    /// Prepares the studio's decision to take a transfer back.
    package func ownershipUndo(
        of transferID: UniqueID, reason: String, _ app: AppID
    ) -> OwnershipUndo {
        OwnershipUndo(
            app: app, transferID: transferID, reason: reason, freshID: freshID(), epoch: epoch,
            now: clock.now)
    }

    /// The transfers of an original in their order, those behind a place.
    package func ownershipTransfers(
        of original: OriginalReference, after place: Int64, limit: Int64
    ) async throws -> [OwnershipTransferView] {
        try await database.read { transaction in
            try transaction.ownershipTransfers(
                of: original, after: place, limit: min(limit, Limits.pageSize)
            ).map { try OwnershipTransferView($0, in: transaction) }
        }
    }

    /// Conflicts of an environment, the oldest first, those behind `after`.
    package func conflicts(
        of app: AppID, in environment: AppStoreEnvironment, after: ConflictPlace?, limit: Int64
    ) async throws -> [ConflictView] {
        try await database.read { transaction in
            try transaction.conflicts(
                app, environment, after: after, limit: min(limit, Limits.pageSize)
            ).map { conflict in
                ConflictView(
                    conflict: conflict, holder: try transaction.customerID(conflict.holder),
                    contender: try transaction.customerID(conflict.contender))
            }
        }
    }
}
