// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("A receiver that does not take what it is sent", .onEveryDatabase)
struct ReceiverThatFails {
    @Test("An event is tried thirteen times over some 83 hours, with one id, and then lies dead")
    func schedule() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        world.receiver.answer { _, _ in .status(500, body: "no database") }
        try await world.buy("T1")
        let start = world.shop.clock.now
        var received = try await world.send()
        // In steps shorter than any pause varies, so that each attempt is seen at its time.
        while try await world.deliveries(.dead).isEmpty, received.count < 20 {
            let next = try #require(try await world.deliveries(.waiting).first).nextAt
            world.shop.clock.set(to: next - .milliseconds(1))
            #expect(try await world.send().isEmpty)
            world.shop.clock.set(to: next)
            received += try await world.send()
        }
        let attempts = received.filter { $0.type == "purchase.fulfilled" }
        #expect(attempts.count == 13)
        #expect(Set(attempts.map(\.id)).count == 1)
        #expect(world.receiver.refusals.isEmpty, "each attempt is signed at its own time")
        for (index, pause) in DeliverySchedule.pauses.enumerated() {
            let waited = attempts[index + 1].at.since(attempts[index].at)
            #expect(waited >= pause * 0.79 && waited <= pause * 1.21, "\(index)")
        }
        let hours = world.shop.clock.now.since(start).wholeMilliseconds / 3_600_000
        #expect((80...100).contains(hours))
        let dead = try #require(try await world.deliveries(.dead).first)
        #expect(dead.attempts == 13)
        #expect(dead.lastAttempt?.status == 500)
        #expect(dead.lastAttempt?.reply == "no database")
        let view = try await world.engine.delivery(
            of: dead.eventID, to: dead.endpointID, of: Shop.app)
        #expect(view?.attempts.count == 13)
        #expect(try await world.grants(.due) == 1, "the pull twin still lists it")
    }

    @Test("A dead letter raises one alarm a day, and lets the customer's next event go")
    func dead() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        world.receiver.answer { webhook, _ in
            webhook.type == "operator.alarm" || webhook.json["data"]?["transaction_id"] == "T2"
                ? .ok : .status(500)
        }
        try await world.buy("T1")
        try await world.buy("T2")
        try await world.buy("T3", by: "u2")
        for _ in 0..<30 {
            _ = try await world.send()
            world.wait(.seconds(29 * 3600))
        }
        #expect(try await world.states() == ["dead": 2, "delivered": 2])
        let alarms = try await world.engine.events(of: Shop.app, after: 0, limit: 100)
            .filter { $0.json["type"] == "operator.alarm" }
        #expect(alarms.count == 1)
        #expect(alarms.first?.json["data"]?["alarm"] == "webhook.dead_letter")
        #expect(alarms.first?.json["sequence"] == .null)
        try await world.shop.expectBalancedBooks()
    }

    @Test("An alarm that does not arrive raises none")
    func alarmOfAlarm() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        world.receiver.answer { _, _ in .status(500) }
        try await world.buy("T1")
        for _ in 0..<40 {
            _ = try await world.send()
            world.wait(.seconds(29 * 3600))
        }
        #expect(try await world.states() == ["dead": 2])
        #expect(try await world.shop.eventTypes() == ["purchase.fulfilled", "operator.alarm"])
    }

    @Test("A receiver that was down for 80 hours gets everything in order, once per id")
    func outage() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        world.receiver.answer { _, _ in .failure(.connect) }
        for hour in 0..<80 {
            try await world.buy("T\(hour)", by: "u\(hour % 4)")
            _ = try await world.send()
            world.wait(.seconds(3600))
        }
        world.receiver.answer { _, _ in .ok }
        var received: [ReceivedWebhook] = []
        for _ in 0..<60 {
            received += try await world.send()
            world.wait(.seconds(1800))
        }
        #expect(received.count == 80)
        #expect(Set(received.map(\.id)).count == 80)
        for customer in (0..<4).map({ "u\($0)" }) {
            #expect(
                received.filter { $0.customer == customer }.map(\.sequence) == Array(1...20))
        }
        #expect(try await world.states() == ["delivered": 80])
    }

    @Test("A blocked event keeps back those of its customer and nobody else's")
    func order() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        world.receiver.answer { webhook, _ in
            webhook.json["data"]?["transaction_id"] == "T1" ? .status(500) : .ok
        }
        try await world.buy("T1")
        try await world.buy("T2")
        try await world.buy("T3", by: "u2")
        let first = try await world.send()
        #expect(Set(first.map { $0.json["data"]?["transaction_id"]?.string }) == ["T1", "T3"])
        #expect(try await world.states() == ["waiting": 1, "queued": 1, "delivered": 1])
        world.receiver.answer { _, _ in .ok }
        world.wait(.seconds(10))
        #expect(try await world.send().map(\.sequence) == [1, 2])
    }

    @Test("Where order is not wanted, a blocked event is passed after three attempts")
    func passing() async throws {
        let world = try await Delivering()
        try await world.endpoint { $0.isOrdered = false }
        world.receiver.answer { webhook, _ in
            webhook.json["data"]?["transaction_id"] == "T1" ? .status(500) : .ok
        }
        try await world.buy("T1")
        try await world.buy("T2")
        #expect(try await world.send().map(\.sequence) == [1])
        world.wait(.seconds(10))
        #expect(try await world.send().map(\.sequence) == [1])
        world.wait(.seconds(60))
        #expect(try await world.send().map(\.sequence) == [1, 2])
        try await world.buy("T3")
        #expect(try await world.send().map(\.sequence) == [3])
    }

    @Test("An answer that comes too late does not count; the same id comes again")
    func late() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        world.receiver.answer { _, count in count == 1 ? .failure(.timeout) : .ok }
        try await world.buy("T1")
        let first = try await world.send()
        world.receiver.answer { _, _ in .ok }
        world.wait(.seconds(10))
        let second = try await world.send()
        #expect(first.count == 1 && first.map(\.id) == second.map(\.id))
        #expect(first.map(\.json) == second.map(\.json))
        #expect(try await world.states() == ["delivered": 1])
    }

    @Test("410 disables the endpoint with an alarm and keeps the events")
    func gone() async throws {
        let world = try await Delivering()
        let endpoint = try await world.endpoint()
        world.receiver.answer { _, _ in .status(410) }
        try await world.buy("T1")
        #expect(try await world.send().count == 1)
        try await world.buy("T2", by: "u2")
        world.wait(.seconds(86_400))
        #expect(try await world.send().isEmpty)
        let disabled = try #require(
            try await world.engine.endpoint(endpoint.endpointID, of: Shop.app))
        #expect(disabled.state == .disabled && disabled.reason == "webhook.gone")
        #expect(try await world.shop.eventTypes().contains("operator.alarm"))
        world.receiver.answer { _, _ in .ok }
        _ = try await world.write { write, transaction in
            var settings = EndpointSettings()
            settings.isEnabled = true
            return try write.update(endpoint.endpointID, settings, in: transaction)
        }
        let received = try await world.send()
        #expect(received.filter { $0.type == "purchase.fulfilled" }.count == 2)
        #expect(try await world.states() == ["delivered": 3])
    }

    @Test("A receiver with too much to do is left alone as a whole, for as long as it asks")
    func overloaded() async throws {
        let world = try await Delivering()
        try await world.endpoint { $0.concurrency = 1 }
        world.receiver.answer { _, _ in .status(429, headers: ["Retry-After": "120"]) }
        for number in 1...5 { try await world.buy("T\(number)", by: "u\(number)") }
        #expect(try await world.send().count == 1)
        world.wait(.seconds(119))
        #expect(try await world.send().isEmpty)
        world.receiver.answer { _, _ in .ok }
        world.wait(.seconds(1))
        #expect(try await world.send().count == 5)
    }

    @Test("Nobody is left alone for longer than six hours by his own wish")
    func longWish() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        world.receiver.answer { _, _ in .status(503, headers: ["Retry-After": "999999"]) }
        try await world.buy("T1")
        #expect(try await world.send().count == 1)
        world.wait(.seconds(6 * 3600 - 1))
        #expect(try await world.send().isEmpty)
        world.wait(.seconds(1))
        #expect(try await world.send().count == 1)
    }

    @Test("A receiver that always asks for a second does not use the attempts up")
    func shortWish() async throws {
        let world = try await Delivering()
        try await world.endpoint()
        world.receiver.answer { _, _ in .status(500, headers: ["Retry-After": "1"]) }
        try await world.buy("T1")
        var count = 0
        for _ in 0..<60 {
            count += try await world.send().count
            world.wait(.seconds(1))
        }
        #expect((2...3).contains(count))
    }

    @Test("No more requests begin in a second than the endpoint allows")
    func rate() async throws {
        let world = try await Delivering()
        try await world.endpoint { $0.rate = 3 }
        for number in 1...7 { try await world.buy("T\(number)", by: "u\(number)") }
        var counts: [Int] = []
        for _ in 0..<3 {
            counts.append(try await world.send().count)
            #expect(try await world.send().isEmpty)
            world.wait(.seconds(1))
        }
        #expect(counts == [3, 3, 1])
    }
}

