// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Counts how often a closure ran.
final class RunCounter: Sendable {
    private let count = Atomic(0)

    /// Counts a run and returns its number, from 1.
    func next() -> Int {
        count.add(1, ordering: .sequentiallyConsistent).newValue
    }

    var runs: Int { count.load(ordering: .sequentiallyConsistent) }
}
