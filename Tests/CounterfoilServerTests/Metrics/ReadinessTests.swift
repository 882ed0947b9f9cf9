// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilServer
import CounterfoilTestSupport
import Synchronization
import Testing

@Suite("Readiness")
struct ReadinessOfTheDatabase {
    private final class Checks: Sendable {
        let count = Mutex(0)
        let answers = Mutex(true)

        func run() throws -> Bool {
            count.withLock { $0 += 1 }
            guard answers.withLock({ $0 }) else { throw DatabaseError(.busy, "away") }
            return true
        }
    }

    @Test("The database is asked once a second at most, however many ask, and its silence is told")
    func cached() async {
        let clock = ManualClock()
        let checks = Checks()
        let readiness = Readiness(clock: clock) { try checks.run() }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { await readiness.isReady() } }
            for await isReady in group { #expect(isReady) }
        }
        #expect(checks.count.withLock { $0 } == 1)
        checks.answers.withLock { $0 = false }
        clock.advance(by: .milliseconds(999))
        #expect(await readiness.isReady())
        clock.advance(by: .milliseconds(1))
        #expect(await !readiness.isReady())
        #expect(checks.count.withLock { $0 } == 2)
        clock.advance(by: .seconds(-60))
        checks.answers.withLock { $0 = true }
        #expect(await readiness.isReady(), "a clock that was set back asks again")
    }
}
