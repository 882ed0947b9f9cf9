// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilServer
import CounterfoilTestSupport
import Testing

@Suite("The header Idempotency-Key", .onEveryDatabase)
struct TheHeaderIdempotencyKey {
    private func named(_ key: String) -> HTTPHeaders { ["Idempotency-Key": key] }

    @Test("A repeat is answered as the first time, and says so")
    func repeated() async throws {
        let server = try await GameServer()
        let path = "/v1/customers/u1/tokens"
        let first = try await server.post(path, [:], headers: named("order-1"))
        let second = try await server.post(path, [:], headers: named("order-1"))
        #expect(second.status == 200)
        #expect(second.json == first.json)
        #expect(first.headers["Idempotency-Replayed"] == nil)
        #expect(second.headers["Idempotency-Replayed"] == "true")
        let third = try await server.post(path, [:], headers: named("order-2"))
        #expect(third.json != first.json)
    }

    @Test("A repeat through another key of the studio is the same request")
    func rotatedKey() async throws {
        let server = try await GameServer()
        let path = "/v1/customers/u1/tokens"
        let first = try await server.post(path, [:], headers: named("order-1"))
        let other = try await server.keys.create(for: AppID("game"), label: "new").text
        let second = try await server.send(
            .post, path, body: Array("{}".utf8), type: "application/json", key: other,
            headers: named("order-1"))
        #expect(second.json == first.json)
    }

    @Test(
        "Work in several transactions is repeated from its answer too",
        arguments: [
            ("/v1/deliveries/replay", ["all_failed_since": "2020-01-01T00:00:00Z"]),
            ("/v1/deliveries/holds/release", [:]),
        ] as [(String, JSONValue)])
    func severalTransactions(path: String, body: JSONValue) async throws {
        let server = try await GameServer()
        let hold = try await server.post("/v1/deliveries/holds", [:])
        #expect(hold.status == 200)
        let first = try await server.post(path, body, headers: named("k"))
        #expect(first.status == 200)
        let second = try await server.post(path, body, headers: named("k"))
        #expect(second.headers["Idempotency-Replayed"] == "true")
        #expect(second.json == first.json)
        let other = try await server.post("/v1/deliveries/holds", [:], headers: named("k"))
        #expect(other.json["code"] == "idempotency.key_reused")
    }

    @Test("Another path or body under the same key is refused: 422")
    func reused() async throws {
        let server = try await GameServer()
        _ = try await server.post("/v1/customers/u1/tokens", [:], headers: named("k"))
        let token = JSONValue.string("6f1c0f3e-2a0f-4c5e-9d4a-0d6a3a1b2c3d")
        for (path, body) in [
            ("/v1/customers/u2/tokens", [:] as JSONValue),
            ("/v1/customers/u1/tokens", ["token": token]),
        ] {
            let answer = try await server.post(path, body, headers: named("k"))
            #expect(answer.status == 422)
            #expect(answer.json["code"] == "idempotency.key_reused")
        }
        #expect(try await server.get("/v1/customers/u2").status == 404)
    }

    @Test("A key that is empty, too long or not visible ASCII is refused by name")
    func invalid() async throws {
        let server = try await GameServer()
        for key in ["", "a b", "schlüssel", String(repeating: "k", count: 256)] {
            let answer = try await server.post(
                "/v1/customers/u1/tokens", [:], headers: named(key))
            #expect(answer.status == 400, "\(key)")
            #expect(answer.json["code"] == "idempotency.key_invalid")
        }
        var twice = named("k1")
        twice.append("Idempotency-Key", "k2")
        let answer = try await server.post("/v1/customers/u1/tokens", [:], headers: twice)
        #expect(answer.json["code"] == "idempotency.key_invalid")
        let longest = String(repeating: "k", count: 255)
        let taken = try await server.post("/v1/customers/u1/tokens", [:], headers: named(longest))
        #expect(taken.status == 200)
    }

    @Test("A refused write leaves its key free, so the same request may succeed later")
    func refusal() async throws {
        let server = try await GameServer()
        let id = "/v1/grants/53a1c0de-7d4b-8f0a-9f3e-2b6f1c0a9d11/acknowledge"
        let body: JSONValue = ["result": "delivered"]
        #expect(try await server.post(id, body, headers: named("k")).status == 404)
        _ = try await server.submit(server.purchase())
        let due = try await server.get("/v1/grants").json["grants"]?.array?.first
        let grant = try #require(due?["grant_id"]?.string)
        let done = try await server.post(
            "/v1/grants/\(grant)/acknowledge", body, headers: named("k"))
        #expect(done.json["state"] == "delivered")
    }
}
