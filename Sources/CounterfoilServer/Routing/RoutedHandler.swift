// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilHTTP

/// Answers requests through a router: with an id, a key where the route wants one, a problem
/// document for every error, and a count of everything.
package struct RoutedHandler: HTTPHandler {
    private let router: Router
    private let authenticator: any Authenticator
    private let customers: (any CustomerAuthenticator)?
    private let rates: RateLimiter?
    private let trustedProxies: TrustedProxies
    private let clock: any WallClock
    private let random: any RandomSource
    private let metrics: RequestMetrics
    private let log: Log
    private let onDefect: @Sendable (_ error: any Error, _ requestID: UniqueID) -> Void

    /// - Parameters:
    ///   - customers: Nil where no client key opens anything.
    ///   - rates: Nil where nobody is too fast.
    ///   - onDefect: Told about every error that is answered with 500 or for lack of storage with 503.
    package init(
        router: Router, authenticator: any Authenticator,
        customers: (any CustomerAuthenticator)? = nil, rates: RateLimiter? = nil,
        trustedProxies: TrustedProxies = .none, clock: any WallClock,
        random: any RandomSource, metrics: RequestMetrics, log: Log = .none,
        onDefect: @escaping @Sendable (_ error: any Error, _ requestID: UniqueID) -> Void
    ) {
        self.router = router
        self.authenticator = authenticator
        self.customers = customers
        self.rates = rates
        self.trustedProxies = trustedProxies
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
        var found: Route?
        var response: HTTPResponse
        do {
            let (route, parameters) = try router.route(request.method, request.target.segments)
            found = route
            let context = RequestContext(
                request: request, requestID: requestID, receivedAt: receivedAt,
                address: trustedProxies.address(of: request), parameters: parameters,
                rates: rates)
            response = try await answer(context, route.access)
        } catch {
            let known = error as? Problem
            if known == nil { onDefect(error, requestID) }
            let problem = known ?? Problem(unexpected: error)
            response = problem.response(
                requestID: requestID, keepsEvidence: found?.takesEvidence ?? false)
        }
        metrics.end(
            request.method, found?.template, status: response.status,
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
        case .keyed(let admission, let answer):
            switch try await authenticator.standing(ofKey: context.bearer()) {
            case .valid(let principal):
                return try await noting(principal.keyID, context) {
                    try await answer(context, admitted(principal, to: admission, context))
                }
            case .revoked(let principal):
                return try await noting(principal.keyID, context) { throw refusal(of: context) }
            case .unknown:
                return try await noting(nil, context) { throw refusal(of: context) }
            }
        }
    }

    /// Why a key opens nothing, or that its sender tried too many.
    private func refusal(of context: RequestContext) -> Problem {
        do throws(Problem) {
            try rates?.refuse(from: context.address, at: context.receivedAt)
            return .keyInvalid
        } catch {
            return error
        }
    }

    /// The holder of a key with the customer for whom it acts, if it may come and is not too fast.
    private func admitted(
        _ principal: Principal, to admission: Route.Admission, _ context: RequestContext
    ) async throws -> Principal {
        var principal = principal
        try rates?.admit(principal, from: context.address, at: context.receivedAt)
        if admission == .secret, principal.kind == .client { throw Problem.secretKeyRequired }
        guard let credential = try context.customerCredential() else {
            guard admission != .customer || principal.kind == .secret else {
                throw Problem.customerMissing
            }
            return principal
        }
        // Whatever the route and the key: a server of the studio that hands on what an app sent to it is
        // held to that customer.
        principal.customer = try await customers?.customer(
            named: credential, of: principal.app, at: context.receivedAt)
        guard let customer = principal.customer else { throw Problem.customerMissing }
        try rates?.admit(customer, of: principal, at: context.receivedAt)
        if admission == .secret { try context.requirePath(of: customer) }
        return principal
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

    private func finished(_ response: HTTPResponse, _ requestID: UniqueID) -> HTTPResponse {
        var response = response
        response.headers["Request-Id"] = requestID.description
        if response.headers["Cache-Control"] == nil {
            response.headers["Cache-Control"] = "no-store"
        }
        return response
    }
}
