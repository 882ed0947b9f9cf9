// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilHTTP
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("What arrives at an endpoint", .onEveryDatabase)
struct WhatArrives {
    @Test("A purchase arrives once, signed, with sequence and state, and its grant is delivered")
    func purchase() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        try await world.buy("T1")
        #expect(try await world.grants(.due) == 1)
        let received = try await world.send()
        #expect(received.map(\.type) == ["purchase.fulfilled"])
        #expect(received.map(\.sequence) == [1])
        #expect(received.map(\.url) == [Delivering.url])
        #expect(received.first?.json["data"]?["transaction_id"] == "T1")
        #expect(received.first?.json["state"]?["balances"]?.array?.count == 1)
        #expect(received.first?.isReplay == false)
        #expect(world.receiver.refusals.isEmpty)
        let events = try await world.engine.events(of: Shop.app, after: 0, limit: 10)
        #expect(events.map(\.json) == received.map(\.json))
        #expect(events.map { $0.json["id"]?.string } == received.map(\.id))
        #expect(try await world.grants(.delivered) == 1)
        #expect(try await world.states() == ["delivered": 1])
        #expect(try await world.send().isEmpty)
        try await world.shop.expectBalancedBooks()
    }

    @Test(
        "The reply says what became of the goods",
        arguments: [
            (.ok, "delivered", .delivered), (.status(200, body: "OK"), "delivered", .delivered),
            (.status(200, body: "{\"result\": 0}"), "delivered", .delivered),
            (.status(202, body: "{\"ok\": true}"), "delivered", .delivered),
            (.result("delivered"), "delivered", .delivered),
            (.result("rejected"), "rejected", .rejected), (.result("later"), "waiting", .due),
            (.result("done"), "waiting", .due), (.status(404), "waiting", .due),
            (.status(400, body: "{\"result\": \"delivered\"}"), "waiting", .due),
            (.status(302, headers: ["Location": "https://b.example/"]), "waiting", .due),
            (.status(304), "waiting", .due), (.status(500), "waiting", .due),
            (.failure(.timeout), "waiting", .due), (.failure(.connect), "waiting", .due),
            (.failure(.tooLarge), "waiting", .due), (.failure(.addressRefused), "waiting", .due),
        ] as [(ReceiverAnswer, String, GrantState)])
    func replies(answer: ReceiverAnswer, state: String, grant: GrantState) async throws {
        let world = try await Delivering()
        try await world.endpoint()
        world.receiver.answer { _, _ in answer }
        try await world.buy("T1")
        #expect(try await world.send().count == 1)
        #expect(try await world.states() == [state: 1])
        #expect(try await world.grants(grant) == 1)
    }

    @Test("An endpoint that does not acknowledge says nothing about grants")
    func analytics() async throws {
        let world = try await Delivering()
        let game = try await world.endpoint()
        let other = try await world.endpoint { $0.url = "https://numbers.example/" }
        #expect(game.acknowledges && !other.acknowledges)
        world.receiver.know([game.secret, other.secret])
        world.receiver.answer { webhook, _ in
            webhook.url == Delivering.url ? .status(500) : .result("rejected")
        }
        try await world.buy("T1")
        let received = try await world.send()
        #expect(Set(received.map(\.url)).count == 2)
        #expect(Set(received.map(\.id)).count == 1)
        #expect(try await world.grants(.due) == 1)
        #expect(try await world.states() == ["waiting": 1, "rejected": 1])
    }

    @Test("Types and environment choose what is sent")
    func filters() async throws {
        let world = try await Delivering()
        try await world.endpoint { $0.types = ["purchase.parked"] }
        try await world.endpoint { settings in
            settings.url = "https://sandbox.example/"
            settings.environment = .one(.sandbox)
        }
        try await world.buy("T1")
        try await world.shop.submit(world.shop.purchase("unknown", "T2"))
        let received = try await world.send()
        #expect(received.map(\.type) == ["purchase.parked"])
        #expect(received.map(\.url) == [Delivering.url])
    }

    @Test("A new endpoint is sent what comes from now on, or from the event that it names")
    func beginning() async throws {
        let world = try await Delivering()
        try await world.buy("T1")
        try await world.buy("T2")
        try await world.engine.numberEvents()
        try await world.endpoint { $0.url = "https://now.example/" }
        try await world.buy("T3")
        #expect(
            try await world.send().map { $0.json["data"]?["transaction_id"]?.string } == ["T3"])
        try await world.endpoint(after: 1) { $0.url = "https://behind.example/" }
        #expect(
            try await world.send().map { $0.json["data"]?["transaction_id"]?.string }
                == ["T2", "T3"])
        try await world.endpoint(after: 999) { $0.url = "https://ahead.example/" }
        #expect(try await world.send().isEmpty)
        try await world.buy("T4")
        #expect(try await world.send().count == 3)
    }

    @Test("A customer's events arrive in their order, however many there are")
    func many() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        for number in 1...130 {
            try await world.buy("T\(number)", by: "u\(number % 3)")
        }
        let received = try await world.send()
        #expect(received.count == 130)
        for customer in ["u0", "u1", "u2"] {
            let sequences = received.filter { $0.customer == customer }.map(\.sequence)
            #expect(sequences == Array(1...Int64(sequences.count)))
        }
        #expect(world.receiver.refusals.isEmpty)
        #expect(try await world.grants(.delivered) == 130)
    }

    @Test("An event that is too long says where to fetch it")
    func thin() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        try await world.buy("T1")
        try await world.engine.database.write { transaction in
            let long = String(repeating: "x", count: 30_000)
            _ = try transaction.change(
                "UPDATE events SET body = $1", [.value("{\"data\":{\"text\":\"\(long)\"}}")])
        }
        let received = try #require(try await world.send().first)
        #expect(received.byteCount < 1000)
        #expect(received.json["data"] == .null)
        #expect(received.json["fetch"]?.string == "/v1/events/\(received.id)")
        let id = try #require(UniqueID(received.id))
        let fetched = try await world.engine.event(id, of: Shop.app)
        #expect(fetched?.json["data"]?["text"]?.string?.count == 30_000)
    }

    @Test("A test is sent at once, signed, and stands nowhere")
    func test() async throws {
        let world = try await Delivering()
        let endpoint = try await world.endpoint { $0.isEnabled = false }
        world.receiver.answer { _, _ in .status(404, body: "no such page") }
        let failed = try #require(
            try await world.courier.test(endpoint.endpointID, of: Shop.app))
        #expect(!failed.isDelivered)
        #expect(failed.attempt.status == 404)
        #expect(failed.attempt.error == "webhook.status")
        #expect(failed.attempt.reply == "no such page")
        world.receiver.answer { _, _ in .ok }
        let passed = try await world.courier.test(endpoint.endpointID, of: Shop.app)
        #expect(passed?.isDelivered == true)
        #expect(world.receiver.all.map(\.type) == ["endpoint.test", "endpoint.test"])
        #expect(world.receiver.refusals.isEmpty)
        #expect(try await world.states().isEmpty)
        #expect(try await world.courier.test(world.engine.freshID(), of: Shop.app) == nil)
    }

    @Test("While a secret changes both sign, then only the new one does")
    func rotation() async throws {
        let world = try await Delivering()
        let old = try await world.endpoint()
        world.receiver.answer { _, _ in .status(500) }
        try await world.buy("T1")
        try await world.send()
        let new = try #require(
            try await world.write {
                try $0.rotateSecret(of: old.endpointID, grace: .seconds(60), in: $1)
            })
        #expect(new.secret != old.secret)
        // The attempt after the change signs with both, though the event was there before it.
        world.wait(.seconds(10))
        let received = try await world.send()
        #expect(received.count == 1)
        #expect(received[0].signatures.split(separator: " ").count == 2)
        world.receiver.know([new.secret])
        world.receiver.answer { _, _ in .ok }
        world.wait(.seconds(60))
        let last = try await world.send()
        #expect(last.count == 1)
        #expect(last[0].signatures.split(separator: " ").count == 1)
        #expect(world.receiver.refusals.isEmpty)
    }

    @Test("What an endpoint that was taken away was to get stays in the books and is not sent")
    func deletion() async throws {
        let world = try await Delivering()
        let endpoint = try await world.endpoint()
        world.receiver.answer { _, _ in .status(500) }
        try await world.buy("T1")
        try await world.send()
        #expect(try await world.write { try $0.delete(endpoint.endpointID, in: $1) })
        #expect(try await world.write { try !$0.delete(endpoint.endpointID, in: $1) })
        world.wait(.seconds(86_400))
        try await world.buy("T2")
        #expect(try await world.send().isEmpty)
        #expect(try await world.states() == ["waiting": 1])
        #expect(try await world.engine.endpoints(of: Shop.app).isEmpty)
        let secrets = try await world.shop.count(
            "SELECT COUNT(*) FROM endpoints WHERE secret <> ''")
        #expect(secrets == 0)
    }
}
