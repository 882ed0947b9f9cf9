// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilStore

extension Interface {
    /// The endpoints of an app: made, listed, changed, tried out and taken away.
    var endpointRoutes: [Route] {
        [
            .secret(.post, "/v1/endpoints") { context, principal in
                let request = try context.body {
                    EndpointRequest(&$0, isNew: true, rules: courier.rules)
                }
                let write = engine.endpointWrite(of: principal.app)
                return try await once(context, principal) { transaction in
                    let creation = try write.create(
                        request.settings, url: request.settings.url ?? "", after: request.after,
                        in: transaction)
                    guard case .created(let endpoint) = creation else {
                        throw Self.tooManyEndpoints
                    }
                    return StoredReply(status: 201, body: endpoint.jsonWithSecret)
                }
            },
            .secret(.get, "/v1/endpoints") { context, principal in
                try context.query { _ in }
                let endpoints = try await engine.endpoints(of: principal.app)
                return .json(["endpoints": .array(endpoints.map(\.json))])
            },
            .secret(.get, "/v1/endpoints/{endpoint_id}") { context, principal in
                try context.query { _ in }
                let id = try Self.endpointID(in: context)
                return .json(try await Self.found(engine.endpoint(id, of: principal.app)).json)
            },
            .secret(.patch, "/v1/endpoints/{endpoint_id}") { context, principal in
                let id = try Self.endpointID(in: context)
                let request = try context.body {
                    EndpointRequest(&$0, isNew: false, rules: courier.rules)
                }
                let write = engine.endpointWrite(of: principal.app)
                return try await once(context, principal) { transaction in
                    let endpoint = try write.update(id, request.settings, in: transaction)
                    return StoredReply(body: try Self.found(endpoint).json)
                }
            },
            .secret(.delete, "/v1/endpoints/{endpoint_id}") { context, principal in
                let id = try Self.endpointID(in: context)
                let write = engine.endpointWrite(of: principal.app)
                return try await once(context, principal) { transaction in
                    guard try write.delete(id, in: transaction) else { throw Self.noSuchEndpoint }
                    return StoredReply(body: [
                        "endpoint_id": .string(id.description), "state": "deleted",
                    ])
                }
            },
            .secret(.post, "/v1/endpoints/{endpoint_id}/rotate-secret") { context, principal in
                let id = try Self.endpointID(in: context)
                let seconds = try context.body { body in
                    body.integer(
                        "grace_seconds", in: CounterfoilEngine.Limits.secretGraceSeconds,
                        isRequired: false) ?? CounterfoilEngine.Limits.usualSecretGraceSeconds
                }
                let write = engine.endpointWrite(of: principal.app)
                return try await once(context, principal) { transaction in
                    let endpoint = try write.rotateSecret(
                        of: id, grace: .seconds(seconds), in: transaction)
                    return StoredReply(body: try Self.found(endpoint).jsonWithSecret)
                }
            },
        ]
    }

    /// Sends a test to an endpoint and says what came back.
    var endpointTestRoute: Route {
        .secret(.post, "/v1/endpoints/{endpoint_id}/test") { context, principal in
            let id = try Self.endpointID(in: context)
            if !context.request.body.isEmpty { _ = try context.body { _ in true } }
            return try await onceDone(context, principal) {
                let outcome = try await courier.test(id, of: principal.app)
                return StoredReply(body: try Self.found(outcome).json)
            }
        }
    }

    private static let tooManyEndpoints = Problem(
        status: 409, code: "endpoint.too_many",
        detail: "an app has at most \(CounterfoilEngine.Limits.endpointsPerApp) endpoints")

    static let noSuchEndpoint = Problem.notFound("there is no such endpoint")

    private static func found<Value>(_ value: Value?) throws(Problem) -> Value {
        guard let value else { throw noSuchEndpoint }
        return value
    }

    static func endpointID(in context: RequestContext) throws(Problem) -> UniqueID {
        guard let id = UniqueID(context.parameter("endpoint_id")) else { throw noSuchEndpoint }
        return id
    }
}
