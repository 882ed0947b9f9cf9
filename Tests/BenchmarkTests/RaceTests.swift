// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilTestSupport
import Testing

@testable import counterfoil_bench

@Suite("P1: the same evidence from two callers at the same moment")
struct SameMoment {
    /// `make race-test TRIALS=100000` is the long form.
    private static let trials = 200

    @Test("It is new to exactly one of them", arguments: [.sqlite] + DatabaseEngine.shared)
    func trials(engine: DatabaseEngine) async throws {
        let folder = TemporaryFolder()
        let first = try await engine.open(in: folder)
        let second = engine == .sqlite ? first : try await engine.open(in: folder)
        let books = try await RaceBooks(
            on: (first, second), authority: TestAuthority.shared, at: TestAuthority.clock.now)
        let outcome = try await books.trials.run(Self.trials)
        #expect(outcome == RaceTrials.Outcome(single: Self.trials))
        #expect(try await books.faults(after: Self.trials) == [])
        await first.close()
        await second.close()
    }
}
