// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP

extension Interface {
    /// `GET /v1/customers/{customer_id}` and `POST …/tokens`.
    var customerRoutes: [Route] {
        [
            .customer(.get, "/v1/customers/{customer_id}") { context, principal in
                let (environment, version) = try context.query { query in
                    (query.environment(), query.integer("version", in: 0...Int64.max))
                }
                let id = try principal.mayAct(
                    for: context.parameter("customer_id", CustomerKind.self))
                let view = try await engine.customer(id, of: principal.app, in: environment)
                guard let view else { throw Problem.notFound("there is no such customer") }
                // What was answered is committed, and a read sees it; there is nothing to wait for.
                guard view.version >= version ?? 0 else {
                    throw Problem(
                        status: 409, code: "customer.version_ahead",
                        detail: "the customer is at version \(view.version) in \(environment)")
                }
                return .json(view.json)
            },
            .customer(.post, "/v1/customers/{customer_id}/tokens") { context, principal in
                let policy = try policy(of: principal)
                let id = try principal.mayAct(
                    for: context.parameter("customer_id", CustomerKind.self))
                let request = try context.body { TokenRequest(&$0) }
                // Whoever could name one would get what waits for it.
                guard request.token == nil || principal.customer == nil else {
                    throw Problem.secretKeyRequired
                }
                let registration = engine.registration(of: request.token, for: id, to: policy)
                return try await once(context, principal) { transaction in
                    do {
                        let token = try registration.run(in: transaction)
                        return StoredReply(body: [
                            "token": .string(token.description),
                            "customer_id": .string(id.rawValue),
                        ])
                    } catch let refusal as TokenRefusal {
                        throw Problem(refusal)
                    }
                }
            },
        ]
    }
}

extension Problem {
    fileprivate init(_ refusal: TokenRefusal) {
        switch refusal {
        case .takenByAnother:
            self.init(
                status: 409, code: "token.taken",
                detail: "the token names another customer and stays theirs")
        case .tooMany(let limit):
            self.init(
                status: 409, code: "token.limit",
                detail: "the customer has \(limit) tokens, the most that one may have")
        }
    }
}

/// The body of `POST …/tokens`: empty, or a token of the studio's own.
private struct TokenRequest {
    let token: UniqueID?

    init?(_ body: inout ObjectReader) {
        token = body.member("token", "a UUID", isRequired: false) { value in
            value.string.flatMap { UniqueID($0) }
        }
        if !body.findings.isEmpty { return nil }
    }
}
