// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilHTTP
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Several servers that send", .onEveryDatabase)
struct SeveralServersThatSend {
    @Test("An endpoint is one server's at a time")
    func lease() async throws {
        let world = try await Delivering()
        let endpoint = try await world.endpoint()
        try await world.buy("T1")
        try await world.engine.numberEvents()
        let lease = CounterfoilEngine.Limits.endpointLease
        let claim = try await world.engine.database.write {
            try $0.claimEndpoint(endpoint.endpointID, for: lease)
        }
        let held = try #require(claim)
        let other = Courier(
            engine: try await world.shop.anotherServer(), transport: world.receiver,
            rules: WebhookRules())
        #expect(try await other.serveAll() == 0)
        try await world.engine.database.write { try $0.release(held) }
        #expect(try await other.serveAll() == 1)
    }

    @Test("What a server that died had under way is sent by another, and counts as an attempt")
    func takeOver() async throws {
        let world = try await Delivering()
        let endpoint = try await world.endpoint()
        try await world.buy("T1")
        try await world.buy("T2")
        try await world.engine.numberEvents()
        let lease = CounterfoilEngine.Limits.endpointLease
        let claim = try #require(
            try await world.engine.database.write {
                try $0.claimEndpoint(endpoint.endpointID, for: lease)
            })
        _ = try await world.engine.fanOut(claim)
        #expect(try await world.engine.take(claim, limit: 8).count == 1)
        #expect(try await world.grants(.sent) == 1)
        #expect(try await world.states() == ["sent": 1, "queued": 1])
        #expect(try await world.send().isEmpty)
        world.wait(lease)
        #expect(try await world.send().map(\.sequence) == [1, 2])
        let delivered = try await world.deliveries(.delivered)
        #expect(delivered.map(\.tries) == [2, 1])
        #expect(try await world.grants(.delivered) == 2)
    }

    @Test("A server that was too slow has no say any more")
    func fence() async throws {
        let world = try await Delivering()
        let endpoint = try await world.endpoint()
        try await world.buy("T1")
        try await world.engine.numberEvents()
        let lease = CounterfoilEngine.Limits.endpointLease
        let slow = try #require(
            try await world.engine.database.write {
                try $0.claimEndpoint(endpoint.endpointID, for: lease)
            })
        _ = try await world.engine.fanOut(slow)
        let taken = try await world.engine.take(slow, limit: 1)
        world.wait(lease)
        let next = try #require(
            try await world.engine.database.write {
                try $0.claimEndpoint(endpoint.endpointID, for: lease)
            })
        let report = ConsignmentReport(
            consignment: try #require(taken.first), sentAt: world.shop.clock.now,
            duration: .zero,
            verdict: DeliveryVerdict(.init(status: 200), now: world.shop.clock.now))
        await #expect(throws: Engine.EndpointLost.self) {
            try await world.engine.settle(slow, [report])
        }
        await #expect(throws: Engine.EndpointLost.self) {
            _ = try await world.engine.take(slow, limit: 1)
        }
        #expect(try await world.states() == ["waiting": 1])
        #expect(try await world.grants(.sent) == 1, "it was handed over, and nobody knows more")
        try await world.engine.database.write { try $0.release(next) }
        #expect(try await world.send().count == 1)
    }

    @Test("What a stopping server breaks off costs no attempt")
    func stopping() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        let courier = world.courier
        world.receiver.answer { _, _ in
            courier.stop()
            return .failure(.closed)
        }
        try await world.buy("T1")
        try await world.buy("T2", by: "u2")
        #expect(try await world.send().count == 2)
        world.wait(.seconds(1))
        #expect(try await world.send().isEmpty, "it begins nothing any more")
        world.receiver.answer { _, _ in .ok }
        let other = Courier(
            engine: world.engine, transport: world.receiver, rules: WebhookRules())
        #expect(try await other.serveAll() == 2)
        #expect(try await world.deliveries(.delivered).map(\.attempts) == [1, 1])
    }

    @Test("Two servers that send at the same time deliver each event once")
    func together() async throws {
        let world = try await Delivering()
        for host in ["a", "b", "c", "d"] {
            try await world.endpoint { $0.url = "https://\(host).example/" }
        }
        world.receiver.know([])
        for number in 1...25 { try await world.buy("T\(number)", by: "u\(number % 5)") }
        try await world.engine.numberEvents()
        let other = Courier(
            engine: try await world.shop.anotherServer(), transport: world.receiver,
            rules: WebhookRules())
        async let first = world.courier.serveAll()
        async let second = other.serveAll()
        #expect(try await first + second == 100)
        let received = world.receiver.take()
        #expect(Set(received.map { "\($0.url) \($0.id)" }).count == 100)
        #expect(received.count == 100)
        #expect(try await world.grants(.delivered) == 25)
        try await world.shop.expectBalancedBooks()
    }
}

