// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilTestSupport
import Foundation
import Testing

/// Webhooks with the real program: the receiver's own log agrees with the books, whatever happens.
@Suite(.serialized) struct AReceiverActsOnEachEventOnce {
    @Test(
        "A killed server and a lossy network lose no webhook and bring none twice",
        arguments: DatabaseEngine.kinds)
    func killed(on engine: DatabaseEngine) async throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["KILLS"].flatMap { Int($0) } ?? 3
        let seed = environment["SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...999_999)
        let answers = (kills + 1) * KillSchedule.answersPerKill
        let purchases = answers / PurchaseLoad.copies
        let server = try await ServerUnderTest(on: engine)
        let receiver = try LossyReceiver(seed: seed)
        defer { receiver.stop() }
        try server.start()
        _ = try server.send(
            "POST", "/v1/endpoints",
            server.request(["url": .string("http://127.0.0.1:\(receiver.port)/hooks")]))
        let log = try ClientLog(path: server.folder.file("client.log"))
        let schedule = KillSchedule(kills: kills, random: SeededRandom(seed: seed))
        let load = PurchaseLoad(
            (0..<purchases).map(server.purchase), servers: [server], log: log
        ) { answer in
            try schedule.strike(server, atAnswer: answer)
        }
        try await load.run()
        receiver.mend()
        let events = try server.settleEvents(with: receiver) { $0.count >= purchases }
        #expect(events.count == purchases, "SEED=\(seed)")
        #expect(receiver.findings == [], "SEED=\(seed)")
        let acts = receiver.acts
        #expect(acts.map(\.id).sorted() == events.map(\.id).sorted(), "SEED=\(seed)")
        for (customer, acts) in Dictionary(grouping: acts, by: \.customer) {
            #expect(
                acts.map(\.sequence) == Array(1...Int64(acts.count)), "SEED=\(seed) \(customer)")
        }
        for event in events {
            let act = acts.first { $0.id == event.id }
            #expect(act?.body == event.json.text, "SEED=\(seed) \(event.id)")
        }
        for state in ["due", "sent", "rejected"] {
            let grants = try server.send("GET", "/v1/grants?state=\(state)", server.request())
            #expect(grants["grants"]?.array?.count == 0, "SEED=\(seed) \(state)")
        }
        #expect(server.starts == kills + 1)
        #expect(server.stop() == 0, "\(server.output)")
        print(
            "webhook kill test on \(engine): \(kills) kills, SEED=\(seed): \(events.count) events, "
                + "\(receiver.requests) requests arrived")
    }
}
