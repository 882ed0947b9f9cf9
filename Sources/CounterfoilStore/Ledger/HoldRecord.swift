// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// How a hold stands.
package enum HoldState: String, CaseIterable, Sendable {
    /// Its units are set aside.
    case open

    /// They were spent, all or a part of them.
    case posted

    /// They were given back.
    case voided

    /// They went back since nobody decided in time.
    case lapsed
}

/// A customer's units that are set aside for something that is not decided yet.
package struct HoldRecord: Hashable, Sendable {
    package let holdID: UniqueID
    package let app: AppID
    package let environment: AppStoreEnvironment
    package let customer: UniqueID
    package let unit: UnitID
    package let amount: Int64
    package var state = HoldState.open

    /// How much of it was spent.
    package var posted: Int64 = 0
    package var reason: String?
    package var reference: String?
    package let expiresAt: Instant
    package let createdAt: Instant
    package var closedAt: Instant?

    package init(
        holdID: UniqueID, app: AppID, environment: AppStoreEnvironment, customer: UniqueID,
        unit: UnitID, amount: Int64, expiresAt: Instant, createdAt: Instant
    ) {
        self.holdID = holdID
        self.app = app
        self.environment = environment
        self.customer = customer
        self.unit = unit
        self.amount = amount
        self.expiresAt = expiresAt
        self.createdAt = createdAt
    }
}

extension ReadTransaction {
    /// A hold, or nil.
    package func hold(_ id: UniqueID) throws(DatabaseError) -> HoldRecord? {
        let row = try row(
            """
            SELECT hold_id, app, environment, customer_key, unit, amount, state, posted, reason,
            reference, expires_at, created_at, closed_at FROM holds WHERE hold_id = $1
            """, [.value(id)])
        guard let row else { return nil }
        return try HoldRecord(row)
    }

    /// Open holds whose time ran out, the oldest first.
    package func lapsedHolds(
        at now: Instant, limit: Int64
    ) throws(DatabaseError) -> [HoldRecord] {
        try rows(
            """
            SELECT hold_id, app, environment, customer_key, unit, amount, state, posted, reason,
            reference, expires_at, created_at, closed_at FROM holds
            WHERE state = 'open' AND expires_at <= $1 ORDER BY expires_at, hold_id LIMIT $2
            """, [.value(now), .value(limit)]
        ).map { row throws(DatabaseError) in try HoldRecord(row) }
    }
}

extension HoldRecord {
    fileprivate init(_ row: Row) throws(DatabaseError) {
        self.init(
            holdID: try row.uniqueID(0), app: try row.identifier(1), environment: try row.get(2),
            customer: try row.uniqueID(3), unit: try row.identifier(4), amount: try row.integer(5),
            expiresAt: try row.instant(10), createdAt: try row.instant(11))
        guard let state = HoldState(rawValue: try row.text(6)) else {
            throw DatabaseError(.unexpectedValue, "a hold has an unknown state")
        }
        self.state = state
        posted = try row.integer(7)
        reason = try row.optionalText(8)
        reference = try row.optionalText(9)
        closedAt = try row.optionalInstant(12)
    }
}

// The wallet of the customer is locked.
extension WriteTransaction {
    package func insert(_ hold: HoldRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO holds (hold_id, app, environment, customer_key, unit, amount, state, posted,
            reason, reference, expires_at, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """,
            [
                .value(hold.holdID), .value(hold.app), .value(hold.environment),
                .value(hold.customer), .value(hold.unit), .value(hold.amount),
                .value(hold.state.rawValue), .value(hold.posted), .value(hold.reason),
                .value(hold.reference), .value(hold.expiresAt), .value(hold.createdAt),
            ], expecting: .one)
    }

    /// Ends an open hold.
    package func close(_ hold: HoldRecord) throws(DatabaseError) {
        try execute(
            """
            UPDATE holds SET state = $2, posted = $3, closed_at = $4
            WHERE hold_id = $1 AND state = 'open'
            """,
            [
                .value(hold.holdID), .value(hold.state.rawValue), .value(hold.posted),
                .value(hold.closedAt),
            ], expecting: .one)
    }
}
