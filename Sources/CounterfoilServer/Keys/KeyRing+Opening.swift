// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

extension KeyRing {
    /// Hands the keys of the configured database to the body; a running server may use it as well.
    ///
    /// The database is made and brought up to date if need be, so that a first key can be made before
    /// the first start.
    package static func with<Result>(
        _ configuration: ServerConfiguration, clock: any WallClock, random: any RandomSource,
        readSecret: @escaping @Sendable (_ path: String) throws -> [UInt8],
        _ body: (KeyRing) async throws -> Result
    ) async throws -> Result {
        let database = try configuration.database.open(random: random, readSecret: readSecret)
        do {
            try await database.migrate(Schema.migrations, at: clock.now)
            let result = try await body(
                KeyRing(database: database, clock: clock, random: random))
            await database.close()
            return result
        } catch {
            await database.close()
            throw error
        }
    }
}
