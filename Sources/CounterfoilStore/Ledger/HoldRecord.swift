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
    package var customer: UniqueID
    package let unit: UnitID
    package let amount: Int64

    /// The operation whose transfers set the units aside: the hold itself, unless it came from another
    /// customer.
    package var reservedBy: UniqueID
    package var state = HoldState.open

    /// How much of it was spent.
    package var posted: Int64 = 0
    package var reason: String?
    package var reference: String?
    package let expiresAt: Instant
    package let createdAt: Instant

    /// How many events the customer had before it, as long as it is that customer's; nil in rows of older
    /// versions.
    package var sequence: Int64?
    package var closedAt: Instant?

    package init(
        holdID: UniqueID, app: AppID, environment: AppStoreEnvironment, customer: UniqueID,
        unit: UnitID, amount: Int64, expiresAt: Instant, createdAt: Instant
    ) {
        self.holdID = holdID
        reservedBy = holdID
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
            reference, expires_at, created_at, closed_at, reserved_by, sequence FROM holds WHERE hold_id = $1
            """, [.value(id)])
        guard let row else { return nil }
        return try HoldRecord(row)
    }

    /// Open holds whose time ran out, the oldest first, behind `after`.
    package func lapsedHolds(
        at now: Instant, after: LapsePlace?, limit: Int64
    ) throws(DatabaseError) -> [HoldRecord] {
        try rows(
            """
            SELECT hold_id, app, environment, customer_key, unit, amount, state, posted, reason,
            reference, expires_at, created_at, closed_at, reserved_by, sequence FROM holds
            WHERE state = 'open' AND expires_at <= $1 AND (expires_at, hold_id) > ($2, $3)
            ORDER BY expires_at, hold_id LIMIT $4
            """,
            [
                .value(now), .integer(after?.expiresAt.millisecondsSinceEpoch ?? .min),
                .bytes(after?.id.bytes ?? []), .value(limit),
            ]
        ).map { row throws(DatabaseError) in try HoldRecord(row) }
    }

    /// Accounts with lots whose time ran out, one for each lot, behind `after`.
    package func accountsWithExpiredLots(
        at now: Instant, after: LapsePlace?, limit: Int64
    ) throws(DatabaseError) -> [(account: AccountRecord, place: LapsePlace)] {
        try rows(
            """
            SELECT l.expires_at, l.lot_id, a.account_id, a.app, a.environment, a.customer_key,
            a.unit, a.kind FROM lots l JOIN accounts a ON a.account_id = l.account_id
            WHERE l.expires_at IS NOT NULL AND l.is_open = 1 AND l.expires_at <= $1
            AND (l.expires_at, l.lot_id) > ($2, $3) ORDER BY l.expires_at, l.lot_id LIMIT $4
            """,
            [
                .value(now), .integer(after?.expiresAt.millisecondsSinceEpoch ?? .min),
                .bytes(after?.id.bytes ?? []), .value(limit),
            ]
        ).map { row throws(DatabaseError) in
            (
                AccountRecord(
                    accountID: try row.uniqueID(2), app: try row.identifier(3),
                    environment: try row.get(4), customer: try row.uniqueID(5),
                    unit: try row.identifier(6), kind: try AccountKind(row, 7)),
                LapsePlace(expiresAt: try row.instant(0), id: try row.uniqueID(1))
            )
        }
    }

    /// The customer's open holds, the oldest first.
    package func openHolds(
        _ app: AppID, _ environment: AppStoreEnvironment, of customer: UniqueID, limit: Int64
    ) throws(DatabaseError) -> [HoldRecord] {
        try rows(
            """
            SELECT hold_id, app, environment, customer_key, unit, amount, state, posted, reason,
            reference, expires_at, created_at, closed_at, reserved_by, sequence FROM holds
            WHERE customer_key = $1 AND app = $2 AND environment = $3 AND state = 'open'
            ORDER BY created_at, hold_id LIMIT $4
            """, [.value(customer), .value(app), .value(environment), .value(limit)]
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
        if let operation = try row.optionalUniqueID(13) { reservedBy = operation }
        sequence = try row.optionalInteger(14)
    }
}

// The wallet of the customer is locked.
extension WriteTransaction {
    package func insert(_ hold: HoldRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO holds (hold_id, app, environment, customer_key, unit, amount, state, posted,
            reason, reference, expires_at, created_at, sequence)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """,
            [
                .value(hold.holdID), .value(hold.app), .value(hold.environment),
                .value(hold.customer), .value(hold.unit), .value(hold.amount),
                .value(hold.state.rawValue), .value(hold.posted), .value(hold.reason),
                .value(hold.reference), .value(hold.expiresAt), .value(hold.createdAt),
                .value(hold.sequence),
            ], expecting: .one)
    }

    /// Gives an open hold to another customer, whose wallet is locked too.
    package func move(_ hold: HoldRecord) throws(DatabaseError) {
        try execute(
            """
            UPDATE holds SET customer_key = $2, reserved_by = $3, sequence = NULL
            WHERE hold_id = $1 AND state = 'open'
            """, [.value(hold.holdID), .value(hold.customer), .value(hold.reservedBy)],
            expecting: .one)
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

/// Where an open hold stands among those whose time runs out.
package struct LapsePlace: Hashable, Sendable {
    package let expiresAt: Instant
    package let id: UniqueID

    package init(expiresAt: Instant, id: UniqueID) {
        self.expiresAt = expiresAt
        self.id = id
    }
}
