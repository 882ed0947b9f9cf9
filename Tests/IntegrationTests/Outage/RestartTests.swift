// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Testing

/// The real server on a PostgreSQL that waits for its disk, and that goes away under load.
@Suite(.serialized, .enabled(if: PostgresCluster.canBeMade))
struct APostgresThatRestartsLosesNothing {
    @Test("Its process is killed and stopped under load; each purchase is delivered once")
    func restarts() async throws {
        let cluster = try PostgresCluster()
        try cluster.start()
        let server = try await ServerUnderTest(database: cluster.member)
        try server.start()
        let log = try ClientLog(path: server.folder.file("client.log"))
        let purchases = (0..<100).map(server.purchase)
        let load = PurchaseLoad(
            purchases, servers: [server], log: log, whenRefused: cluster.awaitStart
        ) { answer in
            switch answer {
            case 60, 180: try cluster.restart(.immediate)
            case 120, 240: try cluster.restart(.fast)
            default: break
            }
        }
        try await load.run()
        #expect(server.starts == 1)
        #expect(server.stop() == 0, "\(server.output)")
        let books = try await cluster.books(of: server)
        let (isBalanced, output) = try Installation.checkBooks(books, log: log.path)
        #expect(isBalanced, "\(output)")
        #expect(output.contains("purchases acknowledged as delivered: 100"), "\(output)")
    }
}
