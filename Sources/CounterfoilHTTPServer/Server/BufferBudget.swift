// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What large bodies and answers together may take.
///
/// The bodies of one network have half of it at most, so that whoever sends them slowly, with or
/// without a key, does not keep those of others out. An answer is only limited by the whole.
final class BufferBudget: Sendable {
    private struct State {
        var byteCount = 0
        var highest = 0

        /// What the bodies of each network take; none is listed with nothing.
        var byteCounts: [String: Int] = [:]
    }

    private let maximumByteCount: Int
    private let state = Mutex(State())

    init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
    }

    /// Takes a part of the budget for an answer, or nothing if it would be overdrawn.
    func reserve(_ count: Int) -> Bool {
        if count == 0 { return true }
        return state.withLock { take(count, &$0) }
    }

    /// Takes a part for a body, or nothing if the budget or the network's half would be overdrawn.
    func reserve(_ count: Int, forBodyOf network: String) -> Bool {
        if count == 0 { return true }
        return state.withLock { state in
            let ofNetwork = state.byteCounts[network, default: 0] + count
            guard ofNetwork <= maximumByteCount / 2, take(count, &state) else { return false }
            state.byteCounts[network] = ofNetwork
            return true
        }
    }

    private func take(_ count: Int, _ state: inout State) -> Bool {
        guard state.byteCount + count <= maximumByteCount else { return false }
        state.byteCount += count
        state.highest = max(state.highest, state.byteCount)
        return true
    }

    /// The most that was in use since this was last asked.
    func takeHighest() -> Int {
        state.withLock { state in
            defer { state.highest = state.byteCount }
            return state.highest
        }
    }

    func release(_ count: Int) {
        if count == 0 { return }
        state.withLock { $0.byteCount -= count }
    }

    func release(_ count: Int, ofBodyOf network: String) {
        if count == 0 { return }
        state.withLock { state in
            state.byteCount -= count
            let rest = state.byteCounts[network, default: 0] - count
            state.byteCounts[network] = rest == 0 ? nil : rest
        }
    }
}
