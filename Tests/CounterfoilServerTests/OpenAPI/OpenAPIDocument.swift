// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import Foundation
import Testing

/// docs/openapi.yaml, taken apart as far as the tests ask.
struct OpenAPIDocument {
    struct Parameter {
        let name: String
        let place: String
        let isRequired: Bool
        let schema: JSONValue
    }

    struct Operation {
        let method: String
        let path: String
        let content: JSONValue
        let parameters: [Parameter]

        var name: String { "\(method) \(path)" }

        /// Whether its requests are written by our users, and not by Apple.
        var isOurs: Bool { path.hasPrefix("/v1/") }

        /// The names of the schemes, one set for each way in.
        var security: [Set<String>] {
            (content["security"]?.array ?? []).map { Set($0.object?.keys ?? []) }
        }
    }

    let root: JSONValue
    let operations: [Operation]

    init() throws {
        let package = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: package.appendingPathComponent("docs/openapi.yaml"), encoding: .utf8)
        let root = try PlainYAML.read(text)
        self.root = root
        var operations: [Operation] = []
        for path in root["paths"]?.object?.members ?? [] {
            for method in path.value.object?.members ?? [] {
                let parameters = try (method.value["parameters"]?.array ?? []).map { value in
                    let value = try Self.resolved(value, in: root)
                    return Parameter(
                        name: try #require(value["name"]?.string),
                        place: try #require(value["in"]?.string),
                        isRequired: value["required"]?.bool ?? false,
                        schema: try Self.resolved(try #require(value["schema"]), in: root))
                }
                operations.append(
                    Operation(
                        method: method.key.uppercased(), path: path.key, content: method.value,
                        parameters: parameters))
            }
        }
        self.operations = operations
    }

    /// The value itself, or what its reference names.
    static func resolved(_ value: JSONValue, in root: JSONValue) throws -> JSONValue {
        guard let reference = value["$ref"]?.string else { return value }
        let target = reference.split(separator: "/").dropFirst()
            .reduce(root) { $0[String($1)] ?? .null }
        guard reference.hasPrefix("#/"), target != .null else {
            throw PlainYAML.Fault(description: "\(reference) names nothing")
        }
        return try resolved(target, in: root)
    }

    /// The schema of an operation's body, or nil where it has none.
    func bodySchema(of operation: Operation) throws -> JSONValue? {
        guard let body = operation.content["requestBody"] else { return nil }
        let content = try Self.resolved(body, in: root)["content"]?["application/json"]?["schema"]
        return try Self.resolved(try #require(content), in: root)
    }

    /// The texts that a schema lists, such as those of `GrantState`.
    func words(of schema: String) -> Set<String> {
        let words = root["components"]?["schemas"]?[schema]?["enum"]?.array ?? []
        return Set(words.compactMap(\.string))
    }

    /// Every reference in the document.
    var references: [JSONValue] {
        func collect(_ value: JSONValue) -> [JSONValue] {
            if value["$ref"]?.string != nil { return [value] }
            return (value.array ?? value.object?.members.map(\.value) ?? []).flatMap(collect)
        }
        return collect(root)
    }
}
