// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP

extension Interface {
    /// `GET /v1/transactions/{transaction_id}`.
    var transactionRoutes: [Route] {
        [
            .secret(.get, "/v1/transactions/{transaction_id}") { context, principal in
                try context.requireQuery(only: ["environment"])
                let id = try context.parameter("transaction_id", TransactionKind.self)
                let view = try await engine.transaction(
                    id, of: principal.app, in: context.environment())
                guard let view else {
                    throw Problem.notFound(
                        "no proof of this transaction was stored in this environment")
                }
                return .json(view.json)
            }
        ]
    }
}
