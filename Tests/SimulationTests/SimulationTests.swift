// SPDX-License-Identifier: Apache-2.0
import CounterfoilSimulation
import CounterfoilTestSupport
import Testing

@Suite("P1–P4, P7: whole stories under one seed")
struct Stories {
    /// Short stories; `make simulate` plays longer ones and more of them.
    private static let beats = 40

    @Test(
        "A story of lost messages, crashes and confused clients keeps every promise",
        arguments: 1...20)
    func story(seed: Int) throws {
        let simulation = try Simulation(seed: UInt64(seed), authority: TestAuthority.shared)
        let outcome = try simulation.run(beats: Self.beats)
        #expect(outcome.commits > 0)
        #expect(
            outcome.findings.isEmpty,
            """
            SEED=\(seed) BEATS=\(Self.beats) make simulate (step \(outcome.steps))
            \(outcome.findings.joined(separator: "\n"))
            \(outcome.lastLines.joined(separator: "\n"))
            """)
    }

    @Test("A seed plays the same story twice, whatever the keys and signatures")
    func repetition() throws {
        let outcomes = try (0..<2).map { _ in
            try Simulation(seed: 7, authority: TestAuthority.shared).run(beats: Self.beats)
        }
        #expect(outcomes[0].trace == outcomes[1].trace)
        #expect(outcomes[0].steps == outcomes[1].steps)
        let other = try Simulation(seed: 8, authority: TestAuthority.shared)
        #expect(try other.run(beats: Self.beats).trace != outcomes[0].trace)
    }

    @Test("Two processes play a seed alike")
    func processes() throws {
        let runs = try (0..<2).map { _ in
            try ChildProcess.run(
                SimulateProgram.path, [], environment: ["SEEDS": "2", "BEATS": "30"])
        }
        #expect(runs[0].status == 0, "\(runs[0].output)")
        #expect(runs[0].output == runs[1].output)
    }
}
