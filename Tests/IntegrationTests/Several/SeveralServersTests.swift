// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilTestSupport
import Foundation
import Synchronization
import Testing

/// Several real servers on one PostgreSQL: P1 and P2 whoever is asked, and whoever dies.
@Suite(.serialized, .enabled(if: TestPostgres.isThere)) struct SeveralServersShareADatabase {
    @Test("They deliver each purchase once, and a reader of either follows all events")
    func load() async throws {
        let pair = try await ServerPair()
        let purchases = (0..<100).map(pair.first.purchase)
        try await pair.run(purchases) { _ in }
        let news = try pair.newsPerPurchase()
        #expect(news == Dictionary(uniqueKeysWithValues: purchases.map { ($0.transactionID, 1) }))
        #expect(pair.second.stop() == 0, "\(pair.second.output)")
        try await pair.expectGoodBooks(purchases: purchases.count)
    }

    @Test("One that is killed under load leaves nothing undone and nothing done twice")
    func killed() async throws {
        let pair = try await ServerPair()
        let purchases = (0..<100).map(pair.first.purchase)
        try await pair.run(purchases) { answer in
            if answer == 120 { pair.second.killForGood() }
        }
        // The answer that said "new" may have died with its server.
        let news = try pair.newsPerPurchase()
        #expect(news.values.allSatisfy { $0 <= 1 })
        try await pair.expectGoodBooks(purchases: purchases.count)
    }

    @Test("The job of one that was killed is done by the other")
    func jobs() async throws {
        let pair = try await ServerPair()
        let token = UniqueID.random(SeededRandom(seed: 5))
        let purchases = (0..<60).map(pair.first.purchase)
        for purchase in purchases {
            let answer = try pair.second.send(
                "POST", "/v1/purchases", pair.second.request(for: purchase, token: token))
            #expect(answer["reason"]?.string == "unknown_token")
        }
        _ = try pair.second.send(
            "POST", "/v1/customers/owner/tokens",
            pair.second.request(["token": .string(token.description)]))
        pair.second.killForGood()
        // The lease of the dead runs for some seconds; until then the living one leaves its job alone.
        let owed = Int64(purchases.count) * ServerUnderTest.amount
        var balance: Int64 = 0
        while balance < owed {
            let view = try pair.first.send("GET", "/v1/customers/owner", pair.first.request())
            let units = view["balances"]?.array ?? []
            balance = units.reduce(0) { sum, unit in
                sum + (unit["paid"]?.int64 ?? 0) + (unit["bonus"]?.int64 ?? 0)
            }
        }
        #expect(balance == owed)
        try await pair.expectGoodBooks(purchases: purchases.count)
    }
}

/// Two servers, and what their clients and a reader of their events saw.
private final class ServerPair: Sendable {
    let first: ServerUnderTest
    let second: ServerUnderTest
    private let folder = TemporaryFolder()
    private let isHandedIn = Mutex(false)

    init() async throws {
        let address = try await TestPostgres.address(of: folder)
        let database = """
            { postgres: "\(address)", allow_weak_durability: true, connections: 4 }
            """
        first = try await ServerUnderTest(database: database)
        second = try await ServerUnderTest(database: database, beside: first)
        let servers = [first, second]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for server in servers { group.addTask { try await onThread { try server.start() } } }
            try await group.waitForAll()
        }
    }

    private var logPath: String { folder.file("client.log") }

    /// Hands in all purchases, to both servers at the same time.
    func run(
        _ purchases: [Purchase], afterAnswer: @escaping @Sendable (Int) throws -> Void
    ) async throws {
        let log = try ClientLog(path: logPath)
        let load = PurchaseLoad(
            purchases, servers: [first, second], log: log, afterAnswer: afterAnswer)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await load.run()
                self.isHandedIn.withLock { $0 = true }
            }
            group.addTask { try await onThread { try self.follow(upTo: purchases.count) } }
            try await group.waitForAll()
        }
    }

    /// Pages after everything was handed in within which every event must have come: many times what
    /// the sequencer needs, so that one that is missing ends the test instead of holding it.
    private static let patience = 20_000

    /// Reads the events as they come, from one server, while both publish.
    private func follow(upTo count: Int) throws {
        var last: Int64 = 0
        var patience = Self.patience
        while last < count, patience > 0 {
            if isHandedIn.withLock({ $0 }) { patience -= 1 }
            let page = try first.send("GET", "/v1/events?limit=7&after=\(last)", first.request())
            let events = page["events"]?.array ?? []
            let next = page["next"]?.string.flatMap { Int64($0) }
            // Without gaps: a number that is left out now would be missed for ever.
            #expect(next == last + Int64(events.count))
            guard let next, next >= last else { return }
            last = next
        }
        #expect(last == count, "an event was missed")
    }

    /// How often the clients were told of each purchase that it is new.
    func newsPerPurchase() throws -> [String: Int] {
        var news: [String: Int] = [:]
        let text = try String(contentsOfFile: logPath, encoding: .utf8)
        for line in text.split(separator: "\n") {
            let entry = try JSONValue(parsing: line.utf8)
            guard let transaction = entry["acknowledged"]?.string else { continue }
            let isNew = entry["status"]?.string == "fulfilled"
            news[transaction, default: 0] += isNew ? 1 : 0
        }
        return news
    }

    /// Stops the first server, lets the program compare what is derived, and counts.
    func expectGoodBooks(
        purchases: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(first.stop() == 0, "\(first.output)", sourceLocation: sourceLocation)
        let (status, output) = try ChildProcess.run(
            Installation.program, ["rebuild", "--config", first.folder.file("counterfoil.json")])
        #expect(status == 0, "\(output)", sourceLocation: sourceLocation)
        let counts: [(SQL, Int64)] = [
            ("SELECT COUNT(*) FROM grants WHERE state <> 'parked'", Int64(purchases)),
            ("SELECT COUNT(DISTINCT transaction_id) FROM grants", Int64(purchases)),
            ("SELECT COUNT(*) FROM events WHERE type = 'purchase.fulfilled'", Int64(purchases)),
            ("SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM entries", 0),
            ("SELECT COUNT(*) FROM jobs", 0),
        ]
        let database = try await DatabaseEngine.postgres.open(in: folder)
        for (query, expected) in counts {
            let found = try await database.read { try $0.row(query)?.integer(0) }
            #expect(found == expected, "\(query.text)", sourceLocation: sourceLocation)
        }
        await database.close()
    }
}
