// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import Synchronization

/// Token buckets by name. Each is one moment: when it will be full again.
final class RateTable: Sendable {
    private struct Content {
        /// Microseconds since 1970; a bucket that is full is not kept.
        var fullAt: [String: Int64] = [:]
        var sweptAt: Int64?
    }

    private let limit: Int
    private let content = Mutex(Content())

    /// - Parameter limit: How many buckets are kept.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes from the bucket, or says after which pause there will be enough in it.
    ///
    /// Where too many buckets are in use, a new one is not begun and its owner goes unlimited: a flood
    /// from everywhere is not for one server to stop, and must not stop those who come for the first
    /// time.
    func take(
        _ cost: Int64 = 1, from name: String, _ rate: Rate, at now: Instant
    ) -> Duration? {
        let (moment, overflow) = now.millisecondsSinceEpoch.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return nil }
        let interval = max(1, 1_000_000 / rate.perSecond)
        let capacity = rate.burst * interval
        return content.withLock { content in
            // A clock that was set back must not leave anybody waiting for hours.
            let stored = content.fullAt[name].map { min($0, moment + capacity) }
            let fullAt = max(stored ?? moment, moment) + cost * interval
            let excess = fullAt - moment - capacity
            guard excess <= 0 else {
                content.fullAt[name] = stored
                return .microseconds(excess)
            }
            if stored == nil, content.fullAt.count >= limit {
                guard Self.sweep(&content, at: moment, below: limit) else { return nil }
            }
            content.fullAt[name] = fullAt
            return nil
        }
    }

    /// Drops the buckets that are full, at most once a second; false if there is still no room.
    private static func sweep(_ content: inout Content, at moment: Int64, below limit: Int) -> Bool
    {
        let isDue = content.sweptAt.map { $0 > moment || moment - $0 >= 1_000_000 } ?? true
        if isDue {
            content.sweptAt = moment
            content.fullAt = content.fullAt.filter { $0.value > moment }
        }
        return content.fullAt.count < limit
    }
}
