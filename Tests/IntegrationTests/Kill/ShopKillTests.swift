// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilTestSupport
import Foundation
import Synchronization
import Testing

/// Orders, purchases, spends, refunds and webhooks in one story with the real program: what the studio
/// was answered, what its receiver acted on and what stands in the books is the same.
@Suite(.serialized) struct AShopLosesNothingWhenItsServerDies {
    /// Customers who trade at the same time.
    private static let clients = 30

    /// Answers that a story takes, on average at least.
    private static let answersPerStory = 4

    /// By which a studio counts what it was told.
    private static let counted = ["purchase.fulfilled", "grant.reversed", "wallet.changed"]

    @Test(
        "Orders, purchases, spends, refunds and webhooks agree after every kill",
        arguments: DatabaseEngine.kinds)
    func killed(on engine: DatabaseEngine) async throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["KILLS"].flatMap { Int($0) } ?? 3
        let seed = environment["SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...999_999)
        let stories = (kills + 1) * KillSchedule.answersPerKill / Self.answersPerStory
        let server = try await ServerUnderTest(on: engine)
        let receiver = try LossyReceiver(seed: seed)
        defer { receiver.stop() }
        try server.start()
        _ = try server.send(
            "POST", "/v1/endpoints",
            server.request(["url": .string("http://127.0.0.1:\(receiver.port)/hooks")]))
        let log = StudioLog()
        try await play(stories, server, log, KillSchedule(kills: kills, random: .init(seed: seed)))
        receiver.mend()
        let told = log.content
        let events = try server.settleEvents(with: receiver) { events in
            Self.counted.allSatisfy { type in
                events.count { $0.json["type"]?.string == type } >= told.count(type) ?? 0
            }
        }
        let differences =
            try differences(events, receiver, told) + balances(server, receiver, told)
            + orders(server, told)
        #expect(differences == [], "SEED=\(seed)")
        #expect(server.starts == kills + 1)
        #expect(server.stop() == 0, "\(server.output)")
        try await examine(server, on: engine, seed)
        print(
            "shop kill test on \(engine): \(kills) kills, SEED=\(seed): \(told.orders.count) orders, "
                + Self.counted.map { "\(told.count($0) ?? 0) \($0)" }.joined(separator: ", ")
                + ", \(receiver.requests) webhooks arrived, \(differences.count) differences")
    }

