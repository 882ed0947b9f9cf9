// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Foundation
import Testing

/// P1 and P2 with the real program: whatever happens, each sale is delivered once.
@Suite(.serialized) struct ABusyServerDeliversOnce {
    @Test(
        "Fifty clients hand in the same purchases and each is delivered once",
        arguments: DatabaseEngine.kinds)
    func parallel(on engine: DatabaseEngine) async throws {
        try await run(purchases: 100, kills: 0, seed: 1, on: engine)
    }

    @Test(
        "A server killed at random points loses nothing and delivers nothing twice",
        arguments: DatabaseEngine.kinds)
    func killed(on engine: DatabaseEngine) async throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["KILLS"].flatMap { Int($0) } ?? 10
        let seed = environment["SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...999_999)
        let answers = (kills + 1) * KillSchedule.answersPerKill
        try await run(
            purchases: answers / PurchaseLoad.copies, kills: kills, seed: seed,
            on: engine)
    }

    private func run(
        purchases: Int, kills: Int, seed: UInt64, on engine: DatabaseEngine
    ) async throws {
        let server = try await ServerUnderTest(on: engine)
        let log = try ClientLog(path: server.folder.file("client.log"))
        let schedule = KillSchedule(kills: kills, random: SeededRandom(seed: seed))
        try server.start()
        let load = PurchaseLoad(
            (0..<purchases).map(server.purchase), servers: [server], log: log
        ) { answer in
            try schedule.strike(server, atAnswer: answer)
        }
        try await load.run()
        #expect(server.starts == kills + 1)
        #expect(server.stop() == 0, "\(server.output)")
        let books = try await BooksFile.path(of: server, on: engine)
        let (isBalanced, output) = try Installation.checkBooks(books, log: log.path)
        let verdict = isBalanced ? "the books balance" : "FAILED"
        print("kill test on \(engine): \(kills) kills, SEED=\(seed): \(verdict)")
        #expect(isBalanced, "SEED=\(seed)\n\(output)")
        #expect(output.contains("purchases acknowledged as delivered: \(purchases)"), "\(output)")
    }
}
