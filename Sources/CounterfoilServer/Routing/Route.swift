// SPDX-License-Identifier: Apache-2.0

package import CounterfoilHTTP

/// An address of the interface and what answers there.
package struct Route: Sendable {
    /// What a key must be, and what must come with it.
    package enum Admission: String, CaseIterable, Sendable {
        /// A secret key.
        case secret

        /// A secret key, or a client key with a customer's credential; the handler then acts for that
        /// customer only.
        case customer

        /// Any key of the app, without a customer.
        case key
    }

    package typealias OpenAnswer = @Sendable (RequestContext) async throws -> HTTPResponse
    package typealias KeyedAnswer =
        @Sendable (RequestContext, Principal) async throws -> HTTPResponse

    /// Who may come.
    enum Access: Sendable {
        case everybody(OpenAnswer)
        case keyed(Admission, KeyedAnswer)
    }

    package let method: HTTPMethod
    package let template: PathTemplate
    let access: Access

    /// Whether the request hands in evidence: whoever did has to keep it, unless an answer with a
    /// status says otherwise.
    package private(set) var takesEvidence = false

    /// Nil for a route that wants no key.
    package var admission: Admission? {
        if case .keyed(let admission, _) = access { admission } else { nil }
    }

    private init(_ method: HTTPMethod, _ template: PathTemplate, _ access: Access) {
        self.method = method
        self.template = template
        self.access = access
    }

    /// A route without a key.
    package static func open(
        _ method: HTTPMethod, _ template: PathTemplate, _ answer: @escaping OpenAnswer
    ) -> Route {
        Route(method, template, .everybody(answer))
    }

    /// A route for whoever has a secret key; it acts for that key's app.
    package static func secret(
        _ method: HTTPMethod, _ template: PathTemplate, _ answer: @escaping KeyedAnswer
    ) -> Route {
        Route(method, template, .keyed(.secret, answer))
    }

    /// A route for the studio's servers, and for an app on behalf of one customer. The handler asks
    /// ``Principal/mayAct(for:)`` about each customer that the request names.
    package static func customer(
        _ method: HTTPMethod, _ template: PathTemplate, _ answer: @escaping KeyedAnswer
    ) -> Route {
        Route(method, template, .keyed(.customer, answer))
    }

    /// A route for whoever has any key of the app.
    package static func key(
        _ method: HTTPMethod, _ template: PathTemplate, _ answer: @escaping KeyedAnswer
    ) -> Route {
        Route(method, template, .keyed(.key, answer))
    }

    /// The same route as one that takes evidence.
    func takingEvidence() -> Route {
        var route = self
        route.takesEvidence = true
        return route
    }

    /// The same route for those holders of keys only whom `admit` does not refuse.
    func admitting(
        _ admit: @escaping @Sendable (Principal) throws(Problem) -> Void
    ) -> Route {
        guard case .keyed(let admission, let answer) = access else { return self }
        var route = Route(
            method, template,
            .keyed(admission) { context, principal in
                try admit(principal)
                return try await answer(context, principal)
            })
        route.takesEvidence = takesEvidence
        return route
    }
}