@Suite("What a person does about deliveries", .onEveryDatabase)
struct WhatAPersonDoes {
    /// Four purchases that are all dead letters.
    private func dead() async throws -> Delivering {
        let world = try await Delivering()
        try await world.endpoint { $0.types = ["purchase.fulfilled"] }
        world.receiver.answer { _, _ in .status(500) }
        for number in 1...4 { try await world.buy("T\(number)", by: "u\(number % 2)") }
        for _ in 0..<40 {
            _ = try await world.send()
            world.wait(.seconds(29 * 3600))
        }
        #expect(try await world.states() == ["dead": 4])
        world.receiver.answer { _, _ in .ok }
        return world
    }

    private func replay(
        _ selection: ReplayRequest.Selection, _ world: Delivering, endpoint: UniqueID? = nil
    ) async throws -> Int? {
        try await world.engine.replay(
            ReplayRequest(selection: selection, endpoint: endpoint, types: nil), of: Shop.app
        )?.replayed
    }

    @Test("A replay keeps id and sequence, says that it is one, and goes in order")
    func failed() async throws {
        let world = try await dead()
        let before = try await world.deliveries(.dead).map(\.eventID.description)
        let count = try await replay(.failed(since: Shop.openingDay), world)
        #expect(count == 4)
        let received = try await world.send()
        #expect(Set(received.map(\.id)) == Set(before))
        #expect(!received.map(\.isReplay).contains(false))
        for customer in ["u0", "u1"] {
            #expect(received.filter { $0.customer == customer }.map(\.sequence) == [1, 2])
        }
        #expect(try await world.states() == ["delivered": 4])
        #expect(try await replay(.failed(since: Shop.openingDay), world) == 0)
        #expect(world.receiver.refusals.isEmpty)
    }

    @Test("What waits after a failure is sent at once")
    func waiting() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        world.receiver.answer { _, _ in .status(500) }
        try await world.buy("T1")
        try await world.send()
        world.receiver.answer { _, _ in .ok }
        #expect(try await world.send().isEmpty)
        #expect(try await replay(.failed(since: Shop.openingDay), world) == 1)
        let received = try await world.send()
        #expect(received.map(\.isReplay) == [false], "it is the same delivery, only sooner")
    }

    @Test("Events are replayed by id, by customer and by time")
    func selections() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        let start = world.shop.clock.now
        for number in 1...6 {
            try await world.buy("T\(number)", by: "u\(number % 2)")
            world.wait(.seconds(3600))
        }
        let first = try await world.send()
        #expect(first.count == 6)
        func transactions() async throws -> [String] {
            try await world.send().compactMap { $0.json["data"]?["transaction_id"]?.string }
                .sorted()
        }
        let second = try #require(
            first.first { $0.json["data"]?["transaction_id"] == "T2" }.flatMap {
                UniqueID($0.id)
            })
        let stranger = world.engine.freshID()
        #expect(try await replay(.events([second, stranger]), world) == 1)
        #expect(try await transactions() == ["T2"])
        let customer = try CustomerID("u1")
        #expect(try await replay(.customer(customer, .production), world) == 3)
        #expect(try await transactions() == ["T1", "T3", "T5"])
        #expect(try await replay(.customer(customer, .sandbox), world) == 0)
        #expect(
            try await replay(.customer(try CustomerID("nobody"), .production), world) == 0)
        let range = ReplayRequest.Selection.time(
            from: start + .seconds(3600), to: start + .seconds(3 * 3600))
        #expect(try await replay(range, world) == 2)
        #expect(try await transactions() == ["T2", "T3"])
        #expect(try await replay(range, world, endpoint: stranger) == nil)
    }

    @Test("An endpoint that is younger than the events gets them by a replay of its own")
    func younger() async throws {
        let world = try await Delivering()
        for number in 1...3 { try await world.buy("T\(number)") }
        try await world.engine.numberEvents()
        let endpoint = try await world.endpoint()
        #expect(try await world.send().isEmpty)
        let range = ReplayRequest.Selection.time(
            from: Shop.openingDay, to: world.shop.clock.now + .seconds(1))
        #expect(try await replay(range, world) == 0)
        #expect(try await replay(range, world, endpoint: endpoint.endpointID) == 3)
        #expect(try await world.send().map(\.sequence) == [1, 2, 3])
    }

    @Test("Of a product that is held back nothing is sent until it is released")
    func heldProduct() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        let product = try ProductID("coins100")
        try await world.hold(product)
        try await world.buy("T1")
        try await world.buy("T2")
        try await world.shop.submit(world.shop.purchase("sword1", "T3"), by: "u2")
        let first = try await world.send()
        #expect(first.map { $0.json["data"]?["product_id"]?.string } == ["sword1"])
        #expect(try await world.states() == ["held": 1, "queued": 1, "delivered": 1])
        world.wait(.seconds(86_400))
        #expect(try await world.send().isEmpty)
        #expect(try await world.engine.endDeliveryHold(of: Shop.app, product: product))
        #expect(try await world.send().map(\.sequence) == [1, 2])
        #expect(try await !world.engine.endDeliveryHold(of: Shop.app, product: product))
    }

    @Test("Of an app that is held back nothing is sent, and its events can be read all the same")
    func heldApp() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        try await world.hold(nil)
        #expect(try await world.engine.deliveryHolds(of: Shop.app).map(\.product) == [nil])
        try await world.buy("T1")
        #expect(try await world.send().isEmpty)
        #expect(try await world.shop.eventTypes() == ["purchase.fulfilled"])
        #expect(try await world.engine.endDeliveryHold(of: Shop.app, product: nil))
        #expect(try await world.send().count == 1)
    }

    @Test("The attempts of a delivery that are kept are limited")
    func keptAttempts() async throws {
        let world = try await Delivering()
        try await world.endpoint { $0.types = ["purchase.fulfilled"] }
        world.receiver.answer { _, _ in .status(500, body: String(repeating: "é", count: 3000)) }
        try await world.buy("T1")
        for _ in 0..<60 {
            _ = try await world.send()
            _ = try await replay(.failed(since: Shop.openingDay), world)
        }
        let delivery = try #require(try await world.deliveries(.waiting).first)
        #expect(delivery.tries == 60)
        let view = try await world.engine.delivery(
            of: delivery.eventID, to: delivery.endpointID, of: Shop.app)
        #expect(view?.attempts.count == 26)
        let reply = try #require(delivery.lastAttempt?.reply)
        #expect(reply.utf8.count <= 2048 && reply.utf8.count > 2000)
    }
}

