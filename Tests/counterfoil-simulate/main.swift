// SPDX-License-Identifier: Apache-2.0
import CounterfoilSimulation
import CounterfoilTestSupport
import Foundation

// Plays seeds and says what broke. SEEDS, FIRST, BEATS and SEED come from the environment; SEED plays
// that one alone and prints its whole trace; with STOP the first failure ends it.
let settings = ProcessInfo.processInfo.environment
func number(_ name: String) -> UInt64? { settings[name].flatMap { UInt64($0) } }

let single = number("SEED")
let first = single ?? number("FIRST") ?? 1
let count: UInt64 = single == nil ? number("SEEDS") ?? 100 : 1
let beats = Int(number("BEATS") ?? 80)
let authority = try TestAuthority.shared
var (steps, commits, crashes, submissions, failures) = (0, 0, 0, 0, 0)
var movements: [String: Int] = [:]
var traces: UInt64 = 0
for seed in first..<first + count {
    let simulation = try Simulation(
        seed: seed, authority: authority, isTraceKept: single != nil)
    let outcome = try simulation.run(beats: beats)
    steps += outcome.steps
    commits += outcome.commits
    crashes += outcome.crashes
    submissions += outcome.submissions
    movements.merge(outcome.movements, uniquingKeysWith: +)
    traces = traces &* 31 &+ outcome.trace
    guard single != nil || !outcome.findings.isEmpty else { continue }
    for line in outcome.lastLines { print("  \(line)") }
    for finding in outcome.findings { print("seed \(seed), step \(outcome.steps): \(finding)") }
    if !outcome.findings.isEmpty {
        failures += 1
        print("again: SEED=\(seed) BEATS=\(beats) make simulate")
        if settings["STOP"] != nil { break }
    }
}
let wallet = movements.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
print("wallets: \(wallet.joined(separator: ", "))")
print(
    "simulate: \(count) seeds, \(failures) failed · \(steps) steps, \(commits) commits, "
        + "\(submissions) submissions, \(crashes) crashes · trace \(String(traces, radix: 16))")
exit(failures == 0 ? 0 : 1)
