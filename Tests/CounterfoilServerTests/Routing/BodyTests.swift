// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTP
import CounterfoilServer
import Testing

struct BodiesAreReadStrictly {
    private let fixture = Fixture([
        .open(.post, "/order") { context in
            let total = try context.body { reader in
                let product = reader.identifier("product", ProductKind.self)
                let count = reader.integer("count", in: 1...9)
                let note = reader.string("note", maximum: 5, isRequired: false)
                return product.map { "\($0) \(count ?? 0) \(note ?? "-")" }
            }
            return .json(.string(total))
        }
    ])

    @Test("A good body is read")
    func good() async throws {
        let response = try await fixture.post("/order", #"{"product": "coins", "count": 2}"#)
        #expect(try response.json == "coins 2 -")
    }

    @Test(
        "Every spelling of the JSON type is taken",
        arguments: [
            "application/json", "Application/JSON; charset=UTF-8",
            "application/json;charset=\"utf-8\"",
        ])
    func types(type: String) async throws {
        let response = try await fixture.post(
            "/order", #"{"product": "coins", "count": 2}"#, contentType: type)
        #expect(response.status == 200)
    }

    @Test(
        "Another type is 415",
        arguments: [
            "", "text/plain", "application/xml", "application/json; charset=latin1",
            "application/x-www-form-urlencoded", "application/jsonp",
        ])
    func otherTypes(type: String) async throws {
        let response = try await fixture.post(
            "/order", #"{"product": "coins", "count": 2}"#, contentType: type)
        #expect(response.status == 415)
        #expect(try response.code == "request.content_type")
    }

    @Test("A missing type and a compressed body are 415")
    func missingType() async throws {
        let body = Array("{}".utf8)
        #expect(try await fixture.send(.post, "/order", body: body).status == 415)
        let compressed: HTTPHeaders = [
            "Content-Type": "application/json", "Content-Encoding": "gzip",
        ]
        #expect(
            try await fixture.send(.post, "/order", headers: compressed, body: body).status == 415)
    }

    @Test(
        "What is no JSON is 400 with its kind, line and column",
        arguments: [
            ("{\n  \"product\": }", "json.syntax", 2, 14),
            ("{\"a\": 1, \"a\": 2}", "json.duplicate_key", 1, 17),
            ("{\"a\": \"\\ud800\"}", "json.encoding", 1, 14),
            (String(repeating: "[", count: 17), "json.depth", 1, 17),
            ("{} x", "json.syntax", 1, 4),
        ])
    func notJSON(body: String, code: String, line: Int64, column: Int64) async throws {
        let response = try await fixture.post("/order", body)
        #expect(response.status == 400)
        let problem = try response.json
        #expect(problem["code"]?.string == code)
        #expect(problem["line"]?.int64 == line)
        #expect(problem["column"]?.int64 == column, "\(problem.text)")
    }

    @Test("Bytes that are not UTF-8 are 400")
    func encoding() async throws {
        let response = try await fixture.send(
            .post, "/order", headers: ["Content-Type": "application/json"],
            body: [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D])
        #expect(response.status == 400)
        #expect(try response.code == "json.encoding")
    }

    @Test("An empty body is 400")
    func empty() async throws {
        #expect(try await fixture.post("/order", "").code == "request.body_empty")
    }

    @Test("All faults of the members are named at once, unknown members too")
    func faults() async throws {
        let response = try await fixture.post(
            "/order", #"{"count": 10, "note": "longer", "produkt": "coins"}"#)
        #expect(response.status == 400)
        #expect(try response.code == "request.fields_invalid")
        let paths = try response.json["errors"]?.array?.compactMap { $0["path"]?.string }
        #expect(paths == ["product", "count", "note", "produkt"])
    }

    @Test("A body that is no object is 400")
    func noObject() async throws {
        #expect(try await fixture.post("/order", "[]").code == "request.fields_invalid")
    }
}
