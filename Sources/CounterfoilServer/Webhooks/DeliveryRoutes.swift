// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilStore

extension Interface {
    /// What became of events on their way to endpoints, and sending them once more.
    var deliveryRoutes: [Route] {
        [
            .secret(.get, "/v1/deliveries") { context, principal in
                let (state, endpoint, after, limit) = try context.query { query in
                    (
                        query.choice("state", DeliveryState.self) ?? .dead,
                        query.value("endpoint_id", "is no id") { UniqueID($0) },
                        query.value("after", "is not the \"next\" of an earlier page") {
                            DeliveryPlace(cursor: $0)
                        }, query.pageLimit()
                    )
                }
                let deliveries = try await engine.deliveries(
                    of: principal.app, state: state, endpoint: endpoint, after: after,
                    limit: limit)
                let isFull = deliveries.count == Int(limit)
                return .json([
                    "deliveries": .array(deliveries.map(\.json)),
                    "next": .optional(isFull ? deliveries.last?.delivery.place.cursor : nil),
                ])
            },
            .secret(.get, "/v1/endpoints/{endpoint_id}/deliveries/{event_id}") {
                context, principal in
                try context.query { _ in }
                let endpoint = try Self.endpointID(in: context)
                let event = UniqueID(context.parameter("event_id"))
                guard let event,
                    let delivery = try await engine.delivery(
                        of: event, to: endpoint, of: principal.app)
                else { throw Problem.notFound("this event does not go to this endpoint") }
                return .json(delivery.jsonWithAttempts)
            },
            .secret(.post, "/v1/deliveries/replay") { context, principal in
                let request = try context.body { ReplayRequest(&$0) }
                return try await onceDone(context, principal) {
                    let outcome = try await engine.replay(request, of: principal.app)
                    guard let outcome else { throw Self.noSuchEndpoint }
                    log.replayed(outcome, by: principal, requestID: context.requestID)
                    return StoredReply(body: [
                        "replayed": .integer(outcome.replayed),
                        "partial": .bool(outcome.isPartial),
                    ])
                }
            },
        ]
    }
}

extension DeliveryRecord {
    fileprivate var place: DeliveryPlace {
        DeliveryPlace(number: number, endpointID: endpointID)
    }
}

extension DeliveryPlace {
    /// The place as a page names it: number and endpoint.
    fileprivate var cursor: String { "\(number).\(endpointID)" }

    fileprivate init?(cursor: String) {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), let id = UniqueID(parts[1]) else {
            return nil
        }
        self.init(number: number, endpointID: id)
    }
}

extension ReplayRequest {
    /// Reads the body of a replay: exactly one of `ids`, `customer_id`, `from` with `to`, and
    /// `all_failed_since` says what is meant.
    init?(_ body: inout ObjectReader) {
        let selections = ["ids", "customer_id", "from", "all_failed_since"]
            .filter { body.value($0) != nil }
        let endpoint = body.member("endpoint_id", "an id", isRequired: false) { value in
            value.string.flatMap { UniqueID($0) }
        }
        var types: Set<String>?
        if body.value("types") != nil {
            types = Set(EndpointRequest.types(&body))
        }
        Self.reportStrays(&body)
        guard selections.count == 1, let name = selections.first else {
            body.report(
                selections.first ?? "ids",
                "must be exactly one of ids, customer_id, from (with to) and all_failed_since")
            return nil
        }
        let selection: Selection? =
            switch name {
            case "ids": Self.ids(&body).map { .events($0) }
            case "customer_id":
                body.identifier("customer_id", CustomerKind.self).map { customer in
                    .customer(customer, Self.environment(&body))
                }
            case "from":
                Self.time(&body)
            default: body.instant("all_failed_since").map { .failed(since: $0) }
            }
        guard let selection, body.findings.isEmpty else { return nil }
        self.init(selection: selection, endpoint: endpoint, types: types)
    }

    /// Members that only say something beside another one.
    private static func reportStrays(_ body: inout ObjectReader) {
        for (member, needed) in [("environment", "customer_id"), ("to", "from")]
        where body.value(member) != nil && body.value(needed) == nil {
            body.report(member, "stands without \(needed)")
        }
    }

    private static func ids(_ body: inout ObjectReader) -> [UniqueID]? {
        let elements = body.elements("ids", maximum: Limits.idsPerReplay)
        let ids = elements.compactMap { element -> UniqueID? in
            let id = element.value.string.flatMap { UniqueID($0) }
            if id == nil { body.findings.report(element.path, "is no event id") }
            return id
        }
        return body.findings.isEmpty ? ids : nil
    }

    private static func environment(_ body: inout ObjectReader) -> AppStoreEnvironment {
        let environments: [AppStoreEnvironment] = [.production, .sandbox]
        let named = body.member("environment", "Production or Sandbox", isRequired: false) {
            value in environments.first { $0.rawValue == value.string }
        }
        return named ?? .production
    }

    private static func time(_ body: inout ObjectReader) -> Selection? {
        guard let from = body.instant("from"), let to = body.instant("to") else { return nil }
        guard from < to else {
            body.report("to", "is not behind from")
            return nil
        }
        return .time(from: from, to: to)
    }
}
