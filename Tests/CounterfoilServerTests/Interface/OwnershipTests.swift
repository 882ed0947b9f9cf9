// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilServer

@Suite("Ownership through the interface", .onEveryDatabase)
struct OwnershipThroughTheInterface {
    @Test("A conflict is listed, the purchase transferred, and the transfer undone")
    func wholeStory() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase("noads"), for: "u1")
        _ = try await server.submit(server.purchase("noads"), for: "u2")
        let conflicts = try await server.get("/v1/conflicts").json["conflicts"]?.array
        let conflict = try #require(conflicts?.first)
        #expect(conflict["holder_customer_id"] == "u1")
        #expect(conflict["contender_customer_id"] == "u2")
        #expect(conflict["evidence_sha256"]?.string?.count == 64)
        let place = try await server.get("/v1/conflicts?limit=1").json["next"]?.string ?? ""
        #expect(try await server.get("/v1/conflicts?after=\(place)").json["conflicts"] == [])

        let body: JSONValue = ["original_transaction_id": "T1", "reason": "the player asked"]
        let moved = try await server.post("/v1/customers/u2/transfer", body)
        #expect(moved.status == 200)
        #expect(moved.json["from_customer_id"] == "u1")
        let again = try await server.post("/v1/customers/u2/transfer", body)
        #expect(again.json["code"] == "ownership.unchanged")
        let id = moved.json["transfer_id"]?.string ?? ""
        let undone = try await server.post(
            "/v1/ownership-transfers/\(id)/undo", ["reason": "a mistake"])
        #expect(undone.json["undoes"]?.string == id)
        #expect(undone.json["to_customer_id"] == "u1")
        let listed = try await server.get("/v1/ownership-transfers?original_transaction_id=T1")
        #expect(listed.json["transfers"]?.array?.count == 2)
        let events = try await server.get("/v1/events").json["events"]?.array ?? []
        #expect(
            events.map { $0["type"]?.string }
                == ["purchase.fulfilled", "ownership.conflict"]
                + Array(repeating: "ownership.changed", count: 4))
    }

    @Test("What cannot be transferred is refused by name")
    func refusals() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase("coins100", "C1"))
        let cases: [(String, JSONValue, Int, String)] = [
            (
                "/v1/customers/u2/transfer",
                ["original_transaction_id": "T9", "reason": "x"], 404, "request.not_found"
            ),
            (
                "/v1/customers/u2/transfer",
                ["original_transaction_id": "C1", "reason": "x"], 409,
                "ownership.not_transferable"
            ),
            (
                "/v1/customers/u2/transfer",
                ["original_transaction_id": "C1", "reason": "x", "to": "u3"], 400,
                "request.fields_invalid"
            ),
            ("/v1/ownership-transfers/x/undo", ["reason": "x"], 404, "request.not_found"),
            (
                "/v1/ownership-transfers/019c1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5b/undo",
                ["reason": "x"], 404, "request.not_found"
            ),
        ]
        for (path, body, status, code) in cases {
            let answer = try await server.post(path, body)
            #expect(answer.status == status, "\(path)")
            #expect(answer.json["code"]?.string == code, "\(path)")
        }
        #expect(try await server.get("/v1/ownership-transfers").status == 400)
    }
}
