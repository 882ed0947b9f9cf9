// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Glibc
import Testing

/// A standby where the primary should be.
@Suite(.serialized, .enabled(if: PostgresCluster.canBeMade))
struct AStandbyIsNoPrimary {
    @Test("A server that runs answers 503 until there is a primary again")
    func running() async throws {
        let cluster = try PostgresCluster()
        try cluster.start()
        let server = try await ServerUnderTest(database: cluster.member)
        try server.start()
        #expect(try server.submit(server.purchase(1)).status == 200)
        try cluster.becomeStandby()
        let refused = try server.submit(server.purchase(2))
        #expect(refused.status == 503)
        #expect(refused.headers["retry-after"].flatMap { Int($0) } ?? 0 > 0)
        let reading = try server.exchange("GET", "/v1/customers/player-1", server.request())
        #expect(reading.status == 503)
        #expect(try server.exchange("GET", "/readyz", server.request()).status == 503)
        try cluster.promote()
        for number in 1...2 {
            #expect(try server.submit(server.purchase(number)).status == 200)
        }
        #expect(try becomesReady(server))
        #expect(server.stop() == 0)
        #expect(server.output.contains("is a standby"), "\(server.output)")
    }

    /// Whether it says so soon: it asks its database once a second.
    private func becomesReady(_ server: ServerUnderTest) throws -> Bool {
        for _ in 0..<20_000 {
            if try server.exchange("GET", "/readyz", server.request()).status == 200 { return true }
        }
        return false
    }

    @Test("A server that starts says what it waits for, and starts once it is the primary")
    func starting() async throws {
        let primary = try PostgresCluster()
        try primary.start()
        let standby = try PostgresCluster(following: primary)
        try standby.start()
        let first = try await ServerUnderTest(database: primary.member)
        try first.start()
        #expect(try first.submit(first.purchase(1)).status == 200)
        #expect(first.stop() == 0)
        let second = try await ServerUnderTest(database: standby.member, beside: first)
        let process = try ChildProcess(
            Installation.program,
            ["serve", "--config", second.folder.file("counterfoil.json")])
        _ = try process.firstLine { $0.contains("the address must name the primary") ? true : nil }
        // All that it has committed is handed over first.
        primary.stop(.fast)
        try standby.promote()
        _ = try process.firstLine { $0.contains("http://127.0.0.1:") ? true : nil }
        process.signal(SIGTERM)
        #expect(process.wait() == 0, "\(process.output)")
        try second.start()
        let again = try second.submit(first.purchase(1))
        #expect(String(decoding: again.body, as: UTF8.self).contains("already_fulfilled"))
        #expect(second.stop() == 0)
    }
}
