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

private let columns: SQL = """
    submission_id, app, environment, customer_key, origin, address, received_at, evidence,
    claimed_transaction_id, claimed_product_id, transaction_id, status, reason, detail, client,
    suspect_configuration, claimed_order_id
    """

private let selectByID: SQL =
    "SELECT " + columns + " FROM submissions WHERE submission_id = $1 AND app = $2"

private let selectOfCustomer: SQL =
    "SELECT " + columns + """
         FROM submissions WHERE app = $1 AND customer_key = $2
        AND (environment = $3 OR environment IS NULL)
        AND (received_at, submission_id) > ($4, $5)
        ORDER BY received_at, submission_id LIMIT $6
        """

private let selectLatestOfCustomer: SQL =
    "SELECT " + columns + """
         FROM submissions WHERE app = $1 AND customer_key = $2
        ORDER BY received_at DESC, submission_id DESC LIMIT $3
        """

extension ReadTransaction {
    /// A submission of an app, or nil.
    package func submission(
        _ app: AppID, id: UniqueID
    ) throws(DatabaseError) -> SubmissionRecord? {
        try row(selectByID, [.value(id), .value(app)])
            .map { row throws(DatabaseError) in try SubmissionRecord(row) }
    }

    /// What a customer handed in, in the order of time, behind a moment and an id. Submissions whose
    /// environment is not known belong to each.
    package func submissions(
        _ app: AppID, _ environment: AppStoreEnvironment, by customer: UniqueID,
        after moment: Instant, _ id: UniqueID, limit: Int64
    ) throws(DatabaseError) -> [SubmissionRecord] {
        try rows(
            selectOfCustomer,
            [
                .value(app), .value(customer), .value(environment), .value(moment), .value(id),
                .value(limit),
            ]
        ).map { row throws(DatabaseError) in try SubmissionRecord(row) }
    }

    /// What a customer handed in, the newest first.
    package func latestSubmissions(
        _ app: AppID, by customer: UniqueID, limit: Int64
    ) throws(DatabaseError) -> [SubmissionRecord] {
        try rows(
            selectLatestOfCustomer, [.value(app), .value(customer), .value(limit)]
        ).map { row throws(DatabaseError) in try SubmissionRecord(row) }
    }
}

extension SubmissionRecord {
    /// Reads a row of `columns`.
    fileprivate init(_ row: Row) throws(DatabaseError) {
        self.init(
            submissionID: try row.uniqueID(0), app: try row.identifier(1),
            environment: try row.optional(2), customer: try row.optionalUniqueID(3),
            origin: try row.text(4), address: try row.text(5), receivedAt: try row.instant(6),
            evidence: try row.bytes(7), claimedTransactionID: try row.optional(8),
            claimedProductID: try row.optional(9),
            claimedOrderID: try row.optionalUniqueID(16), transactionID: try row.optional(10),
            status: try row.text(11), reason: try row.optionalText(12),
            detail: try row.optionalText(13), client: try row.text(14),
            isSuspectConfiguration: try row.boolean(15))
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
