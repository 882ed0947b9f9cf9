// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine
@testable import CounterfoilServer

@Suite("The wallet of a customer", .onEveryDatabase)
struct TheWalletOfACustomer {
    private static let catalogue = """
        {
          units: [
            { id: "coins", kind: "currency", held_by: "counterfoil", maximum_balance: 500 },
            { id: "sword", kind: "item", held_by: "game" },
          ],
          products: [
            { id: "coins100", type: "consumable",
              goods: [{ unit: "coins", amount: 100, bonus: 10 }] },
          ],
        }
        """

    private func shop() async throws -> GameServer {
        let server = try await GameServer(catalogue: Self.catalogue)
        _ = try await server.submit(server.purchase())
        return server
    }

    private func coins(_ server: GameServer) async throws -> JSONValue? {
        try await server.get("/v1/customers/u1").json["balances"]?.array?.first
    }

    @Test("Spending takes the bonus first and tells an event")
    func spend() async throws {
        let server = try await shop()
        let done = try await server.post(
            "/v1/customers/u1/spend",
            ["unit": "coins", "amount": 30, "reason": "skin", "reference": "skin-7"])
        #expect(done.status == 200)
        #expect(done.json["balance"]?["paid"] == 80)
        #expect(done.json["balance"]?["bonus"] == 0)
        let events = try await server.get("/v1/events?after=0").json["events"]?.array ?? []
        let event = try #require(events.last)
        #expect(event["type"] == "wallet.changed")
        #expect(event["data"]?["kind"] == "spend")
        #expect(event["data"]?["reference"] == "skin-7")
        let change = event["data"]?["changes"]?.array?.first
        #expect(change?["paid"] == -20)
        #expect(change?["bonus"] == -10)
        #expect(event["state"]?["balances"]?.array?.first?["paid"] == 80)
    }

    @Test("A spend that is sent twice under one key is one spend")
    func idempotency() async throws {
        let server = try await shop()
        let headers: HTTPHeaders = ["Idempotency-Key": "s1"]
        let body: JSONValue = ["unit": "coins", "amount": 30]
        let first = try await server.post("/v1/customers/u1/spend", body, headers: headers)
        let second = try await server.post("/v1/customers/u1/spend", body, headers: headers)
        #expect(first.json == second.json)
        #expect(try await coins(server)?["paid"] == 80)
    }

    @Test("More than there is, is refused and names both numbers")
    func insufficient() async throws {
        let server = try await shop()
        let refused = try await server.post(
            "/v1/customers/u1/spend", ["unit": "coins", "amount": 111])
        #expect(refused.status == 409)
        #expect(refused.json["code"] == "wallet.insufficient_balance")
        #expect(refused.json["balance"] == 110)
        #expect(refused.json["wanted"] == 111)
    }

