// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilDatabasePostgres
import CounterfoilTestSupport

extension PostgresCluster {
    /// The member `database` of a server's configuration. Weak durability is not allowed: these
    /// servers wait for their disk.
    var member: String { #"{ postgres: "\#(address())", connections: 4 }"# }

    /// The books of a server that has stopped, as one file.
    func books(of server: ServerUnderTest) async throws -> String {
        let database = try PostgresDatabase(
            address: address(),
            options: PostgresOptions(random: SystemRandom(), scheduling: .inline))
        try await BooksFile.copy(database, of: AppID(ServerUnderTest.app), to: server.database)
        await database.close()
        return server.database
    }
}
