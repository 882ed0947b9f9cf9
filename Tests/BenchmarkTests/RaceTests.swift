// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilDatabaseSQLite
import CounterfoilTestSupport
import Testing

@testable import counterfoil_bench

@Suite("P1: the same evidence from two callers at the same moment")
struct SameMoment {
    /// `make race-test TRIALS=100000` is the long form.
    private static let trials = 200

    @Test("It is new to exactly one of them")
    func trials() async throws {
        let folder = TemporaryFolder()
        let database = try SQLiteDatabase(path: folder.file("books.db"))
        let books = try await RaceBooks(
            on: (database, database), authority: TestAuthority.shared, at: TestAuthority.clock.now)
        let outcome = try await books.trials.run(Self.trials)
        #expect(outcome == RaceTrials.Outcome(single: Self.trials))
        #expect(try await books.faults(after: Self.trials) == [])
        await database.close()
    }
}
