// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilStore

extension GrantView {
    /// A grant in an answer.
    var json: JSONValue {
        [
            "grant_id": .string(grant.grantID.description),
            "revision": .integer(grant.revision),
            "environment": .string(grant.sale.environment.rawValue),
            "customer_id": .optional(customer?.rawValue),
            "transaction_id": .string(grant.transactionID.rawValue),
            "product_id": .string(grant.productID.rawValue),
            "quantity": .integer(grant.quantity),
            "state": .string(grant.state.rawValue),
            "reason": .optional(grant.parkedReason),
            "note": .optional(grant.note),
            "goods": goods,
            "order": order,
            "created_at": .string(grant.createdAt.rfc3339),
            "updated_at": .string(grant.updatedAt.rfc3339),
        ]
    }
}
