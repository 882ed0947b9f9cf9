// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilHTTP

/// A request on its way through a route.
package struct RequestContext: Sendable {
    package let request: HTTPRequest

    /// The id that the answer carries and the log knows.
    package let requestID: UniqueID

    package let receivedAt: Instant

    /// Where the request came from in numbers: the other end of the connection, or what a proxy that
    /// is trusted says about it.
    package let address: String

    /// What stands in the places that the route's template names.
    let parameters: [String: String]

    /// Nil where nobody is too fast.
    let rates: RateLimiter?

    /// The part of the path that the template calls by that name.
    ///
    /// - Throws: ``Problem`` if it cannot be an identifier of that kind.
    package func parameter<Kind>(
        _ name: String, _ kind: Kind.Type
    ) throws(Problem) -> Identifier<Kind> {
        do throws(IdentifierError) {
            return try Identifier<Kind>(parameters[name] ?? "")
        } catch {
            throw .fields([DocumentFinding(path: name, problem: error.problem)])
        }
    }

    /// The part of the path as text.
    package func parameter(_ name: String) -> String {
        parameters[name] ?? ""
    }

    /// Counts a request that asks for several things at once as that many.
    func count(_ things: Int, by principal: Principal) {
        rates?.charge(Int64(things) - 1, to: principal, from: address)
    }
}
