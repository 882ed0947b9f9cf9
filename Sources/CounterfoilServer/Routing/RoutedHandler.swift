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
    private let log: Log
    private let onDefect: @Sendable (_ error: any Error, _ requestID: UniqueID) -> Void

    /// - Parameter onDefect: Told about every error that is answered with 500 or for lack of
    ///   storage with 503.
    package init(
        router: Router, authenticator: any Authenticator, clock: any WallClock,
        random: any RandomSource, metrics: RequestMetrics, log: Log = .none,
        onDefect: @escaping @Sendable (_ error: any Error, _ requestID: UniqueID) -> Void
    ) {
        self.router = router
        self.authenticator = authenticator
        self.clock = clock
        self.random = random
        self.metrics = metrics
        self.log = log
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
            switch try await authenticator.standing(ofKey: key) {
            case .valid(let principal):
                return try await noting(principal.keyID, context) {
                    try await answer(context, principal)
                }
            case .revoked(let principal):
                return try await noting(principal.keyID, context) { throw Problem.keyInvalid }
            case .unknown:
                return try await noting(nil, context) { throw Problem.keyInvalid }
            }
        }
    }

    /// Writes down which key it was that something was refused to.
    private func noting(
        _ keyID: UniqueID?, _ context: RequestContext,
        _ answer: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        do {
            return try await answer()
        } catch let problem as Problem {
            if [401, 403].contains(problem.status) {
                log.refused(problem, keyID: keyID, requestID: context.requestID)
            }
            throw problem
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
