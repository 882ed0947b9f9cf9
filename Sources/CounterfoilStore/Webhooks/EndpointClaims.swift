// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// An endpoint in the hands of one server, until it is given back or the lease runs out.
package struct EndpointClaim: Hashable, Sendable {
    package let endpointID: UniqueID

    /// Grows with each claim. Whatever a server changes about the deliveries it changes under its own
    /// number only, so one that was too slow has no effect any more.
    package let fence: Int64
}

/// Enabled endpoints that nobody sends to at the moment and that have something to send.
private let withWork: SQL = """
    SELECT e.endpoint_id FROM endpoints e
    WHERE e.state = 'enabled' AND (e.lease_until IS NULL OR e.lease_until <= $1)
    AND (e.paused_until IS NULL OR e.paused_until <= $1)
    AND NOT EXISTS (SELECT 1 FROM delivery_holds h WHERE h.app = e.app AND h.product_id = '')
    AND (EXISTS (SELECT 1 FROM events v WHERE v.app = e.app AND v.number > e.cursor)
    OR EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = e.endpoint_id
    AND d.state = 'waiting' AND d.next_at <= $1)
    OR EXISTS (SELECT 1 FROM deliveries d WHERE d.app = e.app AND d.state = 'sent'
    AND d.endpoint_id = e.endpoint_id))
    ORDER BY e.endpoint_id LIMIT $2
    """

extension ReadTransaction {
    /// Endpoints that a server may take to send to.
    package func endpointsWithWork(limit: Int64) throws(DatabaseError) -> [UniqueID] {
        try rows(withWork, [.value(try currentTime()), .value(limit)]).map {
            row throws(DatabaseError) in try row.uniqueID(0)
        }
    }
}

extension WriteTransaction {
    /// Takes an enabled endpoint that nobody holds; nil if somebody does.
    ///
    /// What an earlier holder had under way is waiting again, to be tried when that holder's next try
    /// would have been.
    package func claimEndpoint(
        _ id: UniqueID, for lease: Duration
    ) throws(DatabaseError) -> EndpointClaim? {
        let time = try currentTime()
        let rows = try unlockedRows(
            """
            SELECT fence, app FROM endpoints WHERE endpoint_id = $1 AND state = 'enabled'
            AND (lease_until IS NULL OR lease_until <= $2)
            """, [.value(id), .value(time)])
        guard let row = rows.first else { return nil }
        let fence = try row.integer(0)
        try execute(
            """
            UPDATE endpoints SET fence = fence + 1, lease_until = $3
            WHERE endpoint_id = $1 AND fence = $2
            """, [.value(id), .value(fence), .value(time + lease)], expecting: .one)
        try execute(
            """
            UPDATE deliveries SET state = 'waiting'
            WHERE app = $2 AND state = 'sent' AND endpoint_id = $1
            """, [.value(id), .value(try row.text(1))])
        return EndpointClaim(endpointID: id, fence: fence + 1)
    }

    /// Extends the lease and locks the endpoint to the end of the transaction.
    ///
    /// - Returns: Whether the endpoint is still the caller's; if not, nothing was changed.
    package func extend(
        _ claim: EndpointClaim, for lease: Duration
    ) throws(DatabaseError) -> Bool {
        try change(
            """
            UPDATE endpoints SET lease_until = $3 WHERE endpoint_id = $1 AND fence = $2
            """,
            [.value(claim.endpointID), .value(claim.fence), .value(try currentTime() + lease)]) == 1
    }

    /// Gives the endpoint back, for whoever comes next.
    package func release(_ claim: EndpointClaim) throws(DatabaseError) {
        try execute(
            "UPDATE endpoints SET lease_until = NULL WHERE endpoint_id = $1 AND fence = $2",
            [.value(claim.endpointID), .value(claim.fence)])
    }

    /// Gives back what a server that died held, where there is never more than one.
    package func releaseAllEndpoints() throws(DatabaseError) {
        try execute("UPDATE endpoints SET lease_until = NULL WHERE lease_until IS NOT NULL")
    }

    /// Sends nothing to the endpoint for a while; nil ends that.
    package func pause(
        _ claim: EndpointClaim, until moment: Instant?, slowdowns: Int64
    ) throws(DatabaseError) {
        try execute(
            """
            UPDATE endpoints SET paused_until = $3, slowdowns = $4
            WHERE endpoint_id = $1 AND fence = $2
            """,
            [
                .value(claim.endpointID), .value(claim.fence), .value(moment), .value(slowdowns),
            ], expecting: .one)
    }

    /// How many requests may begin in the second that runs; the endpoint is locked.
    package func allowance(
        of endpoint: UniqueID, rate: Int64, at time: Instant
    ) throws(DatabaseError) -> Int64 {
        let row = try row(
            "SELECT window_start, window_count FROM endpoints WHERE endpoint_id = $1",
            [.value(endpoint)])
        guard let row, let start = try row.optionalInstant(0), start <= time,
            time.since(start) < .seconds(1)
        else {
            try execute(
                "UPDATE endpoints SET window_start = $2, window_count = 0 WHERE endpoint_id = $1",
                [.value(endpoint), .value(time)])
            return rate
        }
        return max(0, rate - (try row.integer(1)))
    }

    /// Counts requests that begin in the second that runs.
    package func countRequests(
        _ count: Int64, to endpoint: UniqueID
    ) throws(DatabaseError) {
        try execute(
            "UPDATE endpoints SET window_count = window_count + $2 WHERE endpoint_id = $1",
            [.value(endpoint), .value(count)])
    }
}
