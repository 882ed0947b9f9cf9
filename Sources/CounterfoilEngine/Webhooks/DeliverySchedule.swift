// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// When an attempt that failed is made again.
enum DeliverySchedule {
    /// The pauses behind the first attempt, the second, and so on: some 83 hours, so that neither a
    /// night nor a weekend of the receiver loses anything.
    static let pauses: [Duration] = [
        .seconds(5), .seconds(30), .seconds(120), .seconds(600), .seconds(1800),
        .seconds(3600), .seconds(3 * 3600), .seconds(6 * 3600), .seconds(12 * 3600),
        .seconds(12 * 3600), .seconds(24 * 3600), .seconds(24 * 3600),
    ]

    /// Pauses from here on are never shortened: it is their sum that a long outage must not outlast.
    private static let longPause = Duration.seconds(6 * 3600)

    /// The pause after so many attempts, up to a fifth shorter or longer by chance; nil after the last
    /// one.
    ///
    /// - Parameters:
    ///   - chance: Any number; the same number gives the same pause.
    ///   - wish: How long the receiver asked us to stay away. It can only lengthen the pause, or a
    ///     receiver that always says "in a second" would use the attempts up in a few.
    static func pause(
        after attempts: Int64, chance: UInt16, wish: Duration? = nil
    ) -> Duration? {
        guard attempts >= 1, attempts <= Int64(pauses.count) else { return nil }
        let planned = pauses[Int(attempts) - 1].wholeMilliseconds
        let isLong = planned >= longPause.wholeMilliseconds
        let (shortest, width) = isLong ? (planned, planned / 5) : (planned * 4 / 5, planned * 2 / 5)
        let pause = shortest + width * Int64(chance) / Int64(UInt16.max)
        return max(.milliseconds(pause), min(wish ?? .zero, Limits.longestWish))
    }

    /// How long a receiver is left alone that said so many times in a row that it has too much to do.
    static func slowdown(after times: Int64, wish: Duration?) -> Duration {
        let own = min(.seconds(5 << min(max(times - 1, 0), 8)), Limits.longestSlowdown)
        return max(own, min(wish ?? .zero, Limits.longestWish))
    }
}
