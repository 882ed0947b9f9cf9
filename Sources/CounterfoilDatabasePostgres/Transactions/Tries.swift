// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase

/// How often one call is tried again, and the pauses between.
struct Tries {
    private var conflicts = 0
    private var losses = 0
    private var conflictPauses: Pauses
    private var lossPauses: Pauses

    init(random: any RandomSource) {
        conflictPauses = Pauses(
            random: random, longestMilliseconds: PostgresLimits.longestConflictPauseMilliseconds)
        lossPauses = Pauses(
            random: random, longestMilliseconds: PostgresLimits.longestPauseMilliseconds)
    }

    /// Waits a little and returns true, or returns false at once when it was tried enough.
    mutating func again(after failure: PostgresFailure) -> Bool {
        switch failure.remedy {
        case .none:
            return false
        case .again:
            conflicts += 1
            guard conflicts <= PostgresLimits.conflictRetries else { return false }
            conflictPauses.pause()
        case .reconnect:
            losses += 1
            guard losses <= PostgresLimits.connectionRetries else { return false }
            // The first loss says only that the old connection is gone.
            if losses > 1 { lossPauses.pause() }
        }
        return true
    }
}

/// Pauses that grow, each drawn from the upper half of its length, so that those who began together
/// do not meet again.
struct Pauses {
    private let random: any RandomSource
    private let longest: Int64
    private var next: Int64

    init(
        random: any RandomSource, firstMilliseconds: Int64 = PostgresLimits.firstPauseMilliseconds,
        longestMilliseconds: Int64
    ) {
        self.random = random
        next = firstMilliseconds
        longest = longestMilliseconds
    }

    mutating func pause() {
        pauseThread(milliseconds: draw())
    }

    mutating func draw() -> Int64 {
        let length = next
        next = min(next * 2, longest)
        let share = Int64(random.bytes(1).first ?? 0)
        return length / 2 + length * share / (2 * 255)
    }
}
