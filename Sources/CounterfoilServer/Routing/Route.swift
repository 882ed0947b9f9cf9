// SPDX-License-Identifier: Apache-2.0

package import CounterfoilHTTP

/// An address of the interface and what answers there.
package struct Route: Sendable {
    /// Who may come.
    enum Access: Sendable {
        case everybody(@Sendable (RequestContext) async throws -> HTTPResponse)
        case secretKey(@Sendable (RequestContext, Principal) async throws -> HTTPResponse)
    }

    package let method: HTTPMethod
    package let template: PathTemplate
    let access: Access

    /// A route without a key.
    package static func open(
        _ method: HTTPMethod, _ template: PathTemplate,
        _ answer: @escaping @Sendable (RequestContext) async throws -> HTTPResponse
    ) -> Route {
        Route(method: method, template: template, access: .everybody(answer))
    }

    /// A route for whoever has a secret key; it acts for that key's app.
    package static func secret(
        _ method: HTTPMethod, _ template: PathTemplate,
        _ answer: @escaping @Sendable (RequestContext, Principal) async throws -> HTTPResponse
    ) -> Route {
        Route(method: method, template: template, access: .secretKey(answer))
    }

    /// The same route for those holders of keys only whom `admit` does not refuse.
    func admitting(
        _ admit: @escaping @Sendable (Principal) throws(Problem) -> Void
    ) -> Route {
        guard case .secretKey(let answer) = access else { return self }
        return .secret(method, template) { context, principal in
            try admit(principal)
            return try await answer(context, principal)
        }
    }
}
