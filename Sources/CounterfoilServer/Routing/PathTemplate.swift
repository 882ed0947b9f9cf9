// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP

/// The form of a route's paths, such as `/v1/customers/{customer_id}/tokens`.
package struct PathTemplate: Hashable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    enum Part: Hashable, Sendable {
        case literal(String)
        case parameter(String)
    }

    /// The template as it was written, as OpenAPI writes it too.
    package let description: String

    let parts: [Part]

    package init(stringLiteral text: String) {
        precondition(text.hasPrefix("/"), "a path starts with a slash")
        description = text
        parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { part in
                part.hasPrefix("{") && part.hasSuffix("}")
                    ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
            }
    }

    /// How specific the template is: literals win over parameters.
    var literalCount: Int {
        parts.count { if case .literal = $0 { true } else { false } }
    }

    /// The names of the parameters, from left to right.
    package var parameterNames: [String] {
        parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The parameters that make the template this path, or nil.
    func match(_ segments: [String]) -> [String: String]? {
        guard segments.count == parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, segment) in zip(parts, segments) {
            switch part {
            case .literal(let text):
                guard text == segment else { return nil }
            case .parameter(let name):
                guard !segment.isEmpty else { return nil }
                parameters[name] = segment
            }
        }
        return parameters
    }
}
