// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// One act of handing in evidence, and what became of it.
package struct SubmissionRecord: Sendable {
    package var submissionID: UniqueID
    package var app: AppID
    package var environment: AppStoreEnvironment?
    package var customer: UniqueID?

    /// The way it came: `api`, later also `notification`, `import` and others.
    package var origin: String
    package var address: String
    package var receivedAt: Instant
    package var evidence: [UInt8]
    package var claimedTransactionID: TransactionID?
    package var claimedProductID: ProductID?

    /// The order that the client named, whether or not there is one.
    package var claimedOrderID: UniqueID?

    /// The transaction that the outcome is about.
    package var transactionID: TransactionID?
    package var status: String
    package var reason: String?

    /// For people: what the check expected and found.
    package var detail: String?
    package var client: String
    package var isSuspectConfiguration: Bool

    package init(
        submissionID: UniqueID, app: AppID, environment: AppStoreEnvironment?, customer: UniqueID?,
        origin: String, address: String, receivedAt: Instant, evidence: [UInt8],
        claimedTransactionID: TransactionID?, claimedProductID: ProductID?,
        claimedOrderID: UniqueID? = nil, transactionID: TransactionID?, status: String,
        reason: String?, detail: String?,
        client: String, isSuspectConfiguration: Bool
    ) {
        self.submissionID = submissionID
        self.app = app
        self.environment = environment
        self.customer = customer
        self.origin = origin
        self.address = address
        self.receivedAt = receivedAt
        self.evidence = evidence
        self.claimedTransactionID = claimedTransactionID
        self.claimedProductID = claimedProductID
        self.claimedOrderID = claimedOrderID
        self.transactionID = transactionID
        self.status = status
        self.reason = reason
        self.detail = detail
        self.client = client
        self.isSuspectConfiguration = isSuspectConfiguration
    }
}

extension ReadTransaction {
    /// A submission of an app, or nil.
    package func submission(
        _ app: AppID, id: UniqueID
    ) throws(DatabaseError) -> SubmissionRecord? {
        let row = try row(
            """
            SELECT environment, customer_key, origin, address, received_at, evidence,
            claimed_transaction_id, claimed_product_id, transaction_id, status, reason, detail,
            client, suspect_configuration, claimed_order_id FROM submissions WHERE submission_id = $1 AND app = $2
            """, [.value(id), .value(app)])
        guard let row else { return nil }
        return SubmissionRecord(
            submissionID: id, app: app, environment: try row.optional(0),
            customer: try row.optionalUniqueID(1), origin: try row.text(2),
            address: try row.text(3), receivedAt: try row.instant(4),
            evidence: try row.bytes(5), claimedTransactionID: try row.optional(6),
            claimedProductID: try row.optional(7),
            claimedOrderID: try row.optionalUniqueID(14), transactionID: try row.optional(8),
            status: try row.text(9), reason: try row.optionalText(10),
            detail: try row.optionalText(11), client: try row.text(12),
            isSuspectConfiguration: try row.boolean(13))
    }
}

extension WriteTransaction {
    /// Records a submission; its id is fresh, so a second row with it is a defect.
    package func insert(_ submission: SubmissionRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO submissions
            (submission_id, app, environment, customer_key, origin, address, received_at, evidence,
            claimed_transaction_id, claimed_product_id, transaction_id, status, reason, detail,
            client, suspect_configuration, claimed_order_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
            """,
            [
                .value(submission.submissionID), .value(submission.app),
                .value(submission.environment), .value(submission.customer),
                .value(submission.origin), .value(submission.address),
                .value(submission.receivedAt), .value(submission.evidence),
                .value(submission.claimedTransactionID), .value(submission.claimedProductID),
                .value(submission.transactionID), .value(submission.status),
                .value(submission.reason), .value(submission.detail), .value(submission.client),
                .value(submission.isSuspectConfiguration), .value(submission.claimedOrderID),
            ], expecting: .one)
    }
}
