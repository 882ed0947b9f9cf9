// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Something that happened to a customer, with what proves it (promise P8).
package enum TimelineEntry: Sendable {
    /// Evidence was handed in, and was judged.
    case submission(SubmissionView)

    /// A change was published.
    case event(JSONValue, place: TimelinePlace)

    package var place: TimelinePlace {
        switch self {
        case .submission(let view):
            TimelinePlace(moment: view.record.receivedAt, id: view.record.submissionID)
        case .event(_, let place): place
        }
    }
}

/// Where an entry stands: the order of a timeline.
package struct TimelinePlace: Hashable, Sendable, Comparable {
    package let moment: Instant
    package let id: UniqueID

    package init(moment: Instant, id: UniqueID) {
        self.moment = moment
        self.id = id
    }

    package static func < (lhs: TimelinePlace, rhs: TimelinePlace) -> Bool {
        if lhs.moment != rhs.moment { return lhs.moment < rhs.moment }
        return lhs.id.bytes.lexicographicallyPrecedes(rhs.id.bytes)
    }
}

extension Engine {
    /// What happened to a customer in an environment, in the order of time, behind a place; nil for a
    /// customer whom nobody has named yet.
    package func timeline(
        of id: CustomerID, _ app: AppID, in environment: AppStoreEnvironment,
        after place: TimelinePlace?, limit: Int64
    ) async throws -> [TimelineEntry]? {
        let limit = min(limit, Limits.pageSize)
        let start =
            place
            ?? TimelinePlace(
                moment: Instant(millisecondsSinceEpoch: .min),
                id: UniqueID(bytes: [UInt8](repeating: 0, count: 16)) ?? epoch)
        return try await database.read { transaction in
            guard let key = try transaction.customerKey(app, id) else { return nil }
            let entries = try transaction.allKeys(of: key).flatMap { key in
                try Self.entries(of: key, app, in: environment, after: start, limit, transaction)
            }
            return Array(entries.sorted { $0.place < $1.place }.prefix(Int(limit)))
        }
    }

    /// What is stored under one key.
    private static func entries(
        of key: UniqueID, _ app: AppID, in environment: AppStoreEnvironment,
        after start: TimelinePlace, _ limit: Int64, _ transaction: any ReadTransaction
    ) throws -> [TimelineEntry] {
        let id = try transaction.customerID(key)
        let submissions = try transaction.submissions(
            app, environment, by: key, after: start.moment, start.id, limit: limit)
        let events = try transaction.events(
            app, environment, of: key, after: start.moment, start.id, limit: limit)
        return submissions.map { .submission(SubmissionView(record: $0, customer: id)) }
            + (try events.map { event in
                .event(
                    try event.json(customer: id),
                    place: TimelinePlace(moment: event.createdAt, id: event.eventID))
            })
    }
}
