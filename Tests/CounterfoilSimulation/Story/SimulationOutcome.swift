// SPDX-License-Identifier: Apache-2.0

/// What a seed led to.
package struct SimulationOutcome: Sendable {
    package let seed: UInt64
    package let steps: Int
    package let commits: Int
    package let crashes: Int
    package let submissions: Int

    /// How often which kind of movement between accounts was made, and what was refused.
    package let movements: [String: Int]

    /// Equal for every run of the seed.
    package let trace: UInt64

    /// What broke, at the last step; empty if nothing did.
    package let findings: [String]

    /// The end of the trace, for a failure.
    package let lastLines: [String]
}
