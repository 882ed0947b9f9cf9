// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase

/// How far an event has come on its way to an endpoint.
package enum DeliveryState: String, CaseIterable, Sendable {
    /// Behind an earlier event of the same customer.
    case queued

    /// To be sent when its time comes.
    case waiting

    /// Its product is held back by a person.
    case held

    /// Under way.
    case sent

    /// The receiver has it.
    case delivered

    /// The receiver has it and does not want it.
    case rejected

    /// Not tried any more; it stays until somebody replays it.
    case dead

    /// Whether nothing happens any more unless somebody asks for it.
    package var isFinished: Bool { [.delivered, .rejected, .dead].contains(self) }
}

/// What one attempt came to.
package struct AttemptRecord: Hashable, Sendable {
    package let sentAt: Instant

    /// The status of the answer; nil without one.
    package let status: Int64?

    /// A stable name for what was wrong; nil for success.
    package let error: String?
    package let durationMilliseconds: Int64

    /// The beginning of the answer's body.
    package let reply: String?

    package init(
        sentAt: Instant, status: Int64?, error: String?, durationMilliseconds: Int64, reply: String?
    ) {
        self.sentAt = sentAt
        self.status = status
        self.error = error
        self.durationMilliseconds = durationMilliseconds
        self.reply = reply
    }
}

/// One event on its way to one endpoint.
package struct DeliveryRecord: Hashable, Sendable {
    package let endpointID: UniqueID

    /// The event's number, by which it is found.
    package let number: Int64
    package let app: AppID
    package let eventID: UniqueID
    package let environment: AppStoreEnvironment
    package let customer: UniqueID?
    package let type: String

    /// The product whose hold keeps it back.
    package let heldProduct: ProductID?
    package let state: DeliveryState
    package let isReplay: Bool

    /// How often it was tried since it began or was replayed.
    package let attempts: Int64

    /// How often it was tried at all.
    package let tries: Int64

    /// When it is to be tried, by the database's clock.
    package let nextAt: Instant
    package let createdAt: Instant
    package let finishedAt: Instant?

    /// What the last attempt came to.
    package let lastAttempt: AttemptRecord?
}

extension DeliveryRecord {
    /// The columns that ``init(_:)`` reads, in its order.
    static let columns: SQL = """
        endpoint_id, number, app, event_id, environment, customer_key, type, product_id, state,
        is_replay, attempts, tries, next_at, created_at, finished_at, sent_at, status, error,
        duration_ms, reply
        """

    init(_ row: Row) throws(DatabaseError) {
        guard let state = DeliveryState(rawValue: try row.text(8)) else {
            throw DatabaseError(.unexpectedValue, "a delivery has an unknown state")
        }
        endpointID = try row.uniqueID(0)
        number = try row.integer(1)
        app = try row.identifier(2)
        eventID = try row.uniqueID(3)
        environment = try row.get(4)
        customer = try row.optionalUniqueID(5)
        type = try row.text(6)
        heldProduct = try row.optionalIdentifier(7)
        self.state = state
        isReplay = try row.boolean(9)
        attempts = try row.integer(10)
        tries = try row.integer(11)
        nextAt = try row.instant(12)
        createdAt = try row.instant(13)
        finishedAt = try row.optionalInstant(14)
        lastAttempt = try AttemptRecord(row, from: 15)
    }
}

extension AttemptRecord {
    /// Reads `sent_at, status, error, duration_ms, reply`; nil where no attempt has ended yet.
    init?(_ row: Row, from column: Int) throws(DatabaseError) {
        guard let sentAt = try row.optionalInstant(.position(column)),
            let duration = try row.optionalInteger(.position(column + 3))
        else { return nil }
        self.init(
            sentAt: sentAt, status: try row.optionalInteger(.position(column + 1)),
            error: try row.optionalText(.position(column + 2)), durationMilliseconds: duration,
            reply: try row.optionalText(.position(column + 4)))
    }
}
