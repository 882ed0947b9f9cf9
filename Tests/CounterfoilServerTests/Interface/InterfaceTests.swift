// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@Suite("The routes of a game server", .onEveryDatabase)
struct RoutesOfAGameServer {
    @Test("A purchase is fulfilled, seen by the next read, delivered and acknowledged: case 60")
    func wholeWay() async throws {
        let server = try await GameServer()
        let bought = try await server.submit(server.purchase())
        #expect(bought.status == 200)
        #expect(bought.words == "fulfilled finish")
        #expect(bought.json["transactions"]?.array?.first?["transaction_id"] == "T1")
        #expect(bought.headers["Request-Id"] != nil)

        let customer = try await server.get("/v1/customers/u1")
        #expect(customer.json["version"] == 1)
        #expect(customer.json["balances"]?.array?.first?["paid"] == 100)

        let due = try await server.get("/v1/grants?state=due")
        let grant = try #require(due.json["grants"]?.array?.first)
        #expect(grant["customer_id"] == "u1")
        #expect(grant["goods"]?.array?.first?["amount"] == 100)
        let id = try #require(grant["grant_id"]?.string)
        for _ in 0..<2 {
            let done = try await server.post(
                "/v1/grants/\(id)/acknowledge", ["result": "delivered"])
            #expect(done.json["state"] == "delivered")
        }
        #expect(try await server.get("/v1/grants").json["grants"]?.array?.isEmpty == true)
        let refused = try await server.post(
            "/v1/grants/\(id)/acknowledge", ["result": "rejected", "note": "no such player"])
        #expect(refused.status == 409)
        #expect(refused.json["code"] == "grant.state")

        let events = try await server.get("/v1/events?after=0")
        let event = try #require(events.json["events"]?.array?.first)
        #expect(event["type"] == "purchase.fulfilled")
        #expect(event["sequence"] == 1)
        #expect(event["state"]?["balances"]?.array?.first?["paid"] == 100)
        let next = try #require(events.json["next"]?.string)
        let later = try await server.get("/v1/events?after=\(next)")
        #expect(later.json["events"]?.array?.isEmpty == true)
        #expect(later.json["next"]?.string == next)
    }

    @Test("A receipt that nearly fills a body is read: field case 9")
    func largeReceipt() async throws {
        let server = try await GameServer()
        var receipt = SimulatedReceipt(
            bundleID: GameServer.bundleID, environment: .production,
            creationDate: server.clock.now - .seconds(60), purchases: [server.purchase()])
        receipt.additionalAttributes = [
            ReceiptAttribute(type: 9999, value: [UInt8](repeating: 7, count: 5_900_000))
        ]
        let text = Base64.encode(try TestAuthority.shared.appReceipt(receipt), .standard)
        #expect(text.utf8.count > 7_800_000)
        let answer = try await server.post(
            "/v1/purchases",
            ["customer_id": "u1", "receipt_data": .string(text), "transaction_id": "T1"])
        #expect(answer.words == "fulfilled finish", "\(answer.json["detail"]?.text ?? "")")
    }

    @Test("Field case 60: the answer names a version, and a read may ask for it")
    func readYourWrites() async throws {
        let server = try await GameServer()
        for (id, version) in [("T1", 1), ("T2", 2), ("T2", 2)] as [(String, Int64)] {
            let bought = try await server.submit(server.purchase("coins100", id))
            #expect(bought.json["version"] == .integer(version))
            let read = try await server.get("/v1/customers/u1?version=\(version)")
            #expect(read.json["version"] == .integer(version))
            #expect(read.json["balances"]?.array?.first?["paid"] == .integer(version * 100))
        }
        for query in ["version=3", "version=1&environment=Sandbox"] {
            let ahead = try await server.get("/v1/customers/u1?\(query)")
            #expect(ahead.status == 409)
            #expect(ahead.json["code"] == "customer.version_ahead")
        }
        #expect(try await server.get("/v1/customers/u1?version=-1").status == 400)
        let restored = try await server.post(
            "/v1/customers/u1/restore", ["evidence": [["signed_transaction": "a.b.c"]]])
        #expect(restored.json["results"]?.array?.first?["version"] == .null)
    }

