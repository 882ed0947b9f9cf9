// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@Suite("The routes of orders", .onEveryDatabase)
struct RoutesOfOrders {
    private static let order: JSONValue = [
        "customer_id": "u1", "product_id": "coins100", "quantity": 2,
        "context": ["server": "s7", "role": ["id": 12]],
    ]

    @Test("An order is made, listed, paid by its token and read again: requirement 004-01")
    func wholeWay() async throws {
        let server = try await GameServer()
        let made = try await server.post("/v1/orders", Self.order)
        #expect(made.status == 201)
        #expect(made.json["state"] == "open")
        #expect(made.json["goods"]?.array?.first?["amount"] == 200)
        #expect(made.json["ticket"]?.string?.hasPrefix("cft_") == true)
        #expect(made.json["environment"] == "Production")
        #expect(made.json["expires_at"]?.string != nil)
        let id = try #require(made.json["order_id"]?.string)
        let listed = try await server.get("/v1/customers/u1").json["open_orders"]?.array
        #expect(listed?.map { $0["order_id"]?.string } == [id])
        #expect(listed?.first?["ticket"] == nil, "it is shown once")

        var purchase = server.purchase()
        purchase.purchaseDate = server.clock.now
        purchase.signedDate = server.clock.now
        purchase.appAccountToken = UniqueID(
            try #require(made.json["app_account_token"]?.string).uppercased())
        let bought = try await server.submit(purchase)
        #expect(bought.words == "fulfilled finish")
        #expect(bought.json["order"]?["order_id"]?.string == id)
        #expect(bought.json["order"]?["context"]?["role"]?["id"] == 12)
        #expect(bought.json["transactions"]?.array?.first?["order"]?["state"] == "fulfilled")

        let read = try await server.get("/v1/orders/\(id)")
        #expect(read.json["state"] == "fulfilled")
        #expect(read.json["transactions"]?.array == ["T1"])
        #expect(read.json["ticket"] == nil)
        let grants = try await server.get("/v1/grants").json["grants"]?.array
        #expect(grants?.first?["order"]?["context"]?["server"] == "s7")
        let event = try await server.get("/v1/events").json["events"]?.array?.first
        #expect(event?["data"]?["order"]?["order_id"]?.string == id)
        let transaction = try await server.get("/v1/transactions/T1")
        #expect(transaction.json["order_id"]?.string == id)
        #expect(try await server.get("/v1/customers/u1").json["open_orders"]?.array == [])
    }

    @Test("Hints change the state and say so; a late payment comes through all the same")
    func hints() async throws {
        let server = try await GameServer()
        let made = try await server.post("/v1/orders", Self.order)
        let id = try #require(made.json["order_id"]?.string)
        let pending = try await server.post("/v1/orders/\(id)/pending", [:])
        #expect(pending.json["state"] == "pending")
        let cancelled = try await server.post("/v1/orders/\(id)/cancel", ["reason": "failed"])
        #expect(cancelled.json["state"] == "cancelled")
        #expect(cancelled.json["reason"] == "failed")
        #expect(cancelled.json["expires_at"] == .null)
        let token = try TestAuthority.shared.signedTransaction(server.purchase())
        let bought = try await server.post(
            "/v1/purchases",
            [
                "customer_id": "u1", "signed_transaction": .string(token),
                "order_id": .string(id.uppercased()), "ticket": made.json["ticket"] ?? .null,
            ])
        #expect(bought.words == "fulfilled finish")
        #expect(bought.json["order"]?["state"] == "fulfilled")
        let late = try await server.post("/v1/orders/\(id)/cancel", [:])
        #expect(late.status == 200)
        #expect(late.json["state"] == "fulfilled")
        let types = try await server.get("/v1/events").json["events"]?.array?
            .compactMap { $0["type"]?.string }
        #expect(types == ["order.changed", "order.changed", "purchase.fulfilled"])
    }

    @Test("Whatever a client calls an order, the purchase is taken: requirement 004-17")
    func wrongOrder() async throws {
        let server = try await GameServer()
        for (number, id) in ["", "nonsense", "019aa51b-2c1f-7c1e-9b2e-5a0c8d8e1f00"].enumerated() {
            let token = try TestAuthority.shared.signedTransaction(
                server.purchase("coins100", "T\(number)"))
            let bought = try await server.post(
                "/v1/purchases",
                [
                    "customer_id": "u1", "signed_transaction": .string(token),
                    "order_id": .string(id), "ticket": "",
                ])
            #expect(bought.words == "fulfilled finish")
            #expect(bought.json["order"] == .null)
            #expect(bought.json["detail"]?.string?.hasPrefix("order_id") == true)
        }
    }

    private static let badOrders: [(JSONValue, String)] = [
        (["product_id": "coins100"], "customer_id"),
        (["customer_id": "u1"], "product_id"),
        (["customer_id": "u1", "product_id": "coins100", "quantity": 0], "quantity"),
        (["customer_id": "u1", "product_id": "coins100", "quantity": 11], "quantity"),
        (["customer_id": "u1", "product_id": "coins100", "storefront": "us"], "storefront"),
        (["customer_id": "u1", "product_id": "coins100", "environment": "Xcode"], "environment"),
        (["customer_id": "u1", "product_id": "coins100", "context": "s7"], "context"),
        (["customer_id": "u1", "product_id": "coins100", "context": ["s7"]], "context"),
        (
            [
                "customer_id": "u1", "product_id": "coins100",
                "context": ["a": .string(String(repeating: "x", count: 4096))],
            ], "context"
        ),
        (["customer_id": "u1", "product_id": "coins100", "price": 1], "price"),
    ]

    @Test("A body with a fault is refused by name, and no order is made")
    func badBody() async throws {
        let server = try await GameServer()
        for (body, field) in Self.badOrders {
            let answer = try await server.post("/v1/orders", body)
            #expect(answer.status == 400, "\(body.text)")
            #expect(answer.json["errors"]?.array?.first?["path"]?.string == field)
        }
        let unknown = try await server.post(
            "/v1/orders", ["customer_id": "u1", "product_id": "gems"])
        #expect(unknown.status == 422)
        #expect(unknown.json["code"] == "order.unknown_product")
        #expect(try await server.get("/v1/customers/u1").status == 404)
    }

    @Test("An order that is not there is not found, and a wrong reason is named")
    func notFound() async throws {
        let server = try await GameServer()
        for id in ["019aa51b-2c1f-7c1e-9b2e-5a0c8d8e1f00", "nonsense"] {
            #expect(try await server.get("/v1/orders/\(id)").status == 404)
            #expect(try await server.post("/v1/orders/\(id)/cancel", [:]).status == 404)
            #expect(try await server.post("/v1/orders/\(id)/pending", [:]).status == 404)
        }
        let made = try await server.post("/v1/orders", Self.order)
        let id = try #require(made.json["order_id"]?.string)
        let wrong = try await server.post("/v1/orders/\(id)/cancel", ["reason": "bored"])
        #expect(wrong.status == 400)
        #expect(try await server.get("/v1/orders/\(id)").json["state"] == "open")
    }

    @Test("The hundred and first open order is refused")
    func limit() async throws {
        let server = try await GameServer()
        for _ in 0..<100 {
            #expect(try await server.post("/v1/orders", Self.order).status == 201)
        }
        let refused = try await server.post("/v1/orders", Self.order)
        #expect(refused.status == 409)
        #expect(refused.json["code"] == "order.limit")
    }

    @Test(
        "A repeat with the same key gets the same order and ticket, of which only a digest is stored"
    )
    func repeated() async throws {
        let server = try await GameServer()
        let first = try await server.post(
            "/v1/orders", Self.order, headers: ["Idempotency-Key": "k1"])
        let again = try await server.post(
            "/v1/orders", Self.order, headers: ["Idempotency-Key": "k1"])
        #expect(again.status == 201)
        #expect(again.json == first.json)
        let other = try await server.post(
            "/v1/orders", Self.order, headers: ["Idempotency-Key": "k2"])
        #expect(other.json["order_id"] != first.json["order_id"])
        #expect(other.json["ticket"] != first.json["ticket"])
        let ticket = try #require(first.json["ticket"]?.string)
        let stored = try await server.engine.database.read { transaction in
            try transaction.rows("SELECT body FROM idempotency_keys").map { try $0.text(0) }
        }
        #expect(stored.count == 2)
        #expect(!stored.contains { $0.contains(ticket) || $0.contains("ticket") })
        // And it is the order's.
        let token = try TestAuthority.shared.signedTransaction(server.purchase())
        let bought = try await server.post(
            "/v1/purchases",
            [
                "customer_id": "u2", "signed_transaction": .string(token),
                "order_id": first.json["order_id"] ?? .null, "ticket": .string(ticket),
            ])
        #expect(bought.words == "rejected owned_by_another_customer finish")
    }
}
