// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP

extension Interface {
    /// `GET /v1/events?after=`: everything that was published, in order, as often as wanted.
    var eventRoutes: [Route] {
        [
            .secret(.get, "/v1/events") { context, principal in
                let (after, limit) = try context.query { query in
                    (query.integer("after", in: 0...Int64.max) ?? 0, query.pageLimit())
                }
                do {
                    let events = try await engine.events(
                        of: principal.app, after: after, limit: limit)
                    // The cursor of the last event, or the same again where nothing is new.
                    let next = events.last?.number ?? after
                    return .json([
                        "events": .array(events.map(\.json)), "next": .string(String(next)),
                        "epoch": .string(engine.epoch.description),
                    ])
                } catch let ahead as EventCursorAhead {
                    throw Problem(
                        status: 409, code: "events.cursor_ahead",
                        detail: "after is \(after) and the newest event is \(ahead.newest): this "
                            + "database is an older copy than the one you read from; compare epoch")
                }
            }
        ]
    }
}
