// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTP
import CounterfoilSimulator
import Synchronization

extension DemoStory {
    private static let purchaseCount = 200
    private static let clientCount = 16

    /// The server is killed in the middle of 200 purchases; what it had acknowledged must be there.
    ///
    /// - Parameters:
    ///   - kill: Ends the server process without warning.
    ///   - restart: Starts it again and returns when it answers.
    func tellCrash(
        acknowledgements: String, kill: @escaping @Sendable () -> Void,
        restart: () async throws -> Void
    ) async throws {
        narrator.step("The server is killed (SIGKILL) in the middle of 200 purchases.")
        let bob = "bob-\(sales.now.millisecondsSinceEpoch)"
        let purchases = (0..<Self.purchaseCount).map { sales.coins(100 + $0) }
        let bodies = try purchases.map { try sales.signed($0, for: bob) }
        let ids = purchases.map(\.transactionID)
        let log = AcknowledgementLog(path: acknowledgements, killAt: Self.purchaseCount / 4, kill)
        await withTaskGroup(of: Void.self) { group in
            for client in 0..<Self.clientCount {
                group.addTask {
                    for index in stride(from: client, to: bodies.count, by: Self.clientCount) {
                        await attempt(bodies[index], ids[index], log)
                    }
                }
            }
        }
        let acknowledged = log.acknowledged
        narrator.expect(
            acknowledged.count >= log.killAt && acknowledged.count < Self.purchaseCount,
            "\(acknowledged.count) were acknowledged and logged by this process, then it died")
        try await restart()
        narrator.expect(true, "the server is up again on the same database")
        try await expectGranted(acknowledged)
        try await tellRecovery(bodies, of: bob)
    }

    private func attempt(_ body: JSONValue, _ id: String, _ log: AcknowledgementLog) async {
        do {
            let answer = try await client.purchase(body)
            if answer.said("fulfilled", client: "finish") { try log.add(id) }
        } catch {
            // The server died under this request: nothing was acknowledged, the app keeps its copy.
        }
    }

    private func expectGranted(_ ids: [String]) async throws {
        var granted = 0
        for id in ids {
            let transaction = try await client.send(.get, "/v1/transactions/\(id)", nil)
            if transaction["grant"]?["state"] == "due" { granted += 1 }
        }
        narrator.expect(
            granted == ids.count, "\(granted) of \(ids.count) acknowledged purchases are granted")
    }

    private func tellRecovery(_ bodies: [JSONValue], of customer: String) async throws {
        narrator.step("The app hands in all 200 again, as it does after a lost answer.")
        let answers = try await client.purchases(bodies)
        let finished = answers.count { $0.json["client"] == "finish" }
        narrator.expect(finished == bodies.count, "\(finished) of \(bodies.count) may be finished")
        try await expectCoins(of: customer, Int64(bodies.count) * DemoSales.coinsPerPack)
        let events = try await eventCount(of: customer)
        let found = events.map { "\($0) events, one for each purchase" } ?? "a gap in the sequence"
        narrator.expect(events == bodies.count, "\(found); no number missing or repeated")
    }

    /// The customer's events, or nil where their sequence has a gap or a repetition.
    private func eventCount(of customer: String) async throws -> Int? {
        var sequence: Int64 = 0
        var after = "0"
        while true {
            let page = try await client.send(.get, "/v1/events?limit=500&after=\(after)", nil)
            guard let events = page["events"]?.array, !events.isEmpty else { return Int(sequence) }
            for event in events where event["customer_id"]?.string == customer {
                guard event["sequence"]?.int64 == sequence + 1 else { return nil }
                sequence += 1
            }
            after = page["next"]?.string ?? after
        }
    }
}

/// What the server acknowledged, on disk before it is counted; rings the bell at a number.
private final class AcknowledgementLog: Sendable {
    let killAt: Int
    private let path: String
    private let kill: @Sendable () -> Void
    private let ids = Mutex<[String]>([])

    init(path: String, killAt: Int, _ kill: @escaping @Sendable () -> Void) {
        self.path = path
        self.killAt = killAt
        self.kill = kill
    }

    var acknowledged: [String] { ids.withLock { $0 } }

    func add(_ id: String) throws {
        try OutputFile.append(id, to: path)
        let count = ids.withLock { ids in
            ids.append(id)
            return ids.count
        }
        if count == killAt { kill() }
    }
}
