// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// A notification of Apple's, once for all of its copies.
package struct NotificationRecord: Hashable, Sendable {
    package let app: AppID

    /// Apple's `notificationUUID`, the same in every copy.
    package let uuid: String
    package let environment: AppStoreEnvironment?
    package let type: String
    package let subtype: String?
    package let transactionID: TransactionID?

    /// When Apple signed the copy that came last, and which evidence that is.
    package let signedAt: Instant
    package let evidence: [UInt8]

    /// What became of that copy.
    package let status: String
    package let reason: String?
    package let receivedAt: Instant

    /// How many copies came.
    package private(set) var copies: Int64 = 1

    package init(
        app: AppID, uuid: String, environment: AppStoreEnvironment?, type: String,
        subtype: String?, transactionID: TransactionID?, signedAt: Instant, evidence: [UInt8],
        status: String, reason: String?, receivedAt: Instant
    ) {
        self.app = app
        self.uuid = uuid
        self.environment = environment
        self.type = type
        self.subtype = subtype
        self.transactionID = transactionID
        self.signedAt = signedAt
        self.evidence = evidence
        self.status = status
        self.reason = reason
        self.receivedAt = receivedAt
    }
}

/// Where a notification stands in the list of an app's.
package struct NotificationPlace: Hashable, Sendable {
    package let receivedAt: Instant
    package let uuid: String

    package init(receivedAt: Instant, uuid: String) {
        self.receivedAt = receivedAt
        self.uuid = uuid
    }
}

extension NotificationRecord {
    package var place: NotificationPlace {
        NotificationPlace(receivedAt: receivedAt, uuid: uuid)
    }

    fileprivate var values: [DatabaseValue] {
        [
            .value(app), .value(uuid), .value(environment), .value(type), .value(subtype),
            .value(transactionID), .value(signedAt), .value(evidence), .value(status),
            .value(reason), .value(receivedAt),
        ]
    }

    fileprivate init(_ row: Row) throws(DatabaseError) {
        app = try row.identifier(0)
        uuid = try row.text(1)
        environment = try row.optional(2)
        type = try row.text(3)
        subtype = try row.optionalText(4)
        transactionID = try row.optionalIdentifier(5)
        signedAt = try row.instant(6)
        evidence = try row.bytes(7)
        status = try row.text(8)
        reason = try row.optionalText(9)
        receivedAt = try row.instant(10)
        copies = try row.integer(11)
    }
}

extension ReadTransaction {
    /// The notifications of an app, the one that came last first, those behind `after`.
    package func notifications(
        _ app: AppID, after: NotificationPlace?, limit: Int64
    ) throws(DatabaseError) -> [NotificationRecord] {
        // Behind every moment that can be.
        let (moment, uuid) = (
            after?.receivedAt ?? Instant(millisecondsSinceEpoch: .max), after?.uuid ?? ""
        )
        return try rows(
            """
            SELECT app, uuid, environment, type, subtype, transaction_id, signed_at, evidence,
            status, reason, received_at, copies FROM notifications
            WHERE app = $1 AND (received_at, uuid) < ($2, $3)
            ORDER BY received_at DESC, uuid DESC LIMIT $4
            """, [.value(app), .value(moment), .value(uuid), .value(limit)]
        ).map { row throws(DatabaseError) in try NotificationRecord(row) }
    }
}

extension WriteTransaction {
    /// Keeps a notification, or counts one more copy of it.
    package func keep(_ notification: NotificationRecord) throws(DatabaseError) {
        let isNew = try change(
            """
            INSERT INTO notifications (app, uuid, environment, type, subtype, transaction_id,
            signed_at, evidence, status, reason, received_at, copies)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1)
            ON CONFLICT (app, uuid) DO NOTHING
            """, notification.values)
        guard isNew == 0 else { return }
        try execute(
            """
            UPDATE notifications SET signed_at = $3, evidence = $4, status = $5, reason = $6,
            received_at = $7, copies = copies + 1 WHERE app = $1 AND uuid = $2
            """,
            [
                .value(notification.app), .value(notification.uuid),
                .value(notification.signedAt), .value(notification.evidence),
                .value(notification.status), .value(notification.reason),
                .value(notification.receivedAt),
            ])
    }
}
