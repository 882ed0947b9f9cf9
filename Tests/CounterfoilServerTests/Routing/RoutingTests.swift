// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilHTTP
import CounterfoilServer
import Testing

struct RequestsFindTheirRoute {
    private let fixture = Fixture([
        .open(.get, "/v1/customers/{customer_id}") { context in
            .json([
                "customer": .string(
                    try context.parameter("customer_id", CustomerKind.self).rawValue)
            ])
        },
        .open(.get, "/v1/customers/search") { _ in .json("search") },
        .open(.post, "/v1/customers/{customer_id}") { _ in HTTPResponse(status: 201) },
        .open(.get, "/v1/limited") { context in
            let (limit, product) = try context.query { query in
                (
                    query.integer("limit", in: 1...100),
                    query.identifier("product", ProductKind.self)
                )
            }
            return .json(["limit": .integer(limit ?? 0), "product": .optional(product?.rawValue)])
        },
    ])

    @Test("A part of the path is decoded and checked")
    func parameter() async throws {
        let good = try await fixture.send(.get, "/v1/customers/a%2Fb%20c")
        #expect(try good.json["customer"] == "a/b c")
        let long = try await fixture.send(
            .get, "/v1/customers/" + String(repeating: "a", count: 129))
        #expect(long.status == 400)
        #expect(try long.json["errors"]?.array?.first?["path"] == "customer_id")
    }

    @Test("A literal wins over a parameter")
    func precedence() async throws {
        #expect(try await fixture.send(.get, "/v1/customers/search").json == "search")
    }

    @Test(
        "A path that nobody knows is 404",
        arguments: ["/", "/v1/customers", "/v1/customers/", "/v1/customers/a/b", "/v2/x", "*"])
    func unknownPath(path: String) async throws {
        let response = try await fixture.send(.get, path)
        #expect(response.status == 404)
        #expect(try response.code == "request.not_found")
    }

    @Test("Another method than the path has is 405 with those it has")
    func unknownMethod() async throws {
        let response = try await fixture.send(.delete, "/v1/customers/a")
        #expect(response.status == 405)
        #expect(response.headers["Allow"] == "GET, HEAD, POST")
        #expect(try response.code == "request.method_not_allowed")
    }

    @Test("HEAD is answered where GET is")
    func head() async throws {
        #expect(try await fixture.send(.head, "/v1/customers/a").status == 200)
    }

    @Test("The query is checked, and what it should not have is named")
    func query() async throws {
        let good = try await fixture.send(.get, "/v1/limited?limit=7&product=coins")
        #expect(try good.json == ["limit": 7, "product": "coins"])
        for bad in ["limit=0", "limit=x", "limit=101", "product="] {
            #expect(try await fixture.send(.get, "/v1/limited?\(bad)").status == 400)
        }
        let unknown = try await fixture.send(.get, "/v1/limited?limt=7")
        #expect(try unknown.json["errors"]?.array?.first?["path"] == "limt")
    }

    @Test("Every faulty pair of a query is named in one answer, each once")
    func allFaults() async throws {
        let answer = try await fixture.send(
            .get, "/v1/limited?limit=0&limt=7&product=&limt=8&limit=1")
        #expect(answer.status == 400)
        let errors = try answer.json["errors"]?.array ?? []
        #expect(errors.map { $0["path"] } == ["limit", "product", "limt"])
        #expect(errors.first?["detail"] == "is given more than once")
    }
}

struct EveryAnswerSaysWhatHappened {
    private struct Defect: Error {}

    private let fixture = Fixture([
        .open(.get, "/ok") { _ in HTTPResponse(status: 200) },
        .open(.get, "/defect") { _ in throw Defect() },
        .open(.get, "/storage") { _ in throw DatabaseError(.full, "the disk is full") },
        .secret(.get, "/mine") { _, principal in
            .json(["app": .string(principal.app.rawValue)])
        },
    ])

    @Test("Every answer carries the request's id, and a problem names it")
    func requestID() async throws {
        let good = try await fixture.send(.get, "/ok")
        #expect(good.headers["Request-Id"] == CounterfoilServerTests.requestID.description)
        #expect(good.headers["Cache-Control"] == "no-store")
        let bad = try await fixture.send(.get, "/nothing")
        #expect(bad.headers["Request-Id"] == CounterfoilServerTests.requestID.description)
        #expect(bad.headers["Content-Type"] == "application/problem+json")
        #expect(
            try bad.json == [
                "type": "urn:counterfoil:problem:request.not_found", "title": "Not Found",
                "status": 404, "detail": "there is nothing at this path",
                "code": "request.not_found",
                "request_id": .string(CounterfoilServerTests.requestID.description),
            ])
    }

    @Test("An error that nobody foresaw is 500, reported, and tells nothing of itself")
    func defect() async throws {
        let response = try await fixture.send(.get, "/defect")
        #expect(response.status == 500)
        #expect(try response.code == "server.internal")
        #expect(!String(decoding: response.body, as: UTF8.self).contains("Defect"))
        #expect(fixture.defectIDs == [CounterfoilServerTests.requestID])
    }

    @Test("A database that is out of order is 503 with a time to wait, and reported")
    func storage() async throws {
        let response = try await fixture.send(.get, "/storage")
        #expect(response.status == 503)
        #expect(try response.code == "server.storage_unavailable")
        #expect(response.headers["Retry-After"] == "2")
        #expect(!fixture.defectIDs.isEmpty)
    }

    @Test("A route with a key is answered for the key's app")
    func goodKey() async throws {
        for scheme in ["Bearer good", "bearer  good"] {
            let response = try await fixture.send(
                .get, "/mine", headers: ["Authorization": scheme])
            #expect(try response.json == ["app": "game"])
        }
    }

    @Test(
        "Without a good key such a route is 401",
        arguments: [
            [], ["bad"], ["Bearer"], ["Bearer bad"], ["Basic good"], ["Bearer good good"],
            ["Bearer " + String(repeating: "a", count: 600)], ["Bearer good", "Bearer good"],
        ])
    func badKey(values: [String]) async throws {
        let headers = HTTPHeaders(values.map { .init(name: "Authorization", value: $0) })
        let response = try await fixture.send(.get, "/mine", headers: headers)
        #expect(response.status == 401)
        #expect(response.headers["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
    }

    @Test("A refusal of the server becomes a problem too")
    func refusal() throws {
        let response = fixture.handler.response(
            to: HTTPRefusal(
                status: 503, code: "http.overloaded", message: "full",
                retryAfter: .milliseconds(1500)))
        #expect(response.status == 503)
        #expect(response.headers["Retry-After"] == "2")
        #expect(response.headers["Request-Id"] != nil)
        #expect(try response.code == "http.overloaded")
    }
}
