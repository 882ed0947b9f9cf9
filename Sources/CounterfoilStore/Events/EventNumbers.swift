// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// Numbers the first events that have none.
///
/// The innermost query takes a part of them that is closed downwards: with an event it holds all
/// earlier ones of the same customer, whose sequence is smaller. The order inside the part follows the
/// time, but never against a customer's sequence: the clocks of two servers may disagree.
private let number: SQL = """
    UPDATE events SET number = $2 + placed.place FROM (
        SELECT event_id, ROW_NUMBER() OVER (ORDER BY moment, rank, event_id) AS place FROM (
            SELECT event_id, rank, MAX(created_at) OVER (
                PARTITION BY environment, customer_key ORDER BY rank, created_at, event_id
            ) AS moment FROM (
                SELECT event_id, environment, customer_key, created_at,
                COALESCE(sequence, 0) AS rank FROM events
                WHERE app = $1 AND number IS NULL
                ORDER BY COALESCE(sequence, 0), event_id LIMIT $3
            ) AS part
        ) AS dated
    ) AS placed
    WHERE events.event_id = placed.event_id
    """

extension ReadTransaction {
    /// The apps that have committed events without a number.
    package func appsWithUnnumberedEvents() throws(DatabaseError) -> [AppID] {
        try rows("SELECT app FROM events WHERE number IS NULL GROUP BY app ORDER BY app").map {
            row throws(DatabaseError) in try row.identifier(0)
        }
    }
}

extension WriteTransaction {
    /// Numbers committed events of an app, `limit` at most, and returns how many.
    ///
    /// Whoever numbers holds the app's sequencer row from here to the commit, so the numbers of one
    /// transaction are visible before the next one gives any, and a reader who goes by them misses
    /// nothing. The order ascends in each customer's sequence: an event is visible only after those
    /// before it, since its transaction waited for theirs at the wallet.
    package func numberEvents(_ app: AppID, limit: Int64) throws(DatabaseError) -> Int {
        try execute(
            """
            INSERT INTO sequencers (app, last_number) VALUES ($1, 0) ON CONFLICT (app) DO NOTHING
            """, [.value(app)])
        try lock(LockKey(Schema.sequencers, [.value(app)]))
        let held = try row("SELECT last_number FROM sequencers WHERE app = $1", [.value(app)])
        // Events that were numbered while the database had one writer did not ask the row.
        let used = try row("SELECT MAX(number) FROM events WHERE app = $1", [.value(app)])
        let last = try held?.integer(0) ?? 0
        let start = max(last, try used?.optionalInteger(0) ?? 0)
        let count = try change(number, [.value(app), .value(start), .value(limit)])
        guard count > 0 else { return 0 }
        // Whatever the engine's locks are worth, nobody else numbered meanwhile.
        try execute(
            "UPDATE sequencers SET last_number = $3 WHERE app = $1 AND last_number = $2",
            [.value(app), .value(last), .value(start + Int64(count))], expecting: .one)
        return count
    }
}
