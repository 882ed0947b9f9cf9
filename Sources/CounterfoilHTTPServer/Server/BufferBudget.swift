// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What large bodies and answers together may take.
final class BufferBudget: Sendable {
    private let maximumByteCount: Int
    private let byteCount = Atomic(0)
    private let highest = Atomic(0)

    init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
    }

    /// Takes a part of the budget, or nothing if it would be overdrawn.
    func reserve(_ count: Int) -> Bool {
        if count == 0 { return true }
        let total = byteCount.add(count, ordering: .relaxed).newValue
        if total <= maximumByteCount {
            highest.max(total, ordering: .relaxed)
            return true
        }
        release(count)
        return false
    }

    /// The most that was in use since this was last asked.
    func takeHighest() -> Int {
        highest.exchange(byteCount.load(ordering: .relaxed), ordering: .relaxed)
    }

    func release(_ count: Int) {
        if count == 0 { return }
        byteCount.subtract(count, ordering: .relaxed)
    }
}
