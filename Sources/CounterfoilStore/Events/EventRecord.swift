// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// One published change.
package struct EventRecord: Hashable, Sendable {
    package let eventID: UniqueID
    package let app: AppID
    package let environment: AppStoreEnvironment

    /// nil for the stream of the app itself, which has no sequence.
    package let customer: UniqueID?
    package let epoch: UniqueID
    package let sequence: Int64?
    package let type: String

    /// The event's data as JSON.
    package let body: String
    package let createdAt: Instant

    package init(
        eventID: UniqueID, app: AppID, environment: AppStoreEnvironment, customer: UniqueID?,
        epoch: UniqueID, sequence: Int64?, type: String, body: String, createdAt: Instant
    ) {
        self.eventID = eventID
        self.app = app
        self.environment = environment
        self.customer = customer
        self.epoch = epoch
        self.sequence = sequence
        self.type = type
        self.body = body
        self.createdAt = createdAt
    }
}

extension ReadTransaction {
    /// Published events of an app behind a number, in its order.
    package func events(
        _ app: AppID, after number: Int64, limit: Int64
    ) throws(DatabaseError) -> [(number: Int64, event: EventRecord)] {
        try rows(
            """
            SELECT number, event_id, environment, customer_key, epoch, sequence, type, body,
            created_at FROM events WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3
            """,
            [.value(app), .value(number), .value(limit)]
        ).map { row throws(DatabaseError) in
            let event = EventRecord(
                eventID: try row.uniqueID(1), app: app, environment: try row.get(2),
                customer: try row.optionalUniqueID(3), epoch: try row.uniqueID(4),
                sequence: try row.optionalInteger(5), type: try row.text(6),
                body: try row.text(7), createdAt: try row.instant(8))
            return (try row.integer(0), event)
        }
    }
}

extension EventRecord {
    /// A page of a customer's events; a test looks at how the database finds them.
    package static let selectOfCustomer: SQL = """
        SELECT event_id, epoch, sequence, type, body, created_at FROM events
        WHERE app = $1 AND environment = $2 AND customer_key = $3
        AND (created_at, event_id) > ($4, $5)
        ORDER BY created_at, event_id LIMIT $6
        """
}

extension ReadTransaction {
    /// What was published about a customer, in the order of time, behind a moment and an id.
    package func events(
        _ app: AppID, _ environment: AppStoreEnvironment, of customer: UniqueID,
        after moment: Instant, _ id: UniqueID, limit: Int64
    ) throws(DatabaseError) -> [EventRecord] {
        try rows(
            EventRecord.selectOfCustomer,
            [
                .value(app), .value(environment), .value(customer), .value(moment), .value(id),
                .value(limit),
            ]
        ).map { row throws(DatabaseError) in
            EventRecord(
                eventID: try row.uniqueID(0), app: app, environment: environment,
                customer: customer, epoch: try row.uniqueID(1),
                sequence: try row.optionalInteger(2), type: try row.text(3),
                body: try row.text(4), createdAt: try row.instant(5))
        }
    }
}

extension ReadTransaction {
    /// The number of an app's newest event that readers can see; 0 before the first.
    package func newestEventNumber(_ app: AppID) throws(DatabaseError) -> Int64 {
        try row("SELECT MAX(number) FROM events WHERE app = $1", [.value(app)])?
            .optionalInteger(0) ?? 0
    }

    package func hasEvent(_ id: UniqueID) throws(DatabaseError) -> Bool {
        try row("SELECT 1 FROM events WHERE event_id = $1", [.value(id)]) != nil
    }

    /// Which of its customer's events it is; nil if there is none, or it has no customer.
    package func sequence(ofEvent id: UniqueID) throws(DatabaseError) -> Int64? {
        try row("SELECT sequence FROM events WHERE event_id = $1", [.value(id)])?
            .optionalInteger(0)
    }
}

/// With the app's next number, which is right where commits come in the order of their transactions.
private let insertNumbered: SQL = """
    INSERT INTO events
    (event_id, app, environment, customer_key, epoch, sequence, number, type, body, created_at)
    VALUES ($1, $2, $3, $4, $5, $6,
    (SELECT COALESCE(MAX(number), 0) + 1 FROM events WHERE app = $2), $7, $8, $9)
    """

private let insertUnnumbered: SQL = """
    INSERT INTO events
    (event_id, app, environment, customer_key, epoch, sequence, number, type, body, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, NULL, $7, $8, $9)
    """

extension WriteTransaction {
    /// Publishes the event.
    ///
    /// Where several transactions write at the same time, readers see it once it was numbered after
    /// the commit (``numberEvents(_:limit:)``): one with a smaller number might be committed later.
    package func publish(_ event: EventRecord) throws(DatabaseError) {
        try execute(
            hasSingleWriter ? insertNumbered : insertUnnumbered,
            [
                .value(event.eventID), .value(event.app), .value(event.environment),
                .value(event.customer), .value(event.epoch), .value(event.sequence),
                .value(event.type), .value(event.body), .value(event.createdAt),
            ], expecting: .one)
    }
}
