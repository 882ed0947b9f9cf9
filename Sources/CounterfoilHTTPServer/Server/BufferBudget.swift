// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What large bodies and answers together may take.
///
/// One network has half of it at most, so that whoever sends bodies slowly, with or without a key,
/// does not keep those of others out.
final class BufferBudget: Sendable {
    private struct State {
        var byteCount = 0
        var highest = 0
        var byteCounts: [String: Int] = [:]
    }

    private let maximumByteCount: Int
    private let state = Mutex(State())

    init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
    }

    /// Takes a part of the budget, or nothing if it or the network's half would be overdrawn.
    func reserve(_ count: Int, for network: String) -> Bool {
        if count == 0 { return true }
        return state.withLock { state in
            let ofNetwork = state.byteCounts[network, default: 0] + count
            guard state.byteCount + count <= maximumByteCount, ofNetwork <= maximumByteCount / 2
            else { return false }
            state.byteCount += count
            state.highest = max(state.highest, state.byteCount)
            state.byteCounts[network] = ofNetwork
            return true
        }
    }

    /// The most that was in use since this was last asked.
    func takeHighest() -> Int {
        state.withLock { state in
            defer { state.highest = state.byteCount }
            return state.highest
        }
    }

    func release(_ count: Int, of network: String) {
        if count == 0 { return }
        state.withLock { state in
            state.byteCount -= count
            let rest = state.byteCounts[network, default: 0] - count
            state.byteCounts[network] = rest == 0 ? nil : rest
        }
    }
}
