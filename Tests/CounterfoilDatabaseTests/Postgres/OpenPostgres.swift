// SPDX-License-Identifier: Apache-2.0
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilDatabasePostgres
import CounterfoilTestSupport

/// Opens the server at the address as most tests do.
func openPostgres(
    _ address: String, writers: Int = 1, isWeakAllowed: Bool = true,
    isolation: PostgresOptions.Isolation = .readCommitted
) throws -> PostgresDatabase {
    try PostgresDatabase(
        address: address,
        options: PostgresOptions(
            random: SystemRandom(), scheduling: .threads(writers: writers), isolation: isolation,
            allowsWeakDurability: isWeakAllowed))
}

/// Opens a fresh schema of the server, hands it with its address to the body and closes it.
func withPostgres(
    writers: Int = 1, isolation: PostgresOptions.Isolation = .readCommitted,
    _ body: (PostgresDatabase, _ address: String) async throws -> Void
) async throws {
    try await TestPostgres.withPlace {
        let folder = TemporaryFolder()
        let address = try await TestPostgres.address(of: folder)
        let database = try openPostgres(address, writers: writers, isolation: isolation)
        try await database.prepare()
        do {
            try await body(database, address)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }
}
