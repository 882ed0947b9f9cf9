// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabasePostgres
import CounterfoilHTTP
import CounterfoilTestSupport
import Testing

@Suite("The database server goes away", .enabled(if: TestPostgres.isThere))
struct DatabaseServerGoesAway {
    @Test("Purchases and reads get 503 with Retry-After until it is back, and then all is well")
    func away() async throws {
        let folder = TemporaryFolder()
        let proxy = try PostgresProxy(to: try await TestPostgres.address(of: folder))
        defer { proxy.stop() }
        let database = try PostgresDatabase(
            address: proxy.address,
            options: PostgresOptions(
                random: SystemRandom(), scheduling: .threads(writers: 2),
                allowsWeakDurability: true))
        let server = try await GameServer(on: database)
        #expect(try await server.submit(server.purchase()).words == "fulfilled finish")

        proxy.setRefusing(true)
        for answer in try await [
            server.submit(server.purchase("coins100", "T2")),
            server.send(.get, "/v1/customers/u1", body: [], type: nil, key: nil),
        ] {
            #expect(answer.status == 503)
            #expect(answer.json["code"]?.string == "server.storage_unavailable")
            #expect(answer.headers["Retry-After"] == "2")
        }

        proxy.setRefusing(false)
        #expect(
            try await server.submit(server.purchase("coins100", "T2")).words == "fulfilled finish")
        await database.close()
    }

    @Test("A purchase whose commit was cut off gets 503, and is paid out once when it comes again")
    func cutCommit() async throws {
        let folder = TemporaryFolder()
        let proxy = try PostgresProxy(to: try await TestPostgres.address(of: folder))
        defer { proxy.stop() }
        let database = try PostgresDatabase(
            address: proxy.address,
            options: PostgresOptions(
                random: SystemRandom(), scheduling: .inline, allowsWeakDurability: true))
        let server = try await GameServer(on: database)
        for (cut, id) in [(PostgresProxy.Cut.beforeCommit, "T1"), (.afterCommit, "T2")] {
            proxy.cutNext(cut)
            let purchase = server.purchase("coins100", id)
            #expect(try await server.submit(purchase).status == 503)
            #expect(try await server.submit(purchase).json["client"] == "finish")
        }
        let customer = try await server.get("/v1/customers/u1")
        let coins = customer.json["balances"]?.array?.first
        #expect(coins?["paid"]?.int64 == 200, "\(customer.json)")
        await database.close()
    }
}
