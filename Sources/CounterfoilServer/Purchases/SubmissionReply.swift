// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilStore

extension SubmissionView {
    /// The answer to `GET /v1/purchases/{submission_id}`.
    var json: JSONValue {
        [
            "submission_id": .string(record.submissionID.description),
            "received_at": .string(record.receivedAt.rfc3339),
            "customer_id": .optional(customer?.rawValue),
            "status": .string(record.status),
            "reason": .optional(record.reason),
            "client": .string(record.client),
            "detail": .optional(record.detail),
            "suspect_configuration": .bool(record.isSuspectConfiguration),
            "environment": .optional(record.environment?.rawValue),
            "transaction_id": .optional(record.transactionID?.rawValue),
            "claimed_transaction_id": .optional(record.claimedTransactionID?.rawValue),
            "claimed_product_id": .optional(record.claimedProductID?.rawValue),
            "claimed_order_id": .optional(record.claimedOrderID?.description),
            "evidence_sha256": .string(Hexadecimal.text(of: record.evidence)),
        ]
    }
}
