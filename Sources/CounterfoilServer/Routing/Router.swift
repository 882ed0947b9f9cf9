// SPDX-License-Identifier: Apache-2.0

package import CounterfoilHTTP

/// Finds the route of a request.
package struct Router: Sendable {
    /// All routes, in the order in which they are tried.
    package let routes: [Route]

    private let routesByPartCount: [Int: [Route]]

    package init(_ routes: [Route]) {
        let sorted = routes.enumerated().sorted {
            let (left, right) = ($0.element.template.literalCount, $1.element.template.literalCount)
            return left == right ? $0.offset < $1.offset : left > right
        }
        self.routes = sorted.map(\.element)
        routesByPartCount = Dictionary(grouping: self.routes) { $0.template.parts.count }
    }

    /// The route and its path parameters. `HEAD` is answered where `GET` is.
    ///
    /// - Throws: ``Problem`` 404 where there is no such path, 405 where it has other methods.
    package func route(
        _ method: HTTPMethod, _ segments: [String]
    ) throws(Problem) -> (Route, [String: String]) {
        let wanted = method == .head ? HTTPMethod.get : method
        var allowed: [HTTPMethod] = []
        for route in routesByPartCount[segments.count] ?? [] {
            guard let parameters = route.template.match(segments) else { continue }
            if route.method == wanted { return (route, parameters) }
            allowed.append(route.method)
            if route.method == .get { allowed.append(.head) }
        }
        guard allowed.isEmpty else { throw .methodNotAllowed(method, allowed: allowed) }
        throw .notFound("there is nothing at this path")
    }
}
