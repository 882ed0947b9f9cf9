// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilTestSupport
import CounterfoilWebhooks
import Synchronization
import Testing

@testable import CounterfoilEngine
@testable import CounterfoilServer

/// A network on which every host answers alike.
private final class OneAnswer: HTTPTransport {
    private let state: Mutex<(status: Int, body: String, requests: [OutgoingRequest])>

    init(_ status: Int = 204, _ body: String = "") {
        state = Mutex((status, body, []))
    }

    var requests: [OutgoingRequest] { state.withLock { $0.requests } }

    func answer(_ status: Int, _ body: String = "") {
        state.withLock { ($0.status, $0.body) = (status, body) }
    }

    func send(
        _ request: OutgoingRequest, deadline: Duration
    ) async throws(HTTPTransportError) -> HTTPResponse {
        state.withLock { state in
            state.requests.append(request)
            return HTTPResponse(status: state.status, body: Array(state.body.utf8))
        }
    }
}

extension GameServer {
    fileprivate func patch(_ path: String, _ json: JSONValue) async throws -> Answer {
        try await send(.patch, path, body: json.utf8, type: "application/json", key: nil)
    }

    /// Makes an endpoint and returns its address in the interface.
    fileprivate func endpoint(_ settings: JSONValue = [:]) async throws -> (
        path: String, json: JSONValue
    ) {
        var body = JSONObject([.init(key: "url", value: "https://hooks.example/a")])
        for member in settings.object?.members ?? [] { body.append(member.key, member.value) }
        let answer = try await post("/v1/endpoints", .object(body))
        #expect(answer.status == 201, "\(answer.json.text)")
        let id = try #require(answer.json["endpoint_id"]?.string)
        return ("/v1/endpoints/\(id)", answer.json)
    }

    fileprivate func deliver() async throws {
        try await engine.numberEvents()
        try await courier.serveAll()
    }
}

@Suite("Endpoints over the interface", .onEveryDatabase)
struct EndpointsOverTheInterface {
    @Test("An endpoint is made with a secret that is shown this once")
    func creation() async throws {
        let server = try await GameServer()
        let (path, made) = try await server.endpoint()
        let secret = try #require(made["secret"]?.string)
        #expect(try WebhookSecret(secret).bytes.count == 32)
        #expect(made["acknowledges"] == true && made["ordered"] == true)
        #expect(made["types"] == .null && made["environment"] == "all" && made["rate"] == 0)
        let shown = try await server.get(path)
        #expect(shown.json["url"] == "https://hooks.example/a")
        #expect(shown.json["secret"] == nil)
        let listed = try await server.get("/v1/endpoints")
        #expect(listed.json["endpoints"]?.array == [shown.json])
        #expect(!server.log.contains { $0.contains(secret) })
    }

