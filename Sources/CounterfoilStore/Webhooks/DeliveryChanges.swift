// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

// Whoever calls one of these holds the endpoint's row, so that of a customer's events the first
// unfinished one is never left behind in the queue.

/// Behind another event of the customer a new one is queued.
private let insertDelivery: SQL = """
    INSERT INTO deliveries (endpoint_id, number, app, event_id, environment, customer_key, type,
    product_id, state, blocks, is_replay, attempts, tries, next_at, created_at, sent_at, finished_at,
    status, error, duration_ms, reply)
    VALUES ($1, $2, $3, $4, $5, $6, $7, NULL,
    CASE WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = $1 AND d.environment = $5
        AND d.customer_key = $6 AND d.blocks = 1 AND d.number < $2) THEN 'queued' ELSE 'waiting' END,
    $8, $9, 0, 0, $10, $11, NULL, NULL, NULL, NULL, NULL, NULL)
    ON CONFLICT (endpoint_id, number) DO NOTHING
    """

/// What was finished begins anew, behind what the customer waits for from earlier.
private let restartDelivery: SQL = """
    UPDATE deliveries SET
    state = CASE WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = $1
        AND d.environment = deliveries.environment AND d.customer_key = deliveries.customer_key
        AND d.blocks = 1 AND d.number < $2) THEN 'queued' ELSE 'waiting' END,
    blocks = CASE WHEN customer_key IS NULL THEN 0 ELSE 1 END,
    is_replay = 1, attempts = 0, next_at = $3, finished_at = NULL
    WHERE endpoint_id = $1 AND number = $2 AND state IN ('delivered', 'rejected', 'dead')
    """

private let promoteDelivery: SQL = """
    UPDATE deliveries SET state = 'waiting', next_at = $4
    WHERE endpoint_id = $1 AND state = 'queued' AND number = (
        SELECT MIN(number) FROM deliveries WHERE endpoint_id = $1 AND environment = $2
        AND customer_key = $3 AND blocks = 1)
    """

private let endDelivery: SQL = """
    UPDATE deliveries SET state = $3, blocks = 0, finished_at = $4, sent_at = $5, status = $6,
    error = $7, duration_ms = $8, reply = $9
    WHERE endpoint_id = $1 AND number = $2 AND state = 'sent'
    """

private let putOffDelivery: SQL = """
    UPDATE deliveries SET state = 'waiting', next_at = $3, blocks = $4, attempts = $5, sent_at = $6,
    status = $7, error = $8, duration_ms = $9, reply = $10
    WHERE endpoint_id = $1 AND number = $2 AND state = 'sent'
    """

extension WriteTransaction {
    /// Owes an event to an endpoint; what is owed already stays as it is.
    ///
    /// - Returns: Whether it was not owed yet.
    package func owe(
        _ event: EventHeader, to endpoint: EndpointRecord, isReplay: Bool, at time: Instant
    ) throws(DatabaseError) -> Bool {
        try change(insertDelivery, parameters(event, endpoint, isReplay: isReplay, at: time)) == 1
    }

    private func parameters(
        _ event: EventHeader, _ endpoint: EndpointRecord, isReplay: Bool, at time: Instant
    ) -> [DatabaseValue] {
        [
            .value(endpoint.endpointID), .value(event.number), .value(endpoint.app),
            .value(event.eventID), .value(event.environment), .value(event.customer),
            .value(event.type), .value(event.customer != nil), .value(isReplay), .value(time),
            .value(event.createdAt),
        ]
    }

    /// Owes the events behind the endpoint's cursor to it, those that it wants, and moves the cursor.
    ///
    /// - Returns: How many events were looked at.
    package func fanOut(
        to endpoint: EndpointRecord, limit: Int64, at time: Instant
    ) throws(DatabaseError) -> Int {
        let events = try eventHeaders(endpoint.app, after: endpoint.cursor, limit: limit)
        guard let last = events.last else { return 0 }
        for event in events where endpoint.wants(type: event.type, in: event.environment) {
            try execute(insertDelivery, parameters(event, endpoint, isReplay: false, at: time))
        }
        try execute(
            "UPDATE endpoints SET cursor = $3 WHERE endpoint_id = $1 AND cursor = $2",
            [.value(endpoint.endpointID), .value(endpoint.cursor), .value(last.number)],
            expecting: .one)
        return events.count
    }