@Suite("Addresses of endpoints")
struct AddressesOfEndpoints {
    @Test(
        "An encrypted host of the public internet may be an endpoint",
        arguments: [
            "https://hooks.example/path?query=1", "https://hooks.example", "HTTPS://H.example:443/",
            "https://hooks.example:8443/", "https://8.8.8.8/", "https://[2606:4700::1111]/",
            "https://a_b.example/%20",
        ])
    func allowed(_ url: String) {
        #expect(WebhookRules().problem(withURL: url) == nil)
    }

    @Test(
        "Everything else may not",
        arguments: [
            "", "hooks.example", "ftp://hooks.example/", "http://hooks.example/", "https://",
            "https:///path", "https://user@hooks.example/", "https://u:p@hooks.example/",
            "https://hooks.example:22/", "https://hooks.example:0/", "https://hooks.example:99999/",
            "https://hooks.example:+443/", "https://hooks.example:/", "https://127.0.0.1/",
            "https://10.0.0.1/", "https://169.254.169.254/latest", "https://[::1]/",
            "https://[::ffff:127.0.0.1]/", "https://[fe80::1%25eth0]/", "https://2130706433/",
            "https://127.1/", "https://0x7f000001/", "https://0177.0.0.1/", "https://1.2.3.4.5/",
            "https://hooks..example/", "https://hooks.example/a b", "https://hooks.example/#part",
            "https://hooks.example\\@evil.example/", "https://hooks.example/\u{7f}",
            "https://hööks.example/",
            "https://hooks.example/" + String(repeating: "a", count: 2048),
        ])
    func refused(_ url: String) {
        #expect(WebhookRules().problem(withURL: url) != nil, "\(url.prefix(60))")
    }

    @Test("The operator may allow hosts without encryption and inner addresses")
    func rules() throws {
        let rules = WebhookRules(
            plainHosts: ["Game.internal", "127.0.0.1"],
            allowing: [try #require(IPAddressRange("127.0.0.0/8"))])
        #expect(rules.problem(withURL: "http://game.internal:8080/hooks") == nil)
        #expect(rules.problem(withURL: "http://127.0.0.1:9999/") == nil)
        #expect(rules.problem(withURL: "http://127.0.0.2:9999/") != nil)
        #expect(rules.problem(withURL: "https://127.0.0.2/") == nil)
        #expect(rules.problem(withURL: "http://game.internal:25/") != nil)
        #expect(rules.problem(withURL: "https://10.0.0.1/") != nil)
    }

    @Test("An endpoint whose address is not allowed any more is not sent to")
    func changedRules() async throws {
        let world = try await Delivering()
        try await world.endpoint { $0.url = "http://game.internal/" }
        try await world.buy("T1")
        #expect(try await world.send().isEmpty)
        let waiting = try await world.deliveries(.waiting)
        #expect(waiting.first?.lastAttempt?.error == "webhook.address_not_allowed")
    }
}