    @Test("Settings are changed one by one, and a value that means none takes them back")
    func change() async throws {
        let server = try await GameServer()
        let (path, _) = try await server.endpoint()
        let changed = try await server.patch(
            path,
            [
                "description": "game", "types": ["purchase.fulfilled"], "environment": "Sandbox",
                "ordered": false, "acknowledges": false, "concurrency": 2, "rate": 10,
                "state": "disabled",
            ])
        #expect(changed.status == 200)
        #expect(changed.json["types"] == ["purchase.fulfilled"])
        #expect(changed.json["environment"] == "Sandbox" && changed.json["rate"] == 10)
        #expect(changed.json["state"] == "disabled")
        #expect(changed.json["reason"] == "webhook.switched_off")
        #expect(changed.json["url"] == "https://hooks.example/a")
        let back = try await server.patch(
            path,
            [
                "description": "", "types": [], "environment": "all", "rate": 0,
                "state": "enabled",
            ])
        for member in ["description", "types", "reason"] { #expect(back.json[member] == .null) }
        #expect(back.json["environment"] == "all" && back.json["rate"] == 0)
        #expect(back.json["ordered"] == false)
    }

    @Test(
        "What an endpoint cannot be is named by its member",
        arguments: [
            ([:], "url"), (["url": "http://hooks.example/"], "url"),
            (["url": "https://127.0.0.1/"], "url"), (["url": 7], "url"),
            (["url": "https://a.example/", "rate": -1], "rate"),
            (["url": "https://a.example/", "rate": "10"], "rate"),
            (["url": "https://a.example/", "concurrency": 65], "concurrency"),
            (["url": "https://a.example/", "types": ["Purchase"]], "types[0]"),
            (["url": "https://a.example/", "types": "all"], "types"),
            (["url": "https://a.example/", "environment": "Xcode"], "environment"),
            (["url": "https://a.example/", "secret": "whsec_AAAA"], "secret"),
            (["url": "https://a.example/", "state": "deleted"], "state"),
            (["url": "https://a.example/", "after": -1], "after"),
        ] as [(JSONValue, String)])
    func faults(body: JSONValue, path: String) async throws {
        let server = try await GameServer()
        let answer = try await server.post("/v1/endpoints", body)
        #expect(answer.status == 400)
        #expect(answer.json["code"] == "request.fields_invalid")
        #expect(answer.json["errors"]?.array?.first?["path"]?.string == path)
        #expect(try await server.get("/v1/endpoints").json["endpoints"] == [])
    }

    @Test("An endpoint of another app is as unknown as one that never was")
    func strangers() async throws {
        let server = try await GameServer()
        let stranger = "/v1/endpoints/\(server.engine.freshID())"
        let answers = [
            try await server.get(stranger), try await server.get("/v1/endpoints/x"),
            try await server.patch(stranger, [:]), try await server.post("\(stranger)/test", [:]),
            try await server.post("\(stranger)/rotate-secret", [:]),
            try await server.send(.delete, stranger, body: [], type: nil, key: nil),
            try await server.get("\(stranger)/deliveries/\(server.engine.freshID())"),
        ]
        for answer in answers {
            #expect(answer.status == 404)
            #expect(answer.json["code"] == "request.not_found")
        }
    }

    @Test("An app has at most fifty endpoints, and one that is taken away makes room")
    func count() async throws {
        let server = try await GameServer()
        var last = ""
        for _ in 0..<50 { last = try await server.endpoint().path }
        let refused = try await server.post(
            "/v1/endpoints", ["url": "https://hooks.example/b"])
        #expect(refused.status == 409 && refused.json["code"] == "endpoint.too_many")
        let removed = try await server.send(.delete, last, body: [], type: nil, key: nil)
        #expect(removed.status == 200 && removed.json["state"] == "deleted")
        _ = try await server.endpoint()
    }

    @Test("A test says what the receiver answered")
    func test() async throws {
        let network = OneAnswer(403, "who are you?")
        let server = try await GameServer(transport: network)
        let (path, made) = try await server.endpoint()
        let failed = try await server.post("\(path)/test", [:])
        #expect(failed.json["delivered"] == false)
        #expect(failed.json["attempt"]?["status"] == 403)
        #expect(failed.json["attempt"]?["reply"] == "who are you?")
        network.answer(200)
        #expect(try await server.post("\(path)/test", [:]).json["delivered"] == true)
        let request = try #require(network.requests.last)
        let secret = try WebhookSecret(try #require(made["secret"]?.string))
        _ = try WebhookVerifier(secrets: [secret]).verify(
            request.headers.fields.map { ($0.name, $0.value) }, body: request.body,
            now: server.clock.now)
    }

    @Test("A new secret is shown once, and the old one signs for as long as was asked")
    func rotation() async throws {
        let network = OneAnswer()
        let server = try await GameServer(transport: network)
        let (path, made) = try await server.endpoint()
        let rotated = try await server.post("\(path)/rotate-secret", ["grace_seconds": 60])
        #expect(rotated.json["secret"] != made["secret"])
        #expect(rotated.json["previous_secret_until"]?.string != nil)
        _ = try await server.post("\(path)/test", [:])
        let both = network.requests.last?.headers["webhook-signature"]
        #expect(both?.split(separator: " ").count == 2)
        _ = try await server.post("\(path)/rotate-secret", ["grace_seconds": 0])
        _ = try await server.post("\(path)/test", [:])
        let one = network.requests.last?.headers["webhook-signature"]
        #expect(one?.split(separator: " ").count == 1)
        let wrong = try await server.post("\(path)/rotate-secret", ["grace_seconds": 9_999_999])
        #expect(wrong.status == 400)
    }
}

@Suite("Deliveries over the interface", .onEveryDatabase)
struct DeliveriesOverTheInterface {
    @Test("A failed delivery shows its attempts, and a replay sends it again")
    func replay() async throws {
        let network = OneAnswer(500, "no database")
        let server = try await GameServer(transport: network)
        let (path, made) = try await server.endpoint()
        _ = try await server.submit(server.purchase())
        try await server.deliver()
        let waiting = try await server.get("/v1/deliveries?state=waiting")
        let delivery = try #require(waiting.json["deliveries"]?.array?.first)
        #expect(delivery["endpoint_id"] == made["endpoint_id"])
        #expect(delivery["type"] == "purchase.fulfilled" && delivery["customer_id"] == "u1")
        #expect(delivery["attempts"] == 1 && delivery["next_at"]?.string != nil)
        #expect(delivery["last_attempt"]?["error"] == "webhook.status")
        let id = try #require(delivery["event_id"]?.string)
        let shown = try await server.get("\(path)/deliveries/\(id)")
        #expect(shown.json["attempts_log"]?.array?.count == 1)
        #expect(shown.json["attempts_log"]?.array?.first?["reply"] == "no database")
        network.answer(204)
        let replayed = try await server.post(
            "/v1/deliveries/replay", ["all_failed_since": "2020-01-01T00:00:00Z"])
        #expect(replayed.json == ["replayed": 1, "partial": false])
        try await server.deliver()
        let delivered = try await server.get("\(path)/deliveries/\(id)")
        #expect(delivered.json["state"] == "delivered")
        #expect(server.log.contains { $0.contains("webhook.replayed") })
        let again = try await server.post("/v1/deliveries/replay", ["ids": [.string(id)]])
        #expect(again.json["replayed"] == 1)
        try await server.deliver()
        #expect(network.requests.last?.headers["webhook-replay"] == "1")
        #expect(network.requests.last?.headers["webhook-id"] == id)
        #expect(try await server.get("/v1/deliveries").json["deliveries"] == [])
    }

    @Test(
        "A replay says in exactly one way what is meant",
        arguments: [
            [:], ["ids": [], "customer_id": "u1"], ["ids": ["x"]], ["customer_id": ""],
            ["from": "2026-01-01T00:00:00Z"], ["to": "2026-01-01T00:00:00Z"],
            ["from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"],
            ["from": "yesterday", "to": "today"], ["all_failed_since": 1],
            ["customer_id": "u1", "environment": "Xcode"], ["customer_id": "u1", "all": true],
            ["customer_id": "u1", "endpoint_id": "x"],
        ] as [JSONValue])
    func faults(body: JSONValue) async throws {
        let server = try await GameServer()
        let answer = try await server.post("/v1/deliveries/replay", body)
        #expect(answer.status == 400 && answer.json["code"] == "request.fields_invalid")
    }

    @Test("Deliveries are listed page by page, for all endpoints or for one")
    func pages() async throws {
        let server = try await GameServer(transport: OneAnswer())
        let (_, first) = try await server.endpoint()
        _ = try await server.endpoint()
        for number in 1...5 {
            _ = try await server.submit(server.purchase("coins100", "T\(number)"))
        }
        try await server.deliver()
        func list(_ query: String) async throws -> [JSONValue] {
            var found: [JSONValue] = []
            var path: String? = "/v1/deliveries?state=delivered&limit=3\(query)"
            while let next = path {
                let page = try await server.get(next)
                found += page.json["deliveries"]?.array ?? []
                path = page.json["next"]?.string.map {
                    "/v1/deliveries?state=delivered&limit=3\(query)&after=\($0)"
                }
            }
            return found
        }
        #expect(try await list("").count == 10)
        let id = try #require(first["endpoint_id"]?.string)
        let ofOne = try await list("&endpoint_id=\(id)")
        #expect(ofOne.count == 5 && ofOne.allSatisfy { $0["endpoint_id"]?.string == id })
        #expect(try await server.get("/v1/deliveries?after=x").status == 400)
    }

    @Test("Webhooks are held back and let go by a switch")
    func holds() async throws {
        let network = OneAnswer()
        let server = try await GameServer(transport: network)
        _ = try await server.endpoint()
        let held = try await server.post(
            "/v1/deliveries/holds", ["product_id": "coins100", "note": "wrong price"])
        #expect(held.json == ["held": true])
        let listed = try await server.get("/v1/deliveries/holds").json["holds"]?.array
        #expect(listed?.map { $0["product_id"] } == ["coins100"])
        #expect(listed?.map { $0["note"] } == ["wrong price"])
        _ = try await server.submit(server.purchase())
        try await server.deliver()
        #expect(network.requests.isEmpty)
        let shown = try await server.get("/v1/deliveries?state=held").json["deliveries"]?.array
        #expect(shown?.first?["held_product_id"] == "coins100")
        let released = try await server.post(
            "/v1/deliveries/holds/release", ["product_id": "coins100"])
        #expect(released.json == ["held": false, "was_held": true])
        try await server.deliver()
        #expect(network.requests.count == 1)
        let again = try await server.post("/v1/deliveries/holds/release", [:])
        #expect(again.json == ["held": false, "was_held": false])
    }

    @Test("Events are read one by one, and lists by type go on behind what they leave out")
    func events() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase())
        _ = try await server.submit(server.purchase("gems", "T2"))
        let all = try await server.get("/v1/events")
        let events = try #require(all.json["events"]?.array)
        #expect(events.count == 2)
        let parked = try await server.get("/v1/events?types=purchase.parked,order.changed")
        #expect(parked.json["events"]?.array == [events[1]])
        let none = try await server.get("/v1/events?types=order.changed")
        #expect(none.json["events"] == [] && none.json["next"] == all.json["next"])
        let id = try #require(events[0]["id"]?.string)
        #expect(try await server.get("/v1/events/\(id)").json == events[0])
        #expect(try await server.get("/v1/events/\(server.engine.freshID())").status == 404)
        #expect(try await server.get("/v1/events?types=Purchase").status == 400)
    }
}
