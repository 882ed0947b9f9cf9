// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilHTTP
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine
@testable import CounterfoilServer

@Suite("A client key", .onEveryDatabase)
struct AClientKey {
    @Test("It hands in a purchase and reads what its customer has")
    func ownCustomer() async throws {
        let server = try await GameServer()
        let key = try await server.clientKey()
        let token = try TestAuthority.shared.signedTransaction(server.purchase())
        let bought = try await server.post(
            "/v1/purchases", ["signed_transaction": .string(token)], key: key,
            headers: server.named("u1"))
        #expect(bought.words == "fulfilled finish")
        let submission = try #require(bought.json["submission_id"]?.string)
        for path in ["/v1/customers/u1", "/v1/purchases/\(submission)"] {
            let answer = try await server.get(path, key: key, headers: server.named("u1"))
            #expect(answer.json["customer_id"] == "u1", "\(path)")
        }
        let made = try await server.post(
            "/v1/customers/u1/tokens", [:], key: key, headers: server.named("u1"))
        #expect(made.status == 200)
    }

    @Test("A foreign customer is answered as an unknown one, and so is what belongs to them")
    func foreignCustomer() async throws {
        let server = try await GameServer()
        let key = try await server.clientKey()
        let bought = try await server.submit(server.purchase(), for: "u1")
        let submission = try #require(bought.json["submission_id"]?.string)
        let unknown = "019aa51b-2c1f-7c1e-9b2e-5a0c8d8e1f00"
        let pairs = [
            ("/v1/customers/u1", "/v1/customers/nobody"),
            ("/v1/purchases/\(submission)", "/v1/purchases/\(unknown)"),
        ]
        for headers in [server.named("u2"), server.named("u3")] {
            for (foreign, missing) in pairs {
                let answers = [
                    try await server.get(foreign, key: key, headers: headers),
                    try await server.get(missing, key: key, headers: headers),
                ]
                #expect(answers.map(\.status) == [403, 403], "\(foreign)")
                #expect(answers[0].json["detail"] == answers[1].json["detail"])
                #expect(answers[0].json["code"] == "auth.customer_forbidden")
            }
        }
        let token = try TestAuthority.shared.signedTransaction(server.purchase("coins100", "T2"))
        for named in ["u1", "nobody"] {
            let body: JSONValue = [
                "customer_id": .string(named), "signed_transaction": .string(token),
            ]
            let answer = try await server.post(
                "/v1/purchases", body, key: key, headers: server.named("u2"))
            #expect(answer.status == 403)
            #expect(answer.json["client"] == "keep")
        }
        #expect(try await server.get("/v1/customers/nobody").status == 404)
        #expect(try await server.get("/v1/transactions/T2").status == 404)
    }