@Suite("When an attempt is made again")
struct WhenAnAttemptIsMadeAgain {
    @Test("Pauses vary by a fifth, outlast 80 hours in any case, and end after the twelfth")
    func pauses() {
        for (index, planned) in DeliverySchedule.pauses.enumerated() {
            let attempts = Int64(index + 1)
            let shortest = planned >= .seconds(6 * 3600) ? planned : planned * 0.8
            #expect(DeliverySchedule.pause(after: attempts, chance: 0) == shortest)
            #expect(DeliverySchedule.pause(after: attempts, chance: .max) == planned * 1.2)
        }
        #expect(DeliverySchedule.pause(after: 13, chance: 0) == nil)
        #expect(DeliverySchedule.pause(after: 0, chance: 0) == nil)
        let whole = DeliverySchedule.pauses.reduce(.zero, +)
        #expect(whole > .seconds(82 * 3600) && whole < .seconds(84 * 3600))
        let shortest = (1...12).compactMap { DeliverySchedule.pause(after: $0, chance: 0) }
        #expect(shortest.reduce(.zero, +) > .seconds(80 * 3600))
    }

    @Test("A receiver with too much to do is left alone for longer each time, five minutes at most")
    func slowdown() {
        let pauses = (1...9).map { DeliverySchedule.slowdown(after: $0, wish: nil) }
        #expect(pauses.first == .seconds(5) && pauses.last == .seconds(300))
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(DeliverySchedule.slowdown(after: Int64.max, wish: nil) == .seconds(300))
        #expect(DeliverySchedule.slowdown(after: 1, wish: .seconds(90)) == .seconds(90))
    }
}
