// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilTestSupport
import Testing

/// Values that a member with this schema must refuse, by the path under which the fault is named.
private func badValues(
    for schema: JSONValue, at path: String, in document: OpenAPIDocument
) throws -> [(value: JSONValue, path: String)] {
    let schema = try OpenAPIDocument.resolved(schema, in: document.root)
    if schema["properties"]?["amount_milli"] != nil {
        func money(_ amount: JSONValue, _ currency: JSONValue) -> JSONValue {
            ["amount_milli": amount, "currency": currency]
        }
        let float = try JSONValue(parsing: Array("4.99".utf8))
        return [
            (money(float, "USD"), "\(path).amount_milli"),
            (money("4990", "USD"), "\(path).amount_milli"),
            (money(-1, "USD"), "\(path).amount_milli"),
            (money(4990, "usd"), "\(path).currency"), (money(4990, "DOLLAR"), "\(path).currency"),
            (money(4990, .null), "\(path).currency"), (float, path),
        ]
    }
    // What may be left out may be null as well.
    let kinds = schema["type"]?.array ?? [schema["type"] ?? .null]
    switch kinds.first?.string {
    case "integer":
        let floats = try ["1.5", "1e30"].map { try JSONValue(parsing: Array($0.utf8)) }
        let others: [JSONValue] = ["1", true, [:], .integer(-Int64.max)]
        return (floats + others).map { ($0, path) }
    case "string":
        let values: [JSONValue] = [1, true, [], [:], "a\u{0}b"]
        return values.map { ($0, path) }
    case "boolean":
        let values: [JSONValue] = [1, "true", []]
        return values.map { ($0, path) }
    case "array":
        let values: [JSONValue] = [[:], "x", 1]
        var bad: [(value: JSONValue, path: String)] = values.map { ($0, path) }
        if let items = schema["items"] {
            bad += try badValues(for: items, at: "\(path)[0]", in: document).map {
                (.array([$0.value]), $0.path)
            }
        }
        return bad
    case "object":
        let values: [JSONValue] = [[], "x", 1]
        var bad: [(value: JSONValue, path: String)] = values.map { ($0, path) }
        for member in schema["properties"]?.object?.members ?? [] {
            bad += try badValues(for: member.value, at: "\(path).\(member.key)", in: document)
                .map { (.object(JSONObject([.init(key: member.key, value: $0.value)])), $0.path) }
        }
        if schema["additionalProperties"] == false {
            bad.append((["surprise": 1], "\(path).surprise"))
        }
        return bad
    default:
        return []
    }
}

@Suite("Bodies with a fault")
struct BodiesWithAFault {
    @Test(
        "On every route that takes one, a wrong kind, a float, a negative or an unknown member is named"
    )
    func everyRoute() async throws {
        let server = try await GameServer()
        let document = try OpenAPIDocument()
        var count = 0
        for operation in document.operations where operation.isOurs {
            guard let schema = try document.bodySchema(of: operation) else { continue }
            for member in schema["properties"]?.object?.members ?? [] {
                let bad = try badValues(for: member.value, at: member.key, in: document)
                #expect(!bad.isEmpty || member.value["type"] == nil, "\(operation.name)")
                for (value, path) in bad {
                    let body = JSONValue.object(
                        JSONObject([.init(key: member.key, value: value)]))
                    let answer = try await server.write(operation, body)
                    #expect(answer.status == 400, "\(operation.name) \(body.text)")
                    let named = (answer.json["errors"]?.array ?? []).compactMap {
                        $0["path"]?.string
                    }
                    #expect(
                        named.contains { $0.hasPrefix(path) },
                        "\(operation.name) \(body.text): \(answer.json.text)")
                    count += 1
                }
            }
        }
        #expect(count > 40)
    }
}
