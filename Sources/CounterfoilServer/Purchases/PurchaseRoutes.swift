// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP

extension Interface {
    /// `POST /v1/purchases` takes evidence in. Whatever becomes of it, the status is 200 once it is
    /// stored; the body says what the client may do. `GET /v1/purchases/{submission_id}` tells it again.
    var purchaseRoutes: [Route] {
        [
            .customer(.post, "/v1/purchases") { context, principal in
                let policy = try policy(of: principal)
                let submission = try context.body { body in
                    PurchaseRequest.read(&body, by: principal.customer, from: context.address)
                }
                if let named = submission.customer { _ = try principal.mayAct(for: named) }
                let outcome = try await submit(submission, to: policy)
                var response = HTTPResponse.json(outcome.json)
                if let pause = outcome.retryAfter {
                    response.headers["Retry-After"] = String(pause.components.seconds)
                }
                return response
            }.takingEvidence(),
            .customer(.get, "/v1/purchases/{submission_id}") { context, principal in
                try context.query { _ in }
                guard let id = UniqueID(context.parameter("submission_id")),
                    let view = try await engine.submission(
                        id, of: principal.app, visibleTo: principal.customer)
                else { throw principal.missing("there is no such submission") }
                return .json(view.json)
            },
        ]
    }
}
