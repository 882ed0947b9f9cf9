// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// Where a delivery stands in a list: by the event's number, then by the endpoint.
package struct DeliveryPlace: Hashable, Sendable {
    package let number: Int64
    package let endpointID: UniqueID

    package init(number: Int64, endpointID: UniqueID) {
        self.number = number
        self.endpointID = endpointID
    }
}

private let selectOne: SQL =
    "SELECT " + DeliveryRecord.columns + " FROM deliveries WHERE endpoint_id = $1 AND number = $2"

private let selectDue: SQL =
    "SELECT " + DeliveryRecord.columns + """
         FROM deliveries WHERE endpoint_id = $1 AND state = 'waiting' AND next_at <= $2
        ORDER BY next_at, number LIMIT $3
        """

private let selectPage: SQL =
    "SELECT " + DeliveryRecord.columns + """
         FROM deliveries WHERE app = $1 AND state = $2
        AND (number, endpoint_id) > ($3, $4)
        ORDER BY number, endpoint_id LIMIT $5
        """

private let selectPageOfEndpoint: SQL =
    "SELECT " + DeliveryRecord.columns + """
         FROM deliveries WHERE app = $1 AND state = $2
        AND (number, endpoint_id) > ($3, $4) AND endpoint_id = $6
        ORDER BY number, endpoint_id LIMIT $5
        """

private let countInState: SQL = """
    SELECT COUNT(*), MIN(created_at) FROM (SELECT created_at FROM deliveries
    WHERE app = $1 AND state = $2 ORDER BY number, endpoint_id LIMIT $3) AS found
    """

extension ReadTransaction {
    package func delivery(
        to endpoint: UniqueID, number: Int64
    ) throws(DatabaseError) -> DeliveryRecord? {
        try row(selectOne, [.value(endpoint), .value(number)])
            .map { row throws(DatabaseError) in try DeliveryRecord(row) }
    }

    /// Deliveries of an endpoint whose time has come, in the order of their times.
    package func dueDeliveries(
        to endpoint: UniqueID, at time: Instant, limit: Int64
    ) throws(DatabaseError) -> [DeliveryRecord] {
        try rows(selectDue, [.value(endpoint), .value(time), .value(limit)])
            .map { row throws(DatabaseError) in try DeliveryRecord(row) }
    }

    /// Deliveries of an app in one state, those of the oldest events first.
    package func deliveries(
        _ app: AppID, in state: DeliveryState, to endpoint: UniqueID?, after: DeliveryPlace?,
        limit: Int64
    ) throws(DatabaseError) -> [DeliveryRecord] {
        var parameters: [DatabaseValue] = [
            .value(app), .value(state.rawValue), .value(after?.number ?? 0),
            .bytes(after?.endpointID.bytes ?? []), .value(limit),
        ]
        if let endpoint { parameters.append(.value(endpoint)) }
        return try rows(endpoint == nil ? selectPage : selectPageOfEndpoint, parameters)
            .map { row throws(DatabaseError) in try DeliveryRecord(row) }
    }

    /// Attempts of a delivery that did not deliver it, the oldest first.
    package func attempts(
        to endpoint: UniqueID, number: Int64
    ) throws(DatabaseError) -> [AttemptRecord] {
        let rows = try rows(
            """
            SELECT sent_at, status, error, duration_ms, reply FROM delivery_attempts
            WHERE endpoint_id = $1 AND number = $2 ORDER BY attempt
            """, [.value(endpoint), .value(number)])
        var attempts: [AttemptRecord] = []
        for row in rows {
            if let attempt = try AttemptRecord(row, from: 0) { attempts.append(attempt) }
        }
        return attempts
    }

    /// The deliveries of an app in a state, counted up to a limit.
    package func deliveryBacklog(
        _ app: AppID, in state: DeliveryState
    ) throws(DatabaseError) -> Backlog {
        let row = try row(
            countInState,
            [.value(app), .value(state.rawValue), .integer(Limits.backlogCount)])
        return Backlog(
            count: try row?.integer(0) ?? 0, oldest: try row?.optionalInstant(1))
    }
}
