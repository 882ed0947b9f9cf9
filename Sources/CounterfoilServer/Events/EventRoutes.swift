// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP

extension Interface {
    /// `GET /v1/events?after=`: everything that was published, in order, as often as wanted, and
    /// `GET /v1/events/{event_id}`: one of them.
    var eventRoutes: [Route] {
        [
            .secret(.get, "/v1/events") { context, principal in
                let (after, types, limit) = try context.query { query in
                    (
                        query.integer("after", in: 0...Int64.max) ?? 0,
                        query.value("types", "is no list of event types with commas between") {
                            Self.types(in: $0)
                        }, query.pageLimit()
                    )
                }
                do {
                    let page = try await engine.events(
                        of: principal.app, after: after, limit: limit)
                    // The cursor of the last event, or the same again where nothing is new; also of
                    // one that is left out, so that whoever waits for a rare type gets on.
                    let next = page.last?.number ?? after
                    let events = page.map(\.json).filter { event in
                        types?.contains(event["type"]?.string ?? "") != false
                    }
                    return .json([
                        "events": .array(events), "next": .string(String(next)),
                        "epoch": .string(engine.epoch.description),
                    ])
                } catch let ahead as EventCursorAhead {
                    throw Problem(
                        status: 409, code: "events.cursor_ahead",
                        detail: "after is \(after) and the newest event is \(ahead.newest): this "
                            + "database is an older copy than the one you read from; compare epoch")
                }
            },
            .secret(.get, "/v1/events/{event_id}") { context, principal in
                try context.query { _ in }
                let id = UniqueID(context.parameter("event_id"))
                guard let id, let event = try await engine.event(id, of: principal.app) else {
                    throw Problem.notFound("there is no such event")
                }
                return .json(event.json)
            },
        ]
    }

    private static func types(in text: String) -> Set<String>? {
        let types = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        guard types.count <= Limits.typesPerEndpoint, types.allSatisfy(EndpointRequest.isType)
        else { return nil }
        return Set(types)
    }
}
