// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilStore

extension Interface {
    /// `GET /v1/transactions?state=parked` and `GET /v1/transactions/{transaction_id}`.
    var transactionRoutes: [Route] {
        [
            .secret(.get, "/v1/transactions") { context, principal in
                let (environment, after, limit) = try context.query { query in
                    _ = query.choice("state", ListedState.self)
                    let after = query.identifier("after", TransactionKind.self)
                    return (query.environment(), after, query.pageLimit())
                }
                let catalogue = try policy(of: principal).catalogue
                let parked = try await engine.parkedTransactions(
                    of: principal.app, in: environment, after: after, limit: limit)
                let next = parked.count == Int(limit) ? parked.last?.record.transactionID : nil
                return .json([
                    "transactions": .array(parked.map { $0.json(catalogue) }),
                    "next": .optional(next?.rawValue),
                ])
            },
            .secret(.get, "/v1/transactions/{transaction_id}") { context, principal in
                let environment = try context.query { $0.environment() }
                let id = try context.parameter("transaction_id", TransactionKind.self)
                let view = try await engine.transaction(id, of: principal.app, in: environment)
                guard let view else {
                    throw Problem.notFound(
                        "no proof of this transaction was stored in this environment")
                }
                return .json(view.json(try policy(of: principal).catalogue))
            },
        ]
    }
}

/// Which transactions are listed; all of an app are too many to be of use to anybody.
private enum ListedState: String, CaseIterable {
    case parked
}