    @Test("What it names as its order tells it nothing about orders of others")
    func foreignOrders() async throws {
        let server = try await GameServer()
        let key = try await server.clientKey()
        func order(_ customer: String, _ product: String) async throws -> GameServer.Answer {
            try await server.post(
                "/v1/orders",
                ["customer_id": .string(customer), "product_id": .string(product)])
        }
        let (same, other) = (try await order("u1", "coins100"), try await order("u1", "noads"))
        let mine = try await order("u2", "coins100")
        let unknown: JSONValue = "019aa51b-2c1f-7c1e-9b2e-5a0c8d8e1f00"
        let ticket = try #require(mine.json["ticket"])
        let named: [JSONValue] = [
            ["order_id": unknown], ["order_id": try #require(same.json["order_id"])],
            ["order_id": try #require(other.json["order_id"])],
            ["order_id": unknown, "ticket": ticket],
            ["order_id": try #require(same.json["order_id"]), "ticket": ticket],
            ["order_id": try #require(other.json["order_id"]), "ticket": ticket],
            ["order_id": "nonsense"],
        ]
        var answers: Set<String> = []
        for (number, words) in named.enumerated() {
            let purchase = server.purchase("noads", "T\(number)")
            let token = try TestAuthority.shared.signedTransaction(purchase)
            var body = try #require(words.object)
            body.append("signed_transaction", .string(token))
            let answer = try await server.post(
                "/v1/purchases", .object(body), key: key, headers: server.named("u2"))
            #expect(answer.words == "fulfilled finish")
            #expect(answer.json["order"] == .null)
            answers.insert(answer.json["detail"]?.string ?? "")
        }
        #expect(answers.count == 1, "\(answers)")
        // Its own it hears about, and a ticket opens what it always did.
        let bought = try TestAuthority.shared.signedTransaction(server.purchase("noads", "T8"))
        let own = try await server.post(
            "/v1/purchases",
            [
                "signed_transaction": .string(bought),
                "order_id": try #require(mine.json["order_id"]),
            ], key: key, headers: server.named("u2"))
        #expect(own.json["detail"]?.string?.contains("another product") == true)
        let token = try TestAuthority.shared.signedTransaction(server.purchase("coins100", "T9"))
        let shown = try await server.post(
            "/v1/purchases",
            [
                "signed_transaction": .string(token),
                "order_id": try #require(same.json["order_id"]),
                "ticket": try #require(same.json["ticket"]),
            ], key: key, headers: server.named("u2"))
        #expect(shown.json["client"] == "finish")
        let paid = try await server.get(
            "/v1/orders/\(try #require(same.json["order_id"]?.string))")
        #expect(paid.json["state"] == "fulfilled")
    }

    @Test("It may not make a token of its own choice name its customer")
    func ownToken() async throws {
        let server = try await GameServer()
        let key = try await server.clientKey()
        let answer = try await server.post(
            "/v1/customers/u1/tokens", ["token": "6f1c0f3e-2a0f-4c5e-9d4a-0d6a3a1b2c3d"], key: key,
            headers: server.named("u1"))
        #expect(answer.status == 403)
        #expect(answer.json["code"] == "auth.secret_key_required")
    }

    @Test("What is for the studio's servers stays shut, and without a customer everything does")
    func shut() async throws {
        let server = try await GameServer()
        let key = try await server.clientKey()
        for path in ["/v1/events", "/v1/grants", "/v1/transactions", "/v1/transactions/T1"] {
            let answer = try await server.get(path, key: key, headers: server.named("u1"))
            #expect(answer.status == 403, "\(path)")
            #expect(answer.json["code"] == "auth.secret_key_required")
        }
        let nameless = try await server.get("/v1/customers/u1", key: key)
        #expect(nameless.status == 401)
        #expect(nameless.json["code"] == "auth.customer_missing")
    }

    @Test("A credential that is expired, forged, foreign or given twice opens nothing")
    func badCredentials() async throws {
        let server = try await GameServer()
        let key = try await server.clientKey()
        let expired = SignedToken.hmac(
            SignedToken.claims(issued: server.clock.now - .seconds(1000)))
        let foreign = SignedToken.hmac(
            SignedToken.claims(app: "other", issued: server.clock.now))
        var twice = server.named("u1")
        twice.append("Counterfoil-Customer-Secret", "u1:x")
        let cases: [(HTTPHeaders, String)] = [
            (["Counterfoil-Customer-Token": expired], "auth.customer_token_expired"),
            (["Counterfoil-Customer-Token": foreign], "auth.customer_token_invalid"),
            (["Counterfoil-Customer-Token": "u1"], "auth.customer_token_invalid"),
            (["Counterfoil-Customer-Secret": "u1:"], "auth.customer_secret_invalid"),
            (["Counterfoil-Customer-Secret": "u1"], "auth.customer_secret_invalid"),
            (["Counterfoil-Customer-Secret": ":"], "auth.customer_secret_invalid"),
            (twice, "auth.customer_ambiguous"),
        ]
        for (headers, code) in cases {
            let answer = try await server.get("/v1/customers/u1", key: key, headers: headers)
            #expect(answer.status == 401)
            #expect(answer.json["code"]?.string == code)
        }
    }

    @Test("A server of the studio that hands on a customer's token is held to that customer")
    func handedOn() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase(), for: "u1")
        #expect(try await server.get("/v1/customers/u1", headers: server.named("u1")).status == 200)
        #expect(try await server.get("/v1/customers/u1", headers: server.named("u2")).status == 403)
    }

    @Test("It is held to that customer where only servers come, and what concerns others is shut")
    func handedOnToServerRoutes() async throws {
        let server = try await GameServer()
        for customer in ["u1", "u2"] {
            let id = customer == "u1" ? "T1" : "T2"
            _ = try await server.submit(server.purchase("coins100", id), for: customer)
        }
        let (own, foreign) = (server.named("u1"), server.named("u2"))
        let spend: JSONValue = ["unit": "coins", "amount": 10]
        let refused = try await server.post("/v1/customers/u1/spend", spend, headers: foreign)
        #expect(refused.status == 403)
        #expect(refused.json["code"] == "auth.customer_forbidden")
        #expect(try await server.post("/v1/customers/u1/spend", spend, headers: own).status == 200)
        let view = try await server.get("/v1/customers/u1")
        #expect(view.json["balances"]?.array?.first?["paid"] == 90)
        #expect(
            try await server.get("/v1/customers/u1/timeline", headers: own).status == 200)
        for path in ["/v1/events", "/v1/grants", "/v1/transactions/T1", "/v1/debts"] {
            #expect(try await server.get(path, headers: own).status == 403, "\(path)")
        }
        let others: [(String, JSONValue)] = [
            ("/v1/customers/u1/merge", ["into": "u2", "reason": "one person"]),
            (
                "/v1/customers/u1/transfer",
                ["original_transaction_id": "T2", "reason": "a ticket"]
            ),
        ]
        for (path, body) in others {
            #expect(try await server.post(path, body, headers: own).status == 403, "\(path)")
        }
    }

    @Test("A credential that names nobody is refused on every route, whatever the key")
    func badCredentialOfServer() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase(), for: "u1")
        let forged: HTTPHeaders = [
            "Counterfoil-Customer-Token": SignedToken.hmac(
                SignedToken.claims("u1", issued: server.clock.now),
                secret: Array("not the studio's secret, but as long".utf8))
        ]
        let paths = ["/v1/customers/u1/timeline", "/v1/customers/u1", "/v1/events", "/v1/products"]
        for path in paths {
            let answer = try await server.get(path, headers: forged)
            #expect(answer.status == 401, "\(path)")
            #expect(answer.json["code"] == "auth.customer_token_invalid")
        }
        let key = try await server.clientKey()
        #expect(try await server.get("/v1/products", key: key, headers: forged).status == 401)
        #expect(
            try await server.get("/v1/products", key: key, headers: server.named("u1")).status
                == 200)
    }

    @Test("A server repeats its write as itself, with the customer's token or without")
    func repeatWithoutToken() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase(), for: "u1")
        let spend: JSONValue = ["unit": "coins", "amount": 10]
        let name: HTTPHeaders = ["Idempotency-Key": "spend-1"]
        for headers in [server.named("u1", more: name), name] {
            let answer = try await server.post(
                "/v1/customers/u1/spend", spend, headers: headers)
            #expect(answer.json["balance"]?["paid"] == 90)
        }
    }

    @Test("One customer's idempotency key is not another's")
    func idempotency() async throws {
        let server = try await GameServer()
        let key = try await server.clientKey()
        let more: HTTPHeaders = ["Idempotency-Key": "1"]
        var tokens: Set<String> = []
        for customer in ["u1", "u2", "u1"] {
            let answer = try await server.post(
                "/v1/customers/\(customer)/tokens", [:], key: key,
                headers: server.named(customer, more: more))
            tokens.insert(answer.json["token"]?.string ?? "")
        }
        #expect(tokens.count == 2)
    }
}

