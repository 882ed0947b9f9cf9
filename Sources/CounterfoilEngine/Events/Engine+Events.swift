// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// A published change as readers see it.
package struct PublishedEvent: Sendable {
    /// The place in the app's order; the cursor of the next page.
    package let number: Int64
    package let json: JSONValue
}

/// That a reader has read further than this database was ever written: it is an older copy.
package struct EventCursorAhead: Error, Sendable {
    /// The number of the newest event.
    package let newest: Int64
}

extension Engine {
    /// Published events of an app behind a number, in its order.
    ///
    /// The order is ascending in each customer's sequence, and an event that was not visible at one
    /// reading never appears before one that was.
    ///
    /// - Throws: ``EventCursorAhead`` if no event ever had the number; ``DatabaseError``.
    package func events(
        of app: AppID, after number: Int64, limit: Int64
    ) async throws -> [PublishedEvent] {
        try await database.read { transaction in
            let page = try transaction.events(
                app, after: number, limit: min(limit, Limits.pageSize))
            if page.isEmpty, number > 0 {
                let newest = try transaction.newestEventNumber(app)
                guard number <= newest else { throw EventCursorAhead(newest: newest) }
            }
            return try page.map { number, event in
                let customer = try event.customer.flatMap { try transaction.customerID($0) }
                return PublishedEvent(number: number, json: try event.json(customer: customer))
            }
        }
    }
}

extension EventRecord {
    /// The whole event: what is the same for every type, then `data` and `state`.
    func json(customer: CustomerID?) throws -> JSONValue {
        var json = JSONObject([
            .init(key: "id", value: .string(eventID.description)),
            .init(key: "type", value: .string(type)),
            .init(key: "timestamp", value: .string(createdAt.rfc3339)),
            .init(key: "app", value: .string(app.rawValue)),
            .init(key: "environment", value: .string(environment.rawValue)),
        ])
        json.append("customer_id", .optional(customer?.rawValue))
        json.append("epoch", .string(epoch.description))
        json.append("sequence", sequence.map { .integer($0) } ?? .null)
        for member in try JSONValue(parsing: body.utf8).object?.members ?? [] {
            json.append(member.key, member.value)
        }
        return .object(json)
    }
}
