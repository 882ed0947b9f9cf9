// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP

extension Interface {
    /// `GET /v1/events?after=`: everything that was published, in order, as often as wanted.
    var eventRoutes: [Route] {
        [
            .secret(.get, "/v1/events") { context, principal in
                try context.requireQuery(only: ["after", "limit"])
                let after = try context.query("after", in: 0...Int64.max) ?? 0
                let events = try await engine.events(
                    of: principal.app, after: after, limit: context.pageLimit())
                // The cursor of the last event, or the same again where nothing is new.
                let next = events.last?.number ?? after
                return .json([
                    "events": .array(events.map(\.json)), "next": .string(String(next)),
                ])
            }
        ]
    }
}
