// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import Synchronization

/// Token buckets by name.
final class RateTable: Sendable {
    /// In microseconds since 1970.
    private struct Bucket {
        var fullAt: Int64

        /// When somebody last looked at it.
        var seenAt: Int64
    }

    private struct Content {
        /// A bucket that is full is not kept.
        var buckets: [String: Bucket] = [:]
        var sweptAt: Int64?
    }

    private let limit: Int
    private let content = Mutex(Content())

    /// - Parameter limit: How many buckets are kept.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes one from the bucket, or says after which pause there will be one in it.
    ///
    /// Where too many buckets are in use, a new one is not begun and its owner goes unlimited: a flood
    /// from everywhere is not for one server to stop, and must not stop those who come for the first
    /// time.
    func take(from name: String, _ rate: Rate, at now: Instant) -> Duration? {
        let (moment, overflow) = now.millisecondsSinceEpoch.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return nil }
        let interval = Self.interval(of: rate)
        let capacity = rate.burst * interval
        return content.withLock { content in
            let bucket = content.buckets[name]
            var start = max(bucket?.fullAt ?? moment, moment)
            // A clock that was set back must not leave anybody waiting for hours.
            if let bucket, bucket.seenAt > moment { start = min(start, moment + capacity) }
            let excess = start + interval - moment - capacity
            guard excess <= 0 else {
                content.buckets[name] = Bucket(fullAt: start, seenAt: moment)
                return .microseconds(excess)
            }
            if bucket == nil, content.buckets.count >= limit {
                guard Self.sweep(&content, at: moment, below: limit) else { return nil }
            }
            content.buckets[name] = Bucket(fullAt: start + interval, seenAt: moment)
            return nil
        }
    }

    /// Takes more from a bucket that was just taken from, be it more than is in it: whoever asked for much
    /// at once waits for it before the next time, and is not refused for ever.
    func owe(_ cost: Int64, to name: String, _ rate: Rate) {
        content.withLock { content in
            content.buckets[name]?.fullAt += cost * Self.interval(of: rate)
        }
    }

    private static func interval(of rate: Rate) -> Int64 { max(1, 1_000_000 / rate.perSecond) }

    /// Drops the buckets that are full, at most once a second; false if there is still no room.
    private static func sweep(_ content: inout Content, at moment: Int64, below limit: Int) -> Bool
    {
        let isDue = content.sweptAt.map { $0 > moment || moment - $0 >= 1_000_000 } ?? true
        if isDue {
            content.sweptAt = moment
            content.buckets = content.buckets.filter { $0.value.fullAt > moment }
        }
        return content.buckets.count < limit
    }
}
