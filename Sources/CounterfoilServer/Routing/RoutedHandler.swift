// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilHTTP

/// Answers requests through a router: with an id, a key where the route wants one, a problem
/// document for every error, and a count of everything.
package struct RoutedHandler: HTTPHandler {
    private let router: Router
    private let authenticator: any Authenticator
    private let clock: any WallClock
    private let random: any RandomSource
    private let metrics: RequestMetrics
    private let onDefect: @Sendable (_ error: any Error, _ requestID: UniqueID) -> Void

    /// - Parameter onDefect: Told about every error that is answered with 500 or for lack of
    ///   storage with 503.
    package init(
        router: Router, authenticator: any Authenticator, clock: any WallClock,
        random: any RandomSource, metrics: RequestMetrics,
        onDefect: @escaping @Sendable (_ error: any Error, _ requestID: UniqueID) -> Void
    ) {
        self.router = router
        self.authenticator = authenticator
        self.clock = clock
        self.random = random
        self.metrics = metrics
        self.onDefect = onDefect
    }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        let receivedAt = clock.now
        let requestID = UniqueID.timeOrdered(at: receivedAt, random: random)
        metrics.begin()
        var template: PathTemplate?
        var response: HTTPResponse
        do {
            let (route, parameters) = try router.route(request.method, request.target.segments)
            template = route.template
            let context = RequestContext(
                request: request, requestID: requestID, receivedAt: receivedAt,
                parameters: parameters)
            response = try await answer(context, route.access)
        } catch let problem as Problem {
            response = problem.response(requestID: requestID)
        } catch {
            onDefect(error, requestID)
            response = Problem(unexpected: error).response(requestID: requestID)
        }
        metrics.end(
            request.method, template, status: response.status,
            duration: clock.now.since(receivedAt))
        return finished(response, requestID)
    }

    package func response(to refusal: HTTPRefusal) -> HTTPResponse {
        let requestID = UniqueID.timeOrdered(at: clock.now, random: random)
        metrics.count(refusal)
        return finished(Problem(refusal).response(requestID: requestID), requestID)
    }

    private func answer(
        _ context: RequestContext, _ access: Route.Access
    ) async throws -> HTTPResponse {
        switch access {
        case .everybody(let answer):
            return try await answer(context)
        case .secretKey(let answer):
            let key = try Self.bearer(context.request.headers)
            guard let principal = try await authenticator.principal(secretKey: key) else {
                throw Problem.unauthorized(
                    "auth.key_invalid", "the key is unknown or was revoked")
            }
            return try await answer(context, principal)
        }
    }

    private static func bearer(_ headers: HTTPHeaders) throws(Problem) -> String {
        let values = headers.values(of: "Authorization")
        guard values.count == 1, let value = values.first else {
            throw .unauthorized("auth.key_missing", "send Authorization: Bearer with a secret key")
        }
        let parts = value.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer",
            parts[1].utf8.count <= Limits.bearerByteCount
        else {
            throw .unauthorized("auth.key_missing", "Authorization is not Bearer and a key")
        }
        return String(parts[1])
    }

    private func finished(_ response: HTTPResponse, _ requestID: UniqueID) -> HTTPResponse {
        var response = response
        response.headers["Request-Id"] = requestID.description
        if response.headers["Cache-Control"] == nil {
            response.headers["Cache-Control"] = "no-store"
        }
        return response
    }
}
