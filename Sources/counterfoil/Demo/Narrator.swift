// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tells the story step by step, and remembers whether each came out right.
final class Narrator: Sendable {
    private let console: Console
    private let failures = Mutex(0)
    private let steps = Mutex(0)

    init(_ console: Console) {
        self.console = console
    }

    var failureCount: Int { failures.withLock { $0 } }

    /// Begins a step.
    func step(_ text: String) {
        let number = steps.withLock { count in
            count += 1
            return count
        }
        console.print("\n\(number). \(text)\n")
    }

    /// Says what should be so, and whether it is.
    func expect(_ isRight: Bool, _ text: String) {
        if !isRight { failures.withLock { $0 += 1 } }
        console.print("   \(isRight ? "ok " : "NOT") \(text)\n")
    }

    func say(_ text: String) {
        console.print("\(text)\n")
    }
}
