// SPDX-License-Identifier: Apache-2.0
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilDatabasePostgres
import CounterfoilDatabaseSQLite

/// A long race on a database of its own.
struct Race {
    private static let progressStep = 10_000

    let isWon: Bool
    let report: String

    /// - Parameter address: An empty PostgreSQL database, on which the callers are two servers; nil
    ///   for a new SQLite file, which is one server's.
    init(
        of count: Int, on address: String?, progress: @escaping @Sendable (String) -> Void
    ) throws {
        let installation = try Installation()
        let path = installation.database("raced")
        let (authority, now) = (installation.authority, installation.now)
        let (outcome, faults) = try waiting {
            let databases = try Self.open(address, orFile: path)
            let books = try await RaceBooks(on: databases, authority: authority, at: now)
            let outcome = try await books.trials.run(count) { done in
                if done % Self.progressStep == 0 { progress("\(done) of \(count) trials") }
            }
            let faults = try await books.faults(after: count)
            await databases.0.close()
            await databases.1.close()
            return (outcome, faults)
        }
        isWon = outcome.single == count && faults.isEmpty
        let engine = address == nil ? "SQLite" : "PostgreSQL"
        let result =
            "\(engine): \(outcome.single) of \(count) were new to exactly one of two callers"
        report = ([result] + outcome.faults + faults).joined(separator: "\n") + "\n"
    }

    private static func open(
        _ address: String?, orFile path: String
    ) throws -> (any Database, any Database) {
        guard let address else {
            let database = try SQLiteDatabase(path: path)
            return (database, database)
        }
        // Who is first does not depend on how a disk syncs.
        let options = PostgresOptions(random: SystemRandom(), allowsWeakDurability: true)
        return (
            try PostgresDatabase(address: address, options: options),
            try PostgresDatabase(address: address, options: options)
        )
    }
}
