// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase

/// Whether an endpoint is sent to.
package enum EndpointState: String, CaseIterable, Sendable {
    case enabled

    /// Nothing is sent; events stay where they are.
    case disabled

    /// Nothing is sent any more; the records of what was stay.
    case deleted
}

/// An address that events are sent to, with the settings of its owner.
package struct EndpointRecord: Hashable, Sendable {
    package let endpointID: UniqueID
    package let app: AppID
    package var url: String
    package var description: String?

    /// The types that are sent; nil for all.
    package var types: [String]?

    /// The environment whose events are sent; nil for all.
    package var environment: AppStoreEnvironment?

    /// Whether a customer's events are sent one behind the other, however long one takes.
    package var isOrdered: Bool

    /// Whether success means that goods reached the player.
    package var acknowledges: Bool

    /// How many requests are under way at once.
    package var concurrency: Int64

    /// How many requests begin in a second at most.
    package var rate: Int64?
    package var secret: String

    /// The secret that signs too, and until when.
    package var previousSecret: String?
    package var previousUntil: Instant?
    package var state: EndpointState

    /// Why it is disabled.
    package var reason: String?

    /// The number of the last event that was looked at for it.
    package let cursor: Int64

    /// Until when nothing is sent because the receiver asked for it, by the database's clock.
    package let pausedUntil: Instant?

    /// How often in a row the receiver asked to be left alone.
    package let slowdowns: Int64
    package let createdAt: Instant
    package var updatedAt: Instant

    package init(
        endpointID: UniqueID, app: AppID, url: String, description: String?, types: [String]?,
        environment: AppStoreEnvironment?, isOrdered: Bool, acknowledges: Bool, concurrency: Int64,
        rate: Int64?, secret: String, cursor: Int64, createdAt: Instant
    ) {
        self.endpointID = endpointID
        self.app = app
        self.url = url
        self.description = description
        self.types = types
        self.environment = environment
        self.isOrdered = isOrdered
        self.acknowledges = acknowledges
        self.concurrency = concurrency
        self.rate = rate
        self.secret = secret
        self.cursor = cursor
        self.createdAt = createdAt
        state = .enabled
        pausedUntil = nil
        slowdowns = 0
        updatedAt = createdAt
    }

    /// Whether events of that kind are sent to it.
    package func wants(type: String, in environment: AppStoreEnvironment) -> Bool {
        (types?.contains(type) ?? true) && (self.environment ?? environment) == environment
    }
}

extension EndpointRecord {
    /// The columns that ``init(_:)`` reads, in its order.
    static let columns: SQL = """
        endpoint_id, app, url, description, types, environment, is_ordered, acknowledges,
        concurrency, rate, secret, previous_secret, previous_until, state, reason, cursor,
        paused_until, slowdowns, created_at, updated_at
        """

    init(_ row: Row) throws(DatabaseError) {
        guard let state = EndpointState(rawValue: try row.text(13)) else {
            throw DatabaseError(.unexpectedValue, "an endpoint has an unknown state")
        }
        endpointID = try row.uniqueID(0)
        app = try row.identifier(1)
        url = try row.text(2)
        description = try row.optionalText(3)
        types = try row.optionalText(4)?.split(separator: " ").map { String($0) }
        environment = try row.optional(5)
        isOrdered = try row.boolean(6)
        acknowledges = try row.boolean(7)
        concurrency = try row.integer(8)
        rate = try row.optionalInteger(9)
        secret = try row.text(10)
        previousSecret = try row.optionalText(11)
        previousUntil = try row.optionalInstant(12)
        self.state = state
        reason = try row.optionalText(14)
        cursor = try row.integer(15)
        pausedUntil = try row.optionalInstant(16)
        slowdowns = try row.integer(17)
        createdAt = try row.instant(18)
        updatedAt = try row.instant(19)
    }
}