    static let wrong: [(body: String, path: String)] = [
        (#"{"unit": "coins", "amount": 1.5}"#, "amount"),
        (#"{"unit": "coins", "amount": 1.0}"#, "amount"),
        (#"{"unit": "coins", "amount": 1e1}"#, "amount"),
        (#"{"unit": "coins", "amount": "1"}"#, "amount"),
        (#"{"unit": "coins", "amount": 0}"#, "amount"),
        (#"{"unit": "coins", "amount": -1}"#, "amount"),
        (#"{"unit": "coins", "amount": 9223372036854775807}"#, "amount"),
        (#"{"unit": "coins"}"#, "amount"),
        (#"{"amount": 1}"#, "unit"),
        (#"{"unit": "coins", "amount": 1, "ammount": 2}"#, "ammount"),
        (#"{"unit": "coins", "amount": 1, "environment": "Xcode"}"#, "environment"),
    ]

    @Test("What makes no sense is refused by name", arguments: wrong)
    func wrongBodies(body: String, path: String) async throws {
        let server = try await GameServer(catalogue: Self.catalogue)
        let answer = try await server.send(
            .post, "/v1/customers/u1/spend", body: Array(body.utf8), type: "application/json",
            key: nil)
        #expect(answer.status == 400)
        #expect(answer.json["errors"]?.array?.first?["path"]?.string == path)
    }

    @Test("Units that are unknown or held by the game, customers and holds that are not there")
    func notOurs() async throws {
        let server = try await shop()
        let id = "0192f0c0-0000-7000-8000-000000000000"
        let expected: [(String, JSONValue, Int, String)] = [
            ("u1/spend", ["unit": "gems", "amount": 1], 422, "wallet.unit_unknown"),
            ("u1/spend", ["unit": "sword", "amount": 1], 422, "wallet.unit_held_by_game"),
            ("nobody/spend", ["unit": "coins", "amount": 1], 404, "request.not_found"),
            ("u1/holds/\(id)/post", [:], 404, "request.not_found"),
            ("u1/holds/none/void", [:], 404, "request.not_found"),
        ]
        for (path, body, status, code) in expected {
            let answer = try await server.post("/v1/customers/\(path)", body)
            #expect(answer.status == status, "\(path)")
            #expect(answer.json["code"]?.string == code, "\(path)")
        }
    }

    @Test("A credit needs a reason, and names a customer that nobody knew")
    func credit() async throws {
        let server = try await GameServer(catalogue: Self.catalogue)
        let path = "/v1/customers/u1/credit"
        let silent = try await server.post(path, ["unit": "coins", "amount": 5])
        #expect(silent.json["errors"]?.array?.first?["path"] == "reason")
        let done = try await server.post(
            path, ["unit": "coins", "amount": 5, "bonus": 7, "reason": "apology"])
        #expect(done.status == 200)
        #expect(done.json["balance"]?["paid"] == 5)
        #expect(done.json["balance"]?["bonus"] == 7)
        let above = try await server.post(
            path, ["unit": "coins", "amount": 489, "reason": "apology"])
        #expect(above.json["code"] == "wallet.above_maximum")
        #expect(above.json["maximum"] == 500)
        for (member, value) in [
            ("expires_at", "2030-01-01T00:00:00Z" as JSONValue), ("stands_for", [:]),
            ("stands_for", ["order_id": "x"]), ("amount", 0), ("bonus", 0),
        ] {
            var body = JSONObject()
            body.append("unit", "coins")
            if member != "amount" { body.append("amount", 1) }
            body.append("reason", "test")
            body.append(member, value)
            let refused = try await server.post(path, .object(body))
            #expect(refused.status == 400, "\(member)")
        }
    }

    @Test("A maximum refuses credits, never purchases")
    func purchasesPassTheMaximum() async throws {
        let server = try await GameServer(catalogue: Self.catalogue)
        for number in 1...6 {
            let bought = try await server.submit(server.purchase("coins100", "T\(number)"))
            #expect(bought.words == "fulfilled finish")
        }
        #expect(try await coins(server)?["paid"] == 600)
    }

    @Test("Units are held, shown, posted in part and given back")
    func hold() async throws {
        let server = try await shop()
        let made = try await server.post(
            "/v1/customers/u1/reserve",
            ["unit": "coins", "amount": 50, "expires_in": 60, "reference": "auction-1"])
        let hold = try #require(made.json["hold"]?["hold_id"]?.string)
        #expect(made.json["hold"]?["state"] == "open")
        #expect(try await coins(server)?["held"] == 50)
        let open = try await server.get("/v1/customers/u1/holds").json["holds"]?.array
        #expect(open?.first?["hold_id"]?.string == hold)
        let above = try await server.post(
            "/v1/customers/u1/holds/\(hold)/post", ["amount": 51])
        #expect(above.json["code"] == "wallet.above_hold")
        let elsewhere = try await server.post(
            "/v1/customers/u1/holds/\(hold)/post", ["environment": "Sandbox"])
        #expect(elsewhere.status == 404)
        let posted = try await server.post(
            "/v1/customers/u1/holds/\(hold)/post", ["amount": 20])
        #expect(posted.json["hold"]?["state"] == "posted")
        #expect(posted.json["hold"]?["posted"] == 20)
        #expect(try await coins(server)?["held"] == 0)
        #expect(try await coins(server)?["paid"] == 90)
        let again = try await server.post("/v1/customers/u1/holds/\(hold)/void", [:])
        #expect(again.json["code"] == "wallet.hold_over")
        #expect(again.json["state"] == "posted")
    }

    @Test("A statement tells every transfer with its lots, the newest first, page by page")
    func statement() async throws {
        let server = try await shop()
        for amount in [5, 30] as [Int64] {
            server.clock.advance(by: .seconds(1))
            _ = try await server.post(
                "/v1/customers/u1/spend", ["unit": "coins", "amount": .integer(amount)])
        }
        var lines: [JSONValue] = []
        var next: String? = ""
        while let cursor = next {
            let page = try await server.get(
                "/v1/customers/u1/statement?limit=2" + (cursor.isEmpty ? "" : "&after=\(cursor)"))
            lines += page.json["transfers"]?.array ?? []
            next = page.json["next"]?.string
        }
        #expect(
            lines.map { $0["kind"]?.string } == ["spend", "spend", "spend", "grant", "grant"])
        #expect(lines.first?["from"] != lines.dropFirst().first?["from"])
        #expect(lines.last?["lot"]?["amount"] != nil)
        #expect(lines.first?["lots_used"]?.array?.count == 1)
        let entries = try await server.get("/v1/customers/u1/entries?unit=coins").json["entries"]
        let sum = entries?.array?.reduce(0) { $0 + ($1["amount"]?.int64 ?? 0) }
        #expect(sum == 75)
        for query in ["after=x", "unit=", "limit=0", "page=2"] {
            #expect(
                try await server.get("/v1/customers/u1/statement?\(query)").status == 400)
        }
        #expect(try await server.get("/v1/customers/nobody/statement").status == 404)
    }
}
