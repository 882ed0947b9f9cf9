// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilStore

extension Interface {
    /// `GET /v1/customers/{customer_id}/statement`, `…/entries` and `…/holds`.
    var statementRoutes: [Route] {
        [
            .secret(.get, "/v1/customers/{customer_id}/statement") { context, principal in
                let id = try context.parameter("customer_id", CustomerKind.self)
                let page = try context.query { Page(&$0) }
                let lines = try await engine.statement(
                    of: id, principal.app, in: page.environment, unit: page.unit,
                    before: page.before, limit: page.limit)
                guard let lines else { throw Self.noSuchCustomer }
                return .json([
                    "transfers": .array(lines.map(\.json)),
                    "next": .optional(page.next(lines.map(\.place))),
                ])
            },
            .secret(.get, "/v1/customers/{customer_id}/entries") { context, principal in
                let id = try context.parameter("customer_id", CustomerKind.self)
                let page = try context.query { Page(&$0) }
                let entries = try await engine.entries(
                    of: id, principal.app, in: page.environment, unit: page.unit,
                    before: page.before, limit: page.limit)
                guard let entries else { throw Self.noSuchCustomer }
                return .json([
                    "entries": .array(entries.map(\.json)),
                    "next": .optional(page.next(entries.map(\.place))),
                ])
            },
            .secret(.get, "/v1/customers/{customer_id}/holds") { context, principal in
                let id = try context.parameter("customer_id", CustomerKind.self)
                let environment = try context.query { $0.environment() }
                let holds = try await engine.openHolds(
                    of: id, principal.app, in: environment)
                guard let holds else { throw Self.noSuchCustomer }
                return .json(["holds": .array(holds.map(\.json))])
            },
        ]
    }

    private static let noSuchCustomer = Problem.notFound("there is no such customer")
}

/// Which part of a customer's history is asked for.
private struct Page {
    let environment: AppStoreEnvironment
    let unit: UnitID?
    let before: EntryPlace?
    let limit: Int64

    init(_ query: inout QueryReader) {
        environment = query.environment()
        unit = query.identifier("unit", UnitKind.self)
        before = query.value("after", "is not the \"next\" of an earlier page") {
            EntryPlace(cursor: $0)
        }
        limit = query.pageLimit()
    }

    /// Where the next page goes on, if there may be one.
    func next(_ places: [EntryPlace]) -> String? {
        places.count == Int(limit) ? places.last?.cursor : nil
    }
}
