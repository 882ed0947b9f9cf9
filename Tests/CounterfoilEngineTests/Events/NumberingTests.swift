// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Synchronization
import Testing

@testable import CounterfoilEngine

@Suite(
    "Where several transactions write at the same time, events are numbered after the commit",
    .onEveryDatabase)
struct NumberingAfterTheCommit {
    @Test("Readers see an event once it has a number")
    func visibility() async throws {
        let shop = try await Shop(hasManyWriters: true)
        try await shop.submit(shop.purchase("coins100"))
        #expect(try await shop.engine.events(of: Shop.app, after: 0, limit: 500).isEmpty)
        #expect(try await shop.engine.numberEvents() == 1)
        #expect(try await shop.eventTypes() == ["purchase.fulfilled"])
        #expect(try await shop.engine.numberEvents() == 0)
    }

    @Test("News ring the bell, repetitions do not")
    func bell() async throws {
        let shop = try await Shop(hasManyWriters: true)
        let rings = Mutex(0)
        let engine = try await Engine.open(
            shop.engine.database, policies: [shop.policy], clock: shop.clock,
            random: SeededRandom(seed: 1), jobSignal: {},
            eventSignal: { rings.withLock { $0 += 1 } })
        let token = try TestAuthority.shared.signedTransaction(shop.purchase("coins100"))
        for _ in 0..<3 {
            let submission = Submission(
                customer: try CustomerID("u1"), proof: .signedTransaction(token),
                claimedTransactionID: nil, claimedProductID: nil, address: "127.0.0.1")
            _ = try await engine.submit(submission, to: shop.policy)
        }
        #expect(rings.withLock { $0 } == 1)
    }

    @Test("No number is given twice although older events are gone")
    func pruned() async throws {
        let shop = try await Shop(hasManyWriters: true)
        try await shop.submit(shop.purchase("coins100", "T1"))
        try await shop.engine.numberEvents()
        try await shop.engine.database.write { try $0.execute("DELETE FROM events") }
        try await shop.submit(shop.purchase("coins100", "T2"))
        try await shop.engine.numberEvents()
        let events = try await shop.engine.events(of: Shop.app, after: 1, limit: 10)
        #expect(events.map(\.number) == [2])
    }

    @Test(
        "A reader who follows the numbers misses nothing and sees each customer's events in order",
        arguments: 1...40 as ClosedRange<UInt64>)
    func following(seed: UInt64) async throws {
        var story = NumberingStory(seed: seed)
        try await story.play(in: try await Shop(hasManyWriters: true).engine.database)
    }
}

@Suite("Between one writer and several: a file that was opened in both ways")
struct NumberingBetweenOneWriterAndSeveral {
    @Test("On an engine with one writer there is nothing to number")
    func singleWriter() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100"))
        #expect(shop.engine.numbersEventsApart == false)
        #expect(try await shop.engine.numberEvents() == 0)
        #expect(try await shop.eventTypes() == ["purchase.fulfilled"])
    }

    @Test("What was left without a number comes before what an engine with one writer publishes")
    func leftOver() async throws {
        let shop = try await Shop(hasManyWriters: true)
        try await shop.submit(shop.purchase("coins100", "T1"))
        let later = try await shop.reopened()
        try await later.submit(later.purchase("coins100", "T2"))
        let events = try await later.engine.events(of: Shop.app, after: 0, limit: 10)
        #expect(events.map(\.number) == [1, 2])
        #expect(events.compactMap { $0.json["sequence"]?.int64 } == [1, 2])
    }

    @Test("Numbers go on behind those that were given while there was one writer")
    func goingOn() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100", "T1"))
        try await shop.submit(shop.purchase("coins100", "T2"))
        let later = try await shop.reopened(hasManyWriters: true)
        try await later.submit(later.purchase("coins100", "T3"))
        #expect(try await later.engine.numberEvents() == 1)
        let events = try await later.engine.events(of: Shop.app, after: 0, limit: 10)
        #expect(events.map(\.number) == [1, 2, 3])
    }
}