@Suite("An anonymous customer", .onEveryDatabase)
struct AnAnonymousCustomer {
    @Test("The server issues an id and a secret, which open that customer and no other")
    func whole() async throws {
        let server = try await GameServer()
        let key = try await server.clientKey()
        var made: [(id: String, headers: HTTPHeaders)] = []
        for _ in 0..<2 {
            let answer = try await server.post("/v1/customers", [:], key: key)
            #expect(answer.status == 201)
            let id = try #require(answer.json["customer_id"]?.string)
            let secret = try #require(answer.json["secret"]?.string)
            made.append((id, ["Counterfoil-Customer-Secret": "\(id):\(secret)"]))
        }
        let token = try TestAuthority.shared.signedTransaction(server.purchase())
        let bought = try await server.post(
            "/v1/purchases", ["signed_transaction": .string(token)], key: key,
            headers: made[0].headers)
        #expect(bought.words == "fulfilled finish")
        let own = try await server.get(
            "/v1/customers/\(made[0].id)", key: key, headers: made[0].headers)
        #expect(own.json["balances"]?.array?.first?["paid"] == 100)
        let other = try await server.get(
            "/v1/customers/\(made[0].id)", key: key, headers: made[1].headers)
        #expect(other.status == 403)
    }

    @Test(
        "A guest who becomes known takes everything along, and the guest's secret opens nothing more"
    )
    func becomesKnown() async throws {
        let server = try await GameServer()
        let key = try await server.clientKey()
        let made = try await server.post("/v1/customers", [:], key: key)
        let guest = try #require(made.json["customer_id"]?.string)
        let secret: HTTPHeaders = [
            "Counterfoil-Customer-Secret": "\(guest):\(made.json["secret"]?.string ?? "")"
        ]
        let registered = try await server.post(
            "/v1/customers/\(guest)/tokens", [:], key: key, headers: secret)
        let bought = try TestAuthority.shared.signedTransaction(server.purchase("coins100", "T1"))
        _ = try await server.post(
            "/v1/purchases", ["signed_transaction": .string(bought)], key: key, headers: secret)
        // The studio's server looks whether the guest is this player's.
        #expect(try await server.get("/v1/customers/\(guest)", headers: secret).status == 200)
        let merged = try await server.post(
            "/v1/customers/\(guest)/merge", ["into": "known", "reason": "logged in"])
        #expect(merged.status == 200)
        let refused = try await server.get("/v1/customers/\(guest)", key: key, headers: secret)
        #expect(refused.status == 401)
        #expect(refused.json["code"] == "auth.customer_known")
        server.clock.advance(by: .seconds(1))
        var late = server.purchase("coins100", "T2")
        late.appAccountToken = UniqueID(registered.json["token"]?.string ?? "")
        let approved = try await server.post(
            "/v1/purchases",
            ["signed_transaction": .string(try TestAuthority.shared.signedTransaction(late))],
            key: key, headers: server.named("known"))
        #expect(approved.words == "fulfilled finish")
        let all = try await server.get(
            "/v1/customers/known", key: key, headers: server.named("known"))
        #expect(all.json["balances"]?.array?.first?["paid"] == 200)
        let told = try await server.get("/v1/customers/known/timeline").json["entries"]?.array ?? []
        let submitters = told.compactMap { $0["submission"]?["customer_id"]?.string }
        #expect(submitters == [guest, "known"])
        let id = merged.json["merge_id"]?.string ?? ""
        _ = try await server.post("/v1/merges/\(id)/undo", ["reason": "a mistake"])
        #expect(
            try await server.get("/v1/customers/\(guest)", key: key, headers: secret).status == 200)
    }

    @Test("A wrong secret, an unknown id and a customer without a secret are answered alike")
    func wrong() async throws {
        let server = try await GameServer()
        let key = try await server.clientKey()
        _ = try await server.submit(server.purchase(), for: "u1")
        let made = try await server.post("/v1/customers", [:], key: key)
        let id = try #require(made.json["customer_id"]?.string)
        var details: Set<String> = []
        for named in [id, "anon-nobody", "u1"] {
            let answer = try await server.get(
                "/v1/customers/\(named)", key: key,
                headers: ["Counterfoil-Customer-Secret": "\(named):cfa_wrong"])
            #expect(answer.status == 401)
            details.insert(answer.json["detail"]?.string ?? "")
        }
        #expect(details.count == 1)
    }

    @Test("An app that has not allowed it makes none")
    func notAllowed() async throws {
        let server = try await GameServer(allowsAnonymousCustomers: false)
        let answer = try await server.post("/v1/customers", [:], key: server.clientKey())
        #expect(answer.status == 403)
        #expect(answer.json["code"] == "customer.anonymous_not_allowed")
    }

    @Test("The secret is stored as a digest only, also for a request that named itself")
    func notReadable() async throws {
        let server = try await GameServer()
        let key = try await server.clientKey()
        let made = try await server.post(
            "/v1/customers", [:], key: key, headers: ["Idempotency-Key": "k"])
        #expect(made.status == 201)
        let kept = try await server.engine.database.read { transaction in
            try transaction.row("SELECT COUNT(*) FROM idempotency_keys")?.integer(0)
        }
        #expect(kept == 0)
    }
}