    @Test("A transaction is shown with its owner and grant, and an unknown one is not found")
    func transaction() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase())
        let found = try await server.get("/v1/transactions/T1")
        #expect(found.json["customer_id"] == "u1")
        #expect(found.json["owner_source"] == "claim")
        #expect(found.json["grant"]?["state"] == "due")
        #expect(try await server.get("/v1/transactions/T1?environment=Sandbox").status == 404)
        #expect(try await server.get("/v1/transactions/T2").status == 404)
    }

    @Test("Tokens are made, registered and kept by the customer that they name")
    func tokens() async throws {
        let server = try await GameServer()
        let made = try await server.post("/v1/customers/u1/tokens", [:])
        let token = try #require(made.json["token"]?.string)
        var purchase = server.purchase()
        purchase.appAccountToken = UniqueID(token.uppercased())
        #expect(
            try await server.submit(purchase, for: "u2").words
                == "rejected owned_by_another_customer finish")
        let view = try await server.get("/v1/customers/u1")
        #expect(view.json["balances"]?.array?.first?["paid"] == 100)
        let taken = try await server.post(
            "/v1/customers/u2/tokens", ["token": .string(token.uppercased())])
        #expect(taken.status == 409)
        #expect(taken.json["code"] == "token.taken")
        let own = try await server.post("/v1/customers/u1/tokens", ["token": .string(token)])
        #expect(own.json["token"]?.string == token)
    }

    @Test("What must be tried again says when")
    func retryAfter() async throws {
        let server = try await GameServer()
        let answer = try await server.post(
            "/v1/purchases", ["customer_id": "u1", "signed_transaction": "a.b.c"])
        #expect(answer.status == 200)
        #expect(answer.words == "rejected malformed keep")
        #expect(answer.json["retry_after"] == 60)
        #expect(answer.headers["Retry-After"] == "60")
    }

    private static let badBodies: [(JSONValue, String)] = [
        ([:], "customer_id"),
        (["customer_id": "u1"], "signed_transaction"),
        (["customer_id": "", "signed_transaction": "a.b.c"], "customer_id"),
        (["customer_id": "u\u{0}1", "signed_transaction": "a.b.c"], "customer_id"),
        (["customer_id": 5, "signed_transaction": "a.b.c"], "customer_id"),
        (
            ["customer_id": "u1", "signed_transaction": "a.b.c", "receipt_data": "MII"],
            "receipt_data"
        ),
        (["customer_id": "u1", "signed_transaction": "a.b.c", "surprise": 1], "surprise"),
        (
            [
                "customer_id": "u1", "receipt_data": "MII",
                "transaction_id": .string(String(repeating: "9", count: 65)),
            ], "transaction_id"
        ),
    ]

    @Test("A body with a fault is refused by name, and nothing is stored")
    func badBody() async throws {
        let server = try await GameServer()
        for (body, field) in Self.badBodies {
            let answer = try await server.post("/v1/purchases", body)
            #expect(answer.status == 400, "\(body.text)")
            #expect(answer.json.text.contains(field), "\(answer.json.text)")
        }
        #expect(try await server.get("/v1/customers/u1").status == 404)
    }

    @Test("Queries with a fault are refused by name")
    func badQuery() async throws {
        let server = try await GameServer()
        for path in [
            "/v1/events?after=x", "/v1/events?after=-1", "/v1/events?limit=0",
            "/v1/events?limit=501", "/v1/grants?state=lost", "/v1/grants?after=7",
            "/v1/customers/u1?environment=Xcode", "/v1/events?surprise=1",
        ] {
            let answer = try await server.get(path)
            #expect(answer.status == 400, "\(path)")
            #expect(answer.json["code"]?.string?.isEmpty == false, "\(path)")
        }
    }

    @Test("Without a key that stands nothing is told")
    func keys() async throws {
        let server = try await GameServer()
        for path in ["/v1/events", "/v1/customers/u1", "/v1/transactions/T1", "/v1/grants"] {
            #expect(try await server.get(path, key: "cfs_wrong").status == 401, "\(path)")
        }
    }
}
