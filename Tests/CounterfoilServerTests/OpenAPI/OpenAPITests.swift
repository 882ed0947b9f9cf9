// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine
@testable import CounterfoilServer

@Suite("docs/openapi.yaml")
struct TheDescriptionOfTheInterface {
    private static let customerWays: [Set<String>] = [
        ["secretKey"], ["clientKey", "customerToken"], ["clientKey", "customerSecret"],
    ]

    private static func ways(_ admission: Route.Admission?) -> [Set<String>] {
        switch admission {
        case .secret: [["secretKey"]]
        case .customer: customerWays
        case .key: [["secretKey"], ["clientKey"]]
        case nil: []
        }
    }

    @Test("It has every route of the router and no other, with the keys that open it")
    func routes() async throws {
        let document = try OpenAPIDocument()
        let server = try await GameServer()
        let described = Dictionary(
            document.operations.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let names = server.routes.map { "\($0.method.rawValue) \($0.template)" }
        #expect(Set(described.keys).subtracting(names) == [])
        #expect(Set(names).subtracting(described.keys) == [])
        for route in server.routes {
            let operation = try #require(described["\(route.method.rawValue) \(route.template)"])
            #expect(operation.content["security"]?.array != nil, "\(operation.name)")
            #expect(operation.security == Self.ways(route.admission), "\(operation.name)")
            #expect(
                operation.parameters.filter { $0.place == "path" }.map(\.name)
                    == route.template.parameterNames, "\(operation.name)")
        }
    }

    @Test(
        "Every reference leads somewhere, and every operation has a name, a success and a problem")
    func whole() throws {
        let document = try OpenAPIDocument()
        for reference in document.references {
            #expect(throws: Never.self) {
                try OpenAPIDocument.resolved(reference, in: document.root)
            }
        }
        let names = document.operations.compactMap { $0.content["operationId"]?.string }
        #expect(Set(names).count == document.operations.count)
        for operation in document.operations {
            let statuses = operation.content["responses"]?.object?.keys ?? []
            #expect(statuses.contains { $0.hasPrefix("2") }, "\(operation.name)")
            #expect(
                operation.content["responses"]?["default"]?["$ref"]
                    == "#/components/responses/Problem", "\(operation.name)")
        }
    }

    @Test("It lists the words that the code knows")
    func words() throws {
        let document = try OpenAPIDocument()
        #expect(document.words(of: "Status") == Set(SubmissionStatus.allCases.map(\.rawValue)))
        #expect(
            document.words(of: "EndpointState") == Set(EndpointState.allCases.map(\.rawValue)))
        #expect(
            document.words(of: "DeliveryState") == Set(DeliveryState.allCases.map(\.rawValue)))
        #expect(document.words(of: "OrderState") == Set(OrderState.allCases.map(\.rawValue)))
        #expect(document.words(of: "ClientAction") == ["finish", "keep"])
        #expect(
            document.words(of: "PurchaseAdviceReason")
                == Set(PurchaseAdvice.Reason.allCases.map(\.rawValue)))
        #expect(document.words(of: "Verdict") == Set(Explanation.Verdict.allCases.map(\.rawValue)))
        #expect(document.words(of: "GrantState") == Set(GrantState.allCases.map(\.rawValue)))
    }

    @Test("A query knows the pairs that it lists, and no other")
    func queries() async throws {
        let server = try await GameServer()
        for operation in try OpenAPIDocument().operations
        where operation.method == "GET" && operation.path.hasPrefix("/v1") {
            let listed = operation.parameters.filter { $0.place == "query" }.map(\.name)
            let query = (listed + ["surprise"]).map { "\($0)=%E2%82%AC" }.joined(separator: "&")
            let answer = try await server.get("\(server.filled(operation.path))?\(query)")
            let unknown = server.findings(in: answer, saying: "is unknown here")
            #expect(unknown == ["surprise"], "\(operation.name): \(answer.json.text)")
        }
    }

    @Test("A body knows the members that it lists, and no other, and wants those that it requires")
    func bodies() async throws {
        let server = try await GameServer()
        let document = try OpenAPIDocument()
        for operation in document.operations where operation.isOurs {
            guard let schema = try document.bodySchema(of: operation) else { continue }
            #expect(schema["additionalProperties"] == false, "\(operation.name)")
            let listed = schema["properties"]?.object?.keys ?? []
            var body = JSONObject(listed.map { .init(key: $0, value: .null) })
            body.append("surprise", 1)
            let answer = try await server.write(operation, .object(body))
            let unknown = server.findings(in: answer, saying: "is unknown here")
            #expect(unknown == ["surprise"], "\(operation.name): \(answer.json.text)")
            let required = (schema["required"]?.array ?? []).compactMap(\.string)
            let missing = server.findings(in: answer, saying: "is missing")
            #expect(Set(required).isSubset(of: missing), "\(operation.name): \(answer.json.text)")
        }
    }

    @Test(
        "Every write but those that are their own key, or answer with a secret, names Idempotency-Key"
    )
    func idempotency() throws {
        let own: Set<String> = [
            "POST /v1/purchases", "POST /v1/customers/{customer_id}/restore", "POST /v1/customers",
            "POST /v1/catalogue/reload",
        ]
        for operation in try OpenAPIDocument().operations
        where operation.isOurs && operation.method != "GET" {
            let isNamed = operation.parameters.contains { $0.name == "Idempotency-Key" }
            #expect(isNamed != own.contains(operation.name), "\(operation.name)")
        }
    }
}

extension GameServer {
    /// A path with something of the right form in each place.
    func filled(_ path: String) -> String {
        path.split(separator: "/").map { part in
            guard part.hasPrefix("{") else { return String(part) }
            return ["{customer_id}", "{transaction_id}"].contains(part)
                ? "x1" : "53a1c0de-7d4b-8f0a-9f3e-2b6f1c0a9d11"
        }.map { "/\($0)" }.joined()
    }

    /// Sends a body to an operation.
    func write(
        _ operation: OpenAPIDocument.Operation, _ body: JSONValue
    ) async throws -> Answer {
        try await send(
            operation.method == "PATCH" ? .patch : .post, filled(operation.path), body: body.utf8,
            type: "application/json", key: nil)
    }

    /// The paths of the faults that an answer names in these words.
    func findings(in answer: Answer, saying words: String) -> Set<String> {
        let errors = answer.json["errors"]?.array ?? []
        return Set(
            errors.filter { $0["detail"]?.string?.contains(words) == true }
                .compactMap { $0["path"]?.string })
    }
}
