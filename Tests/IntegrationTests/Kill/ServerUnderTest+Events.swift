// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilTestSupport

extension ServerUnderTest {
    /// An event as `GET /v1/events` shows it.
    typealias Event = (id: String, json: JSONValue)

    /// Waits until all events are numbered and no webhook is on its way, and returns all events.
    ///
    /// - Parameter isWhole: Whether these are all events that are to come.
    func settleEvents(
        with receiver: LossyReceiver, isWhole: ([Event]) -> Bool
    ) throws -> [Event] {
        for _ in 0..<600 {
            _ = try send(
                "POST", "/v1/deliveries/replay",
                request(["all_failed_since": "2020-01-01T00:00:00Z"]))
            let (events, next) = try events()
            let endpoints = try send("GET", "/v1/endpoints", request())
            let cursor = endpoints["endpoints"]?.array?.first?["cursor"]?.string
            // Asked last: until the cursor is at the end, deliveries are still being made.
            let isIdle = try ["waiting", "queued", "sent"].allSatisfy { state in
                try send("GET", "/v1/deliveries?state=\(state)&limit=1", request())["deliveries"]
                    == []
            }
            if isWhole(events), cursor == next, isIdle { return events }
            receiver.awaitArrival()
        }
        throw ChildProcess.Failure(description: "webhooks were on their way for too long")
    }

    private func events() throws -> (events: [Event], next: String) {
        var events: [Event] = []
        var next = "0"
        while true {
            let page = try send("GET", "/v1/events?limit=500&after=\(next)", request())
            let found = page["events"]?.array ?? []
            if found.isEmpty { return (events, next) }
            events += found.map { ($0["id"]?.string ?? "", $0) }
            next = page["next"]?.string ?? ""
        }
    }
}
