// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilDatabasePostgres
import CounterfoilTestSupport
import Testing

/// Real servers, one of which follows the other.
@Suite(.serialized, .enabled(if: PostgresCluster.canBeMade))
struct PostgresWritesToThePrimary {
    @Test("Of several hosts the one that takes writes is found, also after it has changed")
    func severalHosts() async throws {
        let primary = try PostgresCluster()
        try primary.start()
        let standby = try PostgresCluster(following: primary)
        try standby.start()
        let gone = try PostgresCluster()

        let error = #expect(throws: DatabaseError.self) { _ = try openPostgres(standby.address()) }
        #expect(error?.code == .readOnly)
        #expect(error?.message.contains("is a standby") == true)

        for hosts in [[gone, primary], [standby, primary], [primary, standby]] {
            let database = try openPostgres(primary.address(hosts: hosts))
            try await database.prepare()
            await database.close()
        }

        let database = try openPostgres(primary.address(hosts: [primary, standby]), writers: 2)
        try await database.addCounter("before", 1, place: 1)
        // A server that is stopped in peace first hands everything to those that follow it.
        primary.stop(.fast)
        await expectFailure(.unavailable) { try await database.addCounter("lost", 1, place: 2) }
        await expectFailure(.unavailable) { _ = try await database.counterNames() }
        try standby.promote()
        try await database.addCounter("after", 1, place: 3)
        #expect(try await database.counterNames() == ["after", "before"])
        await database.close()
    }

    @Test("A server that is read-only by default is written to, and left out of several hosts")
    func readOnlyByDefault() async throws {
        let server = try PostgresCluster(settings: ["default_transaction_read_only=on"])
        try server.start()
        let database = try openPostgres(server.address())
        try await database.prepare()
        try await database.addCounter("a", 1, place: 1)
        #expect(try await database.counterNames() == ["a"])
        await database.close()
        let gone = try PostgresCluster()
        let error = #expect(throws: DatabaseError.self) {
            _ = try openPostgres(server.address(hosts: [gone, server]))
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("session is read-only") == true)
    }
}
