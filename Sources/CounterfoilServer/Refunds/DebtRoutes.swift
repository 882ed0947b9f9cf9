// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilStore

extension Interface {
    /// `GET /v1/debts`.
    var debtRoutes: [Route] {
        [
            .secret(.get, "/v1/debts") { context, principal in
                let (environment, after, limit) = try context.query { query in
                    let after = query.value("after", "is not the \"next\" of an earlier page") {
                        DebtPlace(cursor: $0)
                    }
                    return (query.environment(), after, query.pageLimit())
                }
                let debts = try await engine.debts(
                    of: principal.app, in: environment, after: after, limit: limit)
                let next = debts.count == Int(limit) ? debts.last?.place.cursor : nil
                return .json(["debts": .array(debts.map(\.json)), "next": .optional(next)])
            }
        ]
    }
}

extension DebtView {
    fileprivate var json: JSONValue {
        [
            "customer_id": .optional(customer?.rawValue), "unit": .string(debt.unit.rawValue),
            "owed": .integer(debt.owed), "since": .optional(debt.since?.rfc3339),
        ]
    }
}

extension DebtPlace {
    /// The place as a page names it: an id of ours, and the unit.
    fileprivate var cursor: String { "\(customer).\(unit)" }

    fileprivate init?(cursor: String) {
        let parts = cursor.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let customer = UniqueID(String(parts[0])),
            let unit = try? UnitID(String(parts[1]))
        else { return nil }
        self.init(customer: customer, unit: unit)
    }
}
