// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Which events are to be sent once more.
package struct ReplayRequest: Hashable, Sendable {
    package enum Selection: Hashable, Sendable {
        case events([UniqueID])
        case customer(CustomerID, AppStoreEnvironment)

        /// Published from the first moment on and before the second.
        case time(from: Instant, to: Instant)

        /// Whatever is a dead letter or waits after a failure, published at the moment or later.
        case failed(since: Instant)
    }

    package let selection: Selection

    /// The endpoint to send to; nil for all of the app.
    package let endpoint: UniqueID?

    /// The types to send; nil for all.
    package let types: Set<String>?

    package init(selection: Selection, endpoint: UniqueID?, types: Set<String>?) {
        self.selection = selection
        self.endpoint = endpoint
        self.types = types
    }
}

/// What a replay did.
package struct ReplayOutcome: Hashable, Sendable {
    /// Deliveries that were begun anew, or that were put off and are due at once.
    package var replayed = 0

    /// Whether the limit of one call was reached, so that calling again does more.
    package var isPartial = false
}

extension Engine {
    /// Sends events once more, with the ids and sequences that they have, to endpoints that want them.
    ///
    /// A delivery that is under way or behind another one stays as it is, so calling twice is harmless.
    /// An event that an endpoint was never sent, since it is younger than the event, is sent to it when
    /// it is asked for by endpoint.
    ///
    /// - Returns: nil if the app has no such endpoint.
    package func replay(_ request: ReplayRequest, of app: AppID) async throws -> ReplayOutcome? {
        let endpoints = try await database.read { transaction in
            try transaction.endpoints(app, limit: Limits.endpointsPerApp)
                .filter { request.endpoint == nil || $0.endpointID == request.endpoint }
        }
        guard !endpoints.isEmpty || request.endpoint == nil else { return nil }
        var outcome = ReplayOutcome()
        switch request.selection {
        case .failed(let since):
            for state in [DeliveryState.dead, .waiting] {
                try await replayFailed(
                    since: since, in: state, request, endpoints, of: app, &outcome)
            }
        case .events, .customer, .time:
            try await replayEvents(request, endpoints, of: app, &outcome)
        }
        courierSignal()
        return outcome
    }

    private func replayFailed(
        since: Instant, in state: DeliveryState, _ request: ReplayRequest,
        _ endpoints: [EndpointRecord], of app: AppID, _ outcome: inout ReplayOutcome
    ) async throws {
        let known = Set(endpoints.map(\.endpointID))
        var after: DeliveryPlace?
        while outcome.replayed < Limits.eventsPerReplay {
            let place = after
            let page = try await database.read { transaction in
                try transaction.deliveries(
                    app, in: state, to: request.endpoint, after: place, limit: Limits.pageSize)
            }
            guard let last = page.last else { return }
            after = DeliveryPlace(number: last.number, endpointID: last.endpointID)
            let wanted = page.filter { delivery in
                known.contains(delivery.endpointID) && delivery.createdAt >= since
                    && request.types?.contains(delivery.type) != false
            }
            let byEndpoint = Dictionary(grouping: wanted, by: \.endpointID)
            for endpoint in endpoints {
                let numbers = (byEndpoint[endpoint.endpointID] ?? []).map(\.number)
                guard !numbers.isEmpty else { continue }
                outcome.replayed += try await database.write { transaction in
                    guard
                        try transaction.lockEndpoint(app, endpoint.endpointID) != nil
                    else { return 0 }
                    let time = try transaction.currentTime()
                    return try numbers.count(where: { number in
                        try transaction.replay(
                            to: endpoint.endpointID, number: number, at: time)
                    })
                }
            }
        }
        outcome.isPartial = true
    }

    private func replayEvents(
        _ request: ReplayRequest, _ endpoints: [EndpointRecord], of app: AppID,
        _ outcome: inout ReplayOutcome
    ) async throws {
        var after = try await firstNumber(of: request.selection, of: app)
        var looked = 0
        while looked < Limits.eventsPerReplay {
            let place = after
            let page = try await database.read { transaction in
                try request.selection.events(of: app, after: place, in: transaction)
            }
            guard let last = page.events.last else { return }
            after = last.number
            looked += page.events.count
            let wanted = page.events.filter { event in
                request.selection.covers(event) && request.types?.contains(event.type) != false
            }
            for endpoint in endpoints {
                outcome.replayed += try await replay(
                    wanted, to: endpoint, addsMissing: request.endpoint != nil)
            }
            if page.isLast { return }
        }
        outcome.isPartial = true
    }

    private func firstNumber(
        of selection: ReplayRequest.Selection, of app: AppID
    ) async throws -> Int64 {
        guard case .time(let from, _) = selection else { return 0 }
        return try await database.read { transaction in
            try transaction.eventNumber(app, before: from, slack: Limits.clockSlack)
        }
    }

    private func replay(
        _ events: [EventHeader], to endpoint: EndpointRecord, addsMissing: Bool
    ) async throws -> Int {
        guard !events.isEmpty else { return 0 }
        return try await database.write { transaction in
            guard
                let endpoint = try transaction.lockEndpoint(endpoint.app, endpoint.endpointID)
            else { return 0 }
            let time = try transaction.currentTime()
            return try events.count(where: { event in
                guard endpoint.wants(type: event.type, in: event.environment) else { return false }
                // What is behind the cursor comes by itself.
                if addsMissing, event.number <= endpoint.cursor,
                    try transaction.owe(event, to: endpoint, isReplay: true, at: time)
                {
                    return true
                }
                return try transaction.replay(
                    to: endpoint.endpointID, number: event.number, at: time)
            })
        }
    }
}

extension ReplayRequest.Selection {
    /// A page of the events that may be meant, and whether it is the last one.
    fileprivate func events(
        of app: AppID, after number: Int64, in transaction: any ReadTransaction
    ) throws -> (events: [EventHeader], isLast: Bool) {
        switch self {
        case .events(let ids):
            let events = try ids.compactMap { try transaction.eventHeader(app, $0) }
            return (events.sorted { $0.number < $1.number }, true)
        case .customer(let id, let environment):
            guard let customer = try transaction.customerKey(app, id) else { return ([], true) }
            let events = try transaction.allKeys(of: customer).flatMap { key in
                try transaction.eventHeaders(
                    app, environment, of: key, after: number, limit: Limits.eventsPerFanOut)
            }.sorted { $0.number < $1.number }
            return (Array(events.prefix(Int(Limits.eventsPerFanOut))), false)
        case .time(_, let end):
            let events = try transaction.eventHeaders(
                app, after: number, limit: Limits.eventsPerFanOut)
            let isPast = events.last.map { $0.createdAt >= end + Limits.clockSlack } ?? true
            return (events, isPast)
        case .failed:
            return ([], true)
        }
    }

    fileprivate func covers(_ event: EventHeader) -> Bool {
        guard case .time(let from, let end) = self else { return true }
        return event.createdAt >= from && event.createdAt < end
    }
}
