// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine
@testable import CounterfoilServer

@Suite("What a person can see and follow")
struct WhatAPersonCanSee {
    /// Three purchases that park for different reasons; two of them have no sale and so no grant.
    private func park(in server: GameServer) async throws {
        var mistyped = server.purchase("coins100", "T1")
        mistyped.kind = .nonConsumable
        #expect(try await server.submit(mistyped).words == "parked type_mismatch finish")
        #expect(
            try await server.submit(server.purchase("gems", "T2")).words
                == "parked unknown_product finish")
        let members = try #require(server.purchase("coins100", "T3").transactionPayload.object)
            .members.map { member -> JSONObject.Member in
                member.key == "type" ? .init(key: "type", value: "Lottery Ticket") : member
            }
        let strange = try await server.post(
            "/v1/purchases",
            [
                "customer_id": "u1",
                "signed_transaction": .string(
                    try TestAuthority.shared.sign(.object(JSONObject(members)))),
            ])
        #expect(strange.words == "parked unknown_type finish")
    }

    @Test("Every parked purchase is listed with its reason and what it waits for, page by page")
    func parkedList() async throws {
        let server = try await GameServer()
        try await park(in: server)
        _ = try await server.submit(server.purchase("coins100", "T4"))
        #expect(
            try await server.get("/v1/grants?state=parked").json["grants"]?.array?.count == 1)
        var found: [JSONValue] = []
        var path: String? = "/v1/transactions?state=parked&limit=2"
        while let next = path {
            let page = try await server.get(next)
            #expect(page.status == 200)
            found += page.json["transactions"]?.array ?? []
            path = page.json["next"]?.string.map {
                "/v1/transactions?state=parked&limit=2&after=\($0)"
            }
        }
        #expect(found.map { $0["transaction_id"] } == ["T1", "T2", "T3"])
        #expect(
            found.map { $0["parked"]?["reason"] }
                == ["type_mismatch", "unknown_product", "unknown_type"])
        #expect(found.map { $0["parked"]?["waits_for"] } == ["coins100", "gems", "coins100"])
        #expect(found.allSatisfy { $0["customer_id"] == "u1" && $0["created_at"] != nil })
        let sandbox = try await server.get("/v1/transactions?environment=Sandbox")
        #expect(sandbox.json["transactions"]?.array?.isEmpty == true)
        let other = try await server.get("/v1/transactions?state=all")
        #expect(other.status == 400)
    }

    @Test("The page of metrics counts what is parked and due, and tells the age of the oldest")
    func gauges() async throws {
        let server = try await GameServer()
        try await park(in: server)
        _ = try await server.submit(server.purchase("coins100", "T4"))
        server.clock.advance(by: .seconds(120))
        let place = #"{app="game",environment="Production"}"#
        let lines = try await server.metrics()
        for line in [
            "counterfoil_parked_transactions\(place) 3",
            "counterfoil_parked_transactions_oldest_seconds\(place) 120",
            "counterfoil_due_grants\(place) 1", "counterfoil_due_grants_oldest_seconds\(place) 120",
            "counterfoil_waiting_jobs 0", "counterfoil_waiting_jobs_oldest_seconds 0",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        // Asked for again at once, the database is left alone.
        _ = try await server.submit(server.purchase("coins100", "T5"))
        #expect(try await server.metrics().contains("counterfoil_due_grants\(place) 1"))
        server.clock.advance(by: .seconds(10))
        #expect(try await server.metrics().contains("counterfoil_due_grants\(place) 2"))
    }

    @Test("Submissions are counted by what became of them")
    func submissions() async throws {
        let server = try await GameServer()
        for _ in 0..<3 { _ = try await server.submit(server.purchase()) }
        _ = try await server.post(
            "/v1/purchases", ["customer_id": "u1", "signed_transaction": "a.b.c"])
        let lines = try await server.metrics()
        for (status, reason, count) in [
            ("fulfilled", "", 1), ("already_fulfilled", "", 2), ("rejected", "malformed", 1),
        ] {
            let line =
                #"counterfoil_submissions_total{app="game",status="\#(status)",reason="\#(reason)"} \#(count)"#
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test("A grant and a submission can be read by their ids, in their own app only")
    func single() async throws {
        let server = try await GameServer()
        let bought = try await server.submit(server.purchase())
        let submission = try #require(bought.json["submission_id"]?.string)
        let recorded = try await server.get("/v1/purchases/\(submission)")
        #expect(recorded.json["status"] == "fulfilled")
        #expect(recorded.json["client"] == "finish")
        #expect(recorded.json["customer_id"] == "u1")
        #expect(recorded.json["transaction_id"] == "T1")
        #expect(recorded.json["evidence_sha256"]?.string?.utf8.count == 64)
        let entry = try #require(bought.json["transactions"]?.array?.first)
        let grant = try #require(entry["grant_id"]?.string)
        #expect(try await server.get("/v1/grants/\(grant)").json["state"] == "due")
        for path in ["grants/\(submission)", "purchases/\(grant)", "grants/x", "purchases/x"] {
            #expect(try await server.get("/v1/\(path)").status == 404, "\(path)")
        }
    }

    @Test("Grants come by age, so that a kept cursor meets what is granted later")
    func order() async throws {
        let server = try await GameServer()
        var ids: [JSONValue] = []
        var cursor: String?
        for number in 1...12 {
            _ = try await server.submit(server.purchase("coins100", "T\(number)"))
            server.clock.advance(by: .seconds(1))
            let after = cursor.map { "&after=\($0)" } ?? ""
            let page = try await server.get("/v1/grants?limit=1\(after)")
            ids += (page.json["grants"]?.array ?? []).compactMap { $0["transaction_id"] }
            cursor = page.json["next"]?.string
        }
        #expect(ids == (1...12).map { .string("T\($0)") })
    }

    @Test("A cursor beyond the newest event is refused: the database is an older copy")
    func cursorAhead() async throws {
        let server = try await GameServer()
        let empty = try await server.get("/v1/events?after=0")
        #expect(empty.status == 200)
        let epoch = empty.json["epoch"]?.string
        #expect(epoch != nil)
        _ = try await server.submit(server.purchase())
        let page = try await server.get("/v1/events")
        #expect(page.json["events"]?.array?.first?["epoch"]?.string == epoch)
        #expect(try await server.get("/v1/events?after=1").status == 200)
        let ahead = try await server.get("/v1/events?after=2")
        #expect(ahead.status == 409)
        #expect(ahead.json["code"] == "events.cursor_ahead")
    }

    @Test("Every faulty pair of a query is named")
    func faults() async throws {
        let server = try await GameServer()
        let answer = try await server.get("/v1/grants?state=lost&limit=0&after=7&surprise=1")
        #expect(answer.status == 400)
        let paths = answer.json["errors"]?.array?.map { $0["path"] }
        #expect(paths == ["state", "after", "limit", "surprise"])
    }

    @Test("A key of an app that is not in the configuration opens nothing and says why")
    func unconfigured() async throws {
        let server = try await GameServer()
        let former = try AppID("former")
        let key = try await server.keys.create(for: former, label: "").text
        for path in [
            "events", "customers/u1", "transactions/T1", "transactions", "grants",
            "grants/019aa51b-2c1f-7c1e-9b2e-5a0c8d8e1f00",
        ] {
            let answer = try await server.get("/v1/\(path)", key: key)
            #expect(answer.status == 403, "\(path)")
            #expect(answer.json["code"] == "auth.app_not_configured", "\(path)")
        }
        #expect(try await server.engine.unconfiguredApps() == [former])
        #expect(try await server.keys.knownApps() == [former, AppID("game")])
    }

    @Test("A refused token leaves no customer behind")
    func refusedToken() async throws {
        let server = try await GameServer()
        let made = try await server.post("/v1/customers/u1/tokens", [:])
        let token = try #require(made.json["token"])
        let refused = try await server.post("/v1/customers/u2/tokens", ["token": token])
        #expect(refused.json["code"] == "token.taken")
        #expect(try await server.get("/v1/customers/u2").status == 404)
        #expect(try await server.get("/v1/customers/u1").status == 200)
    }
}