    /// Notes that the delivery is under way; until the attempt has ended it counts as one that is tried
    /// again at `nextAt`, should this server die.
    ///
    /// - Returns: Whether it was still waiting.
    package func begin(
        _ delivery: DeliveryRecord, nextAt: Instant
    ) throws(DatabaseError) -> Bool {
        try change(
            """
            UPDATE deliveries SET state = 'sent', attempts = attempts + 1, tries = tries + 1,
            next_at = $3 WHERE endpoint_id = $1 AND number = $2 AND state = 'waiting'
            """,
            [.value(delivery.endpointID), .value(delivery.number), .value(nextAt)]) == 1
    }

    /// Keeps a waiting delivery back until its product is released.
    package func hold(
        _ delivery: DeliveryRecord, product: ProductID
    ) throws(DatabaseError) {
        try execute(
            """
            UPDATE deliveries SET state = 'held', product_id = $3
            WHERE endpoint_id = $1 AND number = $2 AND state = 'waiting'
            """,
            [.value(delivery.endpointID), .value(delivery.number), .value(product)])
    }

    /// Ends a delivery that was under way, and lets the customer's next event go.
    package func end(
        _ delivery: DeliveryRecord, as state: DeliveryState, _ attempt: AttemptRecord,
        at now: Instant, time: Instant
    ) throws(DatabaseError) {
        precondition(state.isFinished, "a delivery ends in a state that is an end")
        try execute(
            endDelivery,
            [
                .value(delivery.endpointID), .value(delivery.number), .value(state.rawValue),
                .value(now),
            ] + attempt.values, expecting: .one)
        try promoteNext(after: delivery, at: time)
    }

    /// Lets the first of the customer's events go that wait for others.
    package func promoteNext(
        after delivery: DeliveryRecord, at time: Instant
    ) throws(DatabaseError) {
        guard let customer = delivery.customer else { return }
        try execute(
            promoteDelivery,
            [
                .value(delivery.endpointID), .value(delivery.environment), .value(customer),
                .value(time),
            ])
    }

    /// Puts a delivery off that was under way.
    ///
    /// - Parameters:
    ///   - attempts: How many attempts count from now on.
    ///   - blocks: Whether the customer's later events wait for it any longer.
    package func putOff(
        _ delivery: DeliveryRecord, to moment: Instant, attempts: Int64, blocks: Bool,
        _ attempt: AttemptRecord
    ) throws(DatabaseError) {
        try execute(
            putOffDelivery,
            [
                .value(delivery.endpointID), .value(delivery.number), .value(moment),
                .value(blocks), .value(attempts),
            ] + attempt.values, expecting: .one)
    }

    /// Keeps an attempt that did not deliver, and drops the oldest ones beyond the limit.
    package func keep(
        _ attempt: AttemptRecord, of delivery: DeliveryRecord, number: Int64
    ) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO delivery_attempts
            (endpoint_id, number, attempt, sent_at, status, error, duration_ms, reply)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING
            """,
            [.value(delivery.endpointID), .value(delivery.number), .value(number)]
                + attempt.values)
        guard number > Limits.keptAttempts else { return }
        try execute(
            """
            DELETE FROM delivery_attempts
            WHERE endpoint_id = $1 AND number = $2 AND attempt <= $3
            """,
            [
                .value(delivery.endpointID), .value(delivery.number),
                .value(number - Limits.keptAttempts),
            ])
    }

    /// Sends a finished delivery once more, or one that was put off at once.
    ///
    /// - Returns: Whether there was one to send.
    package func replay(
        to endpoint: UniqueID, number: Int64, at time: Instant
    ) throws(DatabaseError) -> Bool {
        let place: [DatabaseValue] = [.value(endpoint), .value(number), .value(time)]
        if try change(restartDelivery, place) == 1 { return true }
        return try change(
            """
            UPDATE deliveries SET next_at = $3
            WHERE endpoint_id = $1 AND number = $2 AND state = 'waiting' AND attempts > 0
            """, place) == 1
    }

    /// Makes everything due that waits for an endpoint.
    package func hasten(
        to endpoint: UniqueID, at time: Instant
    ) throws(DatabaseError) {
        try execute(
            """
            UPDATE deliveries SET next_at = $2
            WHERE endpoint_id = $1 AND state = 'waiting' AND next_at > $2
            """, [.value(endpoint), .value(time)])
    }
}

extension AttemptRecord {
    /// `sent_at, status, error, duration_ms, reply`.
    fileprivate var values: [DatabaseValue] {
        [
            .value(sentAt), .value(status), .value(error), .value(durationMilliseconds),
            .value(reply),
        ]
    }
}
