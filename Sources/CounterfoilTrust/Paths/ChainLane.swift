// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Lets only a few unknown chains be checked at a time, and only a few more wait.
///
/// A forged chain costs twenty times as much as a known one, and forgers have as many as they like.
/// What exceeds the lane is turned away at once instead of queueing without end.
///
/// Waiting blocks the thread. That cannot deadlock, even on a pool of one thread: whoever holds a
/// place computes to its end without ever suspending.
final class ChainLane: Sendable {
    private let places: DispatchSemaphore
    private let limit: Int

    /// How many are inside or waiting.
    private let population = Mutex(0)

    init(running: Int, waiting: Int) {
        precondition(running > 0 && waiting >= 0, "a lane without places")
        places = DispatchSemaphore(value: running)
        limit = running + waiting
    }

    /// Does the work when a place is free.
    ///
    /// - Throws: ``TrustFailure`` with the verdict `busy` if too many wait already; else what the
    ///   work throws.
    func run<Result>(_ work: () throws(TrustFailure) -> Result) throws(TrustFailure) -> Result {
        let isAdmitted = population.withLock { population in
            guard population < limit else { return false }
            population += 1
            return true
        }
        guard isAdmitted else {
            throw TrustFailure(
                .busy, .lane, expected: "at most \(limit) unknown chains at a time")
        }
        defer { population.withLock { $0 -= 1 } }
        places.wait()
        defer { places.signal() }
        return try work()
    }
}
