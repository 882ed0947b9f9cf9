// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore

/// A transfer of ownership with the customers' ids.
package struct OwnershipTransferView: Sendable {
    package let transfer: OwnershipTransferRecord

    /// nil where there was no owner before.
    package let from: CustomerID?
    package let to: CustomerID?

    init(
        _ transfer: OwnershipTransferRecord, in transaction: any ReadTransaction
    ) throws(DatabaseError) {
        self.transfer = transfer
        if let key = transfer.from {
            from = try transaction.customerID(key)
        } else {
            from = nil
        }
        to = try transaction.customerID(transfer.to)
    }

    package var json: JSONValue { .object(jsonObject) }

    /// As events and answers show it.
    var jsonObject: JSONObject {
        JSONObject([
            .init(key: "transfer_id", value: .string(transfer.transferID.description)),
            .init(key: "environment", value: .string(transfer.original.environment.rawValue)),
            .init(
                key: "original_transaction_id", value: .string(transfer.original.id.rawValue)),
            .init(key: "from_customer_id", value: .optional(from?.rawValue)),
            .init(key: "to_customer_id", value: .optional(to?.rawValue)),
            .init(key: "cause", value: .string(transfer.cause)),
            .init(key: "reason", value: .optional(transfer.reason)),
            .init(key: "undoes", value: .optional(transfer.undoes?.description)),
            .init(key: "created_at", value: .string(transfer.createdAt.rfc3339)),
        ])
    }
}
