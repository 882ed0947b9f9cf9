// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore

/// A delivery with its attempts.
package struct DeliveryView: Sendable {
    package let delivery: DeliveryRecord

    /// nil where the event belongs to no customer.
    package let customer: CustomerID?

    /// Attempts that did not deliver, the oldest first; empty in lists.
    package let attempts: [AttemptRecord]
}

extension Engine {
    /// Deliveries of one state, those of the oldest events first, those behind `after`.
    package func deliveries(
        of app: AppID, state: DeliveryState, endpoint: UniqueID?, after: DeliveryPlace?,
        limit: Int64
    ) async throws -> [DeliveryView] {
        try await database.read { transaction in
            try transaction.deliveries(
                app, in: state, to: endpoint, after: after, limit: min(limit, Limits.pageSize)
            ).map { delivery in
                DeliveryView(
                    delivery: delivery,
                    customer: try delivery.customer.flatMap { try transaction.customerID($0) },
                    attempts: [])
            }
        }
    }

    /// How an event of the app goes to one endpoint; nil if it does not.
    package func delivery(
        of event: UniqueID, to endpoint: UniqueID, of app: AppID
    ) async throws -> DeliveryView? {
        try await database.read { transaction in
            guard let header = try transaction.eventHeader(app, event),
                let delivery = try transaction.delivery(to: endpoint, number: header.number),
                delivery.app == app
            else { return nil }
            return DeliveryView(
                delivery: delivery,
                customer: try delivery.customer.flatMap { try transaction.customerID($0) },
                attempts: try transaction.attempts(to: endpoint, number: header.number))
        }
    }

    /// An event of the app by its id, as readers see it; nil if none was published with it.
    package func event(_ id: UniqueID, of app: AppID) async throws -> PublishedEvent? {
        try await database.read { transaction in
            guard let header = try transaction.eventHeader(app, id),
                let found = try transaction.events(app, after: header.number - 1, limit: 1).first
            else { return nil }
            let customer = try found.event.customer.flatMap { try transaction.customerID($0) }
            return PublishedEvent(
                number: found.number, json: try found.event.json(customer: customer))
        }
    }
}
