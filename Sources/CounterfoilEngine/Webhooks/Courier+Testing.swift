// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilStore

/// What a test of an endpoint came to.
package struct EndpointTest: Sendable {
    package let eventID: UniqueID
    package let attempt: AttemptRecord

    /// Whether a real event would count as delivered.
    package var isDelivered: Bool { attempt.error == nil }
}

extension Courier {
    /// Sends an event of the type `endpoint.test` at once, signed as any other, whether or not the
    /// endpoint is enabled. It is in no list and is not tried again.
    ///
    /// - Returns: nil if the app has no such endpoint.
    package func test(_ id: UniqueID, of app: AppID) async throws -> EndpointTest? {
        guard let endpoint = try await engine.endpoint(id, of: app) else { return nil }
        let sentAt = engine.clock.now
        let eventID = engine.freshID()
        let environment = endpoint.environment ?? .production
        let event: JSONValue = [
            "id": .string(eventID.description), "type": "endpoint.test",
            "timestamp": .string(sentAt.rfc3339), "app": .string(app.rawValue),
            "environment": .string(environment.rawValue), "customer_id": .null,
            "epoch": .string(engine.epoch.description), "sequence": .null,
            "data": ["endpoint_id": .string(id.description)],
        ]
        let verdict = await verdict(
            on: endpoint, id: eventID, body: event.utf8, isReplay: false, at: sentAt)
        return EndpointTest(
            eventID: eventID,
            attempt: AttemptRecord(
                sentAt: sentAt, status: verdict.status, error: verdict.error,
                durationMilliseconds: max(
                    0, engine.clock.now.since(sentAt).wholeMilliseconds),
                reply: verdict.reply))
    }
}
