// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

private let selectOne: SQL =
    "SELECT " + EndpointRecord.columns + " FROM endpoints WHERE endpoint_id = $1"

private let selectOfApp: SQL =
    "SELECT " + EndpointRecord.columns + """
         FROM endpoints WHERE app = $1 AND state <> 'deleted'
        ORDER BY created_at, endpoint_id LIMIT $2
        """

private let insertEndpoint: SQL = """
    INSERT INTO endpoints (endpoint_id, app, url, description, types, environment, is_ordered,
    acknowledges, concurrency, rate, secret, previous_secret, previous_until, state, reason, cursor,
    paused_until, slowdowns, created_at, updated_at, window_start, window_count, lease_until, fence)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, NULL, 0, $17, $18,
    NULL, 0, NULL, 0)
    """

private let updateEndpoint: SQL = """
    UPDATE endpoints SET url = $2, description = $3, types = $4, environment = $5, is_ordered = $6,
    acknowledges = $7, concurrency = $8, rate = $9, secret = $10, previous_secret = $11,
    previous_until = $12, state = $13, reason = $14, updated_at = $15 WHERE endpoint_id = $1
    """

extension ReadTransaction {
    package func endpoint(_ id: UniqueID) throws(DatabaseError) -> EndpointRecord? {
        try row(selectOne, [.value(id)])
            .map { row throws(DatabaseError) in try EndpointRecord(row) }
    }

    /// An endpoint of the app that was not deleted.
    package func endpoint(
        _ app: AppID, _ id: UniqueID
    ) throws(DatabaseError) -> EndpointRecord? {
        guard let endpoint = try endpoint(id), endpoint.app == app, endpoint.state != .deleted
        else { return nil }
        return endpoint
    }

    /// The app's endpoints, the oldest first.
    package func endpoints(
        _ app: AppID, limit: Int64
    ) throws(DatabaseError) -> [EndpointRecord] {
        try rows(selectOfApp, [.value(app), .value(limit)])
            .map { row throws(DatabaseError) in try EndpointRecord(row) }
    }
}

extension WriteTransaction {
    package func insert(_ endpoint: EndpointRecord) throws(DatabaseError) {
        try execute(
            insertEndpoint,
            [
                .value(endpoint.endpointID), .value(endpoint.app), .value(endpoint.url),
                .value(endpoint.description), .value(endpoint.types?.joined(separator: " ")),
                .value(endpoint.environment), .value(endpoint.isOrdered),
                .value(endpoint.acknowledges), .value(endpoint.concurrency), .value(endpoint.rate),
                .value(endpoint.secret), .value(endpoint.previousSecret),
                .value(endpoint.previousUntil), .value(endpoint.state.rawValue),
                .value(endpoint.reason), .value(endpoint.cursor), .value(endpoint.createdAt),
                .value(endpoint.updatedAt),
            ], expecting: .one)
    }

    /// Stores the settings; the endpoint is locked. How far it has come is not a setting.
    package func save(_ endpoint: EndpointRecord) throws(DatabaseError) {
        try execute(
            updateEndpoint,
            [
                .value(endpoint.endpointID), .value(endpoint.url), .value(endpoint.description),
                .value(endpoint.types?.joined(separator: " ")), .value(endpoint.environment),
                .value(endpoint.isOrdered), .value(endpoint.acknowledges),
                .value(endpoint.concurrency), .value(endpoint.rate), .value(endpoint.secret),
                .value(endpoint.previousSecret), .value(endpoint.previousUntil),
                .value(endpoint.state.rawValue), .value(endpoint.reason),
                .value(endpoint.updatedAt),
            ], expecting: .one)
    }

    /// Locks an endpoint of the app and returns it; nil if there is none.
    package func lockEndpoint(
        _ app: AppID, _ id: UniqueID
    ) throws(DatabaseError) -> EndpointRecord? {
        try lock(LockKey(Schema.endpoints, [.value(id)]))
        return try endpoint(app, id)
    }

    /// Ends a pause that the receiver asked for.
    package func endPause(of endpoint: UniqueID) throws(DatabaseError) {
        try execute(
            "UPDATE endpoints SET paused_until = NULL, slowdowns = 0 WHERE endpoint_id = $1",
            [.value(endpoint)])
    }
}
