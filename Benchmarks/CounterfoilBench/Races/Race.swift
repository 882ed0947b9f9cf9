// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabaseSQLite

/// A long race on a database of its own.
struct Race {
    private static let progressStep = 10_000

    let isWon: Bool
    let report: String

    init(of count: Int, progress: @escaping @Sendable (String) -> Void) throws {
        let installation = try Installation()
        let path = installation.database("raced")
        let (authority, now) = (installation.authority, installation.now)
        let (outcome, faults) = try waiting {
            let database = try SQLiteDatabase(path: path)
            let books = try await RaceBooks(
                on: (database, database), authority: authority, at: now)
            let outcome = try await books.trials.run(count) { done in
                if done % Self.progressStep == 0 { progress("\(done) of \(count) trials") }
            }
            let faults = try await books.faults(after: count)
            await database.close()
            return (outcome, faults)
        }
        isWon = outcome.single == count && faults.isEmpty
        let result = "\(outcome.single) of \(count) were new to exactly one of two callers"
        report = ([result] + outcome.faults + faults).joined(separator: "\n") + "\n"
    }
}