@Suite("Two servers number the events of parallel writers")
struct NumberingByTwoServers {
    @Test(
        "A reader beside them misses nothing and sees each customer's events in order",
        arguments: [.sqlite] + DatabaseEngine.shared)
    func parallel(on databaseEngine: DatabaseEngine) async throws {
        let folder = TemporaryFolder()
        // On PostgreSQL each has connections of its own; a file has one server, which plays both.
        let first = ManyWriterDatabase(base: try await databaseEngine.open(in: folder))
        let second =
            databaseEngine == .sqlite
            ? first : ManyWriterDatabase(base: try await databaseEngine.open(in: folder))
        let shop = try await Shop(on: first)
        let servers = [shop.engine, try await shop.anotherServer(on: second)]
        let (writers, each) = (8, 12)
        let (isOver, isWritten) = (Switch(), Switch())
        let seen = try await withThrowingTaskGroup(of: [PublishedEvent].self) { group in
            for server in servers {
                group.addTask {
                    while !isOver.isOn { try await server.numberEvents() }
                    return []
                }
            }
            group.addTask {
                var events: [PublishedEvent] = []
                while true {
                    let isLast = isWritten.isOn
                    if isLast { try await shop.engine.numberEvents() }
                    let page = try await shop.engine.events(
                        of: Shop.app, after: events.last?.number ?? 0, limit: 7)
                    events += page
                    if isLast, page.isEmpty { break }
                }
                isOver.turnOn()
                return events
            }
            group.addTask {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for writer in 0..<writers {
                        group.addTask {
                            for number in 0..<each {
                                try await shop.submit(
                                    shop.purchase("coins100", "T\(writer)x\(number)"),
                                    by: "u\(number % 3)", to: servers[writer % 2])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                isWritten.turnOn()
                return []
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(seen.map(\.number) == Array(1...Int64(writers * each)))
        let byCustomer = Dictionary(grouping: seen) { $0.json["customer_id"]?.string }
        for (_, events) in byCustomer {
            let sequences = events.compactMap { $0.json["sequence"]?.int64 }
            #expect(sequences == Array(1...Int64(sequences.count)))
        }
        try await shop.expectBalancedBooks()
        await first.close()
        await second.close()
    }
}

private final class Switch: Sendable {
    private let state = Mutex(false)

    var isOn: Bool { state.withLock { $0 } }

    func turnOn() {
        state.withLock { $0 = true }
    }
}

/// A story of commits, numberings and readings in an order that a seed draws.
///
/// Each customer's events are committed in the order of their sequence, as the lock of the wallet sees
/// to; between customers and apps the order is any, and the times are those of clocks that disagree.
private struct NumberingStory {
    private let random: SeededRandom
    private let start = TestAuthority.clock.now
    private var sequences: [Int: Int64] = [:]
    private var published = 0
    private var seen: [(number: Int64, event: EventRecord)] = []

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    mutating func play(in database: any Database) async throws {
        for _ in 0..<120 {
            switch draw(5) {
            case 0, 1, 2: try await publish(in: database)
            case 3:
                let limit = Int64(draw(4) + 1)
                _ = try await database.write { try $0.numberEvents(Shop.app, limit: limit) }
            default: try await read(from: database)
            }
        }
        while try await database.write({ try $0.numberEvents(Shop.app, limit: 3) }) > 0 {}
        for _ in 0...published { try await read(from: database) }
        #expect(seen.map(\.number) == Array(1...Int64(published)))
        let byCustomer = Dictionary(grouping: seen) { $0.event.customer }
        for (customer, events) in byCustomer where customer != nil {
            let sequences = events.compactMap(\.event.sequence)
            #expect(sequences == Array(1...Int64(sequences.count)))
        }
    }

    private func draw(_ count: UInt64) -> Int {
        Int(random.next() % count)
    }

    private mutating func publish(in database: any Database) async throws {
        // The last of them stands for the app's own stream, which has no sequence.
        let customer = draw(4)
        sequences[customer, default: 0] += 1
        let hasSequence = customer < 3
        let event = EventRecord(
            eventID: .random(random), app: Shop.app, environment: .production,
            customer: hasSequence
                ? .derived(fromDigest: Array(repeating: UInt8(customer), count: 16)) : nil,
            epoch: .derived(fromDigest: Array(repeating: 9, count: 16)),
            sequence: hasSequence ? sequences[customer] : nil, type: "test", body: "{}",
            createdAt: start + .milliseconds(draw(10_000)))
        published += 1
        try await database.write { try $0.publish(event) }
    }

    private mutating func read(from database: any Database) async throws {
        let last = seen.last?.number ?? 0
        let limit = Int64(draw(3) + 1)
        seen += try await database.read { try $0.events(Shop.app, after: last, limit: limit) }
    }
}
