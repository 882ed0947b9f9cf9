// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilHTTP

/// A request on its way through a route.
package struct RequestContext: Sendable {
    package let request: HTTPRequest

    /// The id that the answer carries and the log knows.
    package let requestID: UniqueID

    package let receivedAt: Instant

    /// What stands in the places that the route's template names.
    let parameters: [String: String]

    /// The part of the path that the template calls by that name.
    ///
    /// - Throws: ``Problem`` if it cannot be an identifier of that kind.
    package func parameter<Kind>(
        _ name: String, _ kind: Kind.Type
    ) throws(Problem) -> Identifier<Kind> {
        try Self.identifier(parameters[name] ?? "", name)
    }

    /// The part of the path as text.
    package func parameter(_ name: String) -> String {
        parameters[name] ?? ""
    }

    /// The identifier in the query, or nil where it is not given.
    package func query<Kind>(
        _ name: String, _ kind: Kind.Type
    ) throws(Problem) -> Identifier<Kind>? {
        guard let text = request.target.queryValue(name) else { return nil }
        return try Self.identifier(text, name)
    }

    /// The integer in the query, or nil where it is not given.
    package func query(
        _ name: String, in range: ClosedRange<Int64>
    ) throws(Problem) -> Int64? {
        guard let text = request.target.queryValue(name) else { return nil }
        guard let value = Int64(text), range.contains(value) else {
            throw .parameter(
                name,
                "is not an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Refuses pairs of the query that the route does not know.
    package func requireQuery(only names: Set<String>) throws(Problem) {
        let unknown = request.target.query.map(\.name).filter { !names.contains($0) }
        guard unknown.isEmpty else {
            throw .fields(unknown.map { DocumentFinding(path: $0, problem: "is unknown here") })
        }
    }

    private static func identifier<Kind>(
        _ text: String, _ name: String
    ) throws(Problem) -> Identifier<Kind> {
        do throws(IdentifierError) {
            return try Identifier<Kind>(text)
        } catch {
            throw .parameter(name, error.problem)
        }
    }
}