    /// Lets clients play the stories at the same time, and kills the server among them.
    private func play(
        _ count: Int, _ server: ServerUnderTest, _ log: StudioLog, _ schedule: KillSchedule
    ) async throws {
        let next = Turns(end: count)
        let answers = Turns(end: .max)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.clients {
                group.addTask {
                    try await onThread {
                        let client = PatientClient(server) {
                            if let answer = answers.take() {
                                try schedule.strike(server, atAnswer: answer + 1)
                            }
                        }
                        while let number = next.take() {
                            try ShopStory(number: number, server: server).play(as: client, log)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: Comparing

    /// The receiver's log beside the events, and their numbers beside what the studio was told.
    private func differences(
        _ events: [ServerUnderTest.Event], _ receiver: LossyReceiver, _ told: StudioLog.Content
    ) throws -> [String] {
        var differences = receiver.findings
        let acts = Dictionary(
            receiver.acts.map { ($0.id, $0.body) }, uniquingKeysWith: { first, _ in first })
        for event in events where acts[event.id] != event.json.text {
            differences.append("\(event.id) came as \(acts[event.id] ?? "nothing")")
        }
        if acts.count != events.count || receiver.acts.count != events.count {
            differences.append("\(receiver.acts.count) acts on \(events.count) events")
        }
        for (customer, acts) in Dictionary(grouping: receiver.acts, by: \.customer)
        where acts.map(\.sequence) != Array(1...Int64(acts.count)) {
            differences.append("\(customer) came in the order \(acts.map(\.sequence))")
        }
        for type in Self.counted {
            let count = events.count { $0.json["type"]?.string == type }
            if count != told.count(type) {
                differences.append("\(count) \(type), told \(told.count(type) ?? 0)")
            }
        }
        return differences
    }

    /// What each customer has: by the studio's answers, by the receiver's sum, by its last event, and by
    /// the server.
    private func balances(
        _ server: ServerUnderTest, _ receiver: LossyReceiver, _ told: StudioLog.Content
    ) throws -> [String] {
        var differences: [String] = []
        let acts = try Dictionary(
            grouping: receiver.acts.map { (act: $0, json: try JSONValue(parsing: $0.body.utf8)) },
            by: \.act.customer)
        for customer in told.bought.keys.sorted() {
            let shown = try server.send("GET", "/v1/customers/\(customer)", server.request())
            let own = acts[customer] ?? []
            let last = own.last?.json
            if last?["state"]?["balances"] != shown["balances"] {
                differences.append("\(customer) has \(shown.text), last told \(last?.text ?? "")")
            }
            let balance = shown["balances"]?.array?.first ?? .null
            let worth = Self.sum(of: balance, "paid", "bonus") - Self.sum(of: balance, "debt")
            let received = own.reduce(0) { $0 + Self.change(by: $1.json) }
            if worth != told.worth(of: customer) || worth != received {
                differences.append(
                    "\(customer) has \(worth), answered \(told.worth(of: customer)), "
                        + "received \(received)")
            }
        }
        for state in ["due", "sent", "rejected"] {
            let grants = try server.send("GET", "/v1/grants?state=\(state)", server.request())
            if grants["grants"] != [] { differences.append("grants are \(state): \(grants.text)") }
        }
        return differences
    }

    /// By how much an event changes what its customer has less what they owe.
    private static func change(by event: JSONValue) -> Int64 {
        switch event["type"]?.string {
        case "purchase.fulfilled", "grant.reversed":
            (event["data"]?["goods"]?.array ?? []).reduce(0) {
                $0 + sum(of: $1, "amount", "bonus")
            }
        case "wallet.changed":
            (event["data"]?["changes"]?.array ?? []).reduce(0) {
                $0 + sum(of: $1, "paid", "bonus") - sum(of: $1, "debt")
            }
        default: 0
        }
    }

    private static func sum(of object: JSONValue, _ members: String...) -> Int64 {
        members.reduce(0) { $0 + (object[$1]?.int64 ?? 0) }
    }

    private func orders(
        _ server: ServerUnderTest, _ told: StudioLog.Content
    ) throws -> [String] {
        let client = PatientClient(server) {}
        return try told.orders.sorted { $0.key < $1.key }.compactMap { order, isRefunded in
            let state = try client.ask("GET", "/v1/orders/\(order)").body["state"]?.string
            return state == (isRefunded ? "refunded" : "fulfilled")
                ? nil : "the order \(order) is \(state ?? "lost"), refunded: \(isRefunded)"
        }
    }

    /// The program's own examinations, and ours by plain SQL.
    private func examine(
        _ server: ServerUnderTest, on engine: DatabaseEngine, _ seed: UInt64
    ) async throws {
        for command in ["doctor", "rebuild"] {
            let (status, report) = try ChildProcess.run(
                Installation.program,
                [command, "--json", "--config", server.folder.file("counterfoil.json")])
            #expect(status == 0, "SEED=\(seed) \(report)")
            #expect(try JSONValue(parsing: report.utf8)["agrees"] == .bool(true))
        }
        let books = try await BooksFile.path(of: server, on: engine)
        let (isBalanced, output) = try Installation.checkBooks(books)
        #expect(isBalanced, "SEED=\(seed)\n\(output)")
    }
}

/// Hands out the numbers up to an end, each once.
private final class Turns: Sendable {
    private let next = Mutex(0)
    private let end: Int

    init(end: Int) {
        self.end = end
    }

    func take() -> Int? {
        next.withLock { next in
            guard next < end else { return nil }
            defer { next += 1 }
            return next
        }
    }
}
