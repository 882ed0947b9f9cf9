// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

/// How fast subscriptions live: the raw values of Apple's `SKTestTimeRate`.
///
/// The rate shortens periods; the clock itself is moved by whoever runs the store.
public struct TimeRate: Hashable, Sendable {
    /// Apple's number, `_timeRate` in a `.storekit` file.
    public let rawValue: Int64

    private let pace: Pace

    private enum Pace: Hashable, Sendable {
        case calendar

        /// So many milliseconds stand for one day.
        case day(Int64)

        /// What stands for a week, a month, and 2, 3, 6 and 12 months, in seconds.
        case table(week: Int64, month: Int64)

        /// Every period lasts so many seconds.
        case fixed(Int64)
    }

    /// Takes Apple's number; nil for one that Apple has not assigned.
    public init?(rawValue: Int64) {
        guard let pace = Self.paces[rawValue] else { return nil }
        self.rawValue = rawValue
        self.pace = pace
    }

    private init(_ rawValue: Int64, _ pace: Pace) {
        self.rawValue = rawValue
        self.pace = pace
    }

    /// The real calendar.
    public static let realTime = TimeRate(0, .calendar)

    /// The sandbox's default: a month lasts five minutes.
    public static let monthlyRenewalEveryFiveMinutes = TimeRate(13, .table(week: 180, month: 300))

    /// Every number that Apple has assigned.
    public static let assignedRawValues: [Int64] = paces.keys.sorted()

    private static let paces: [Int64: Pace] = [
        0: .calendar,
        1: .day(3_600_000), 2: .day(1_800_000), 3: .day(300_000),
        4: .day(60_000), 5: .day(30_000), 6: .day(1000),
        10: .table(week: 900, month: 3600), 11: .table(week: 600, month: 1800),
        // Apple gives no length for the week here; a third of the month lies between its neighbours.
        12: .table(week: 300, month: 900),
        13: .table(week: 180, month: 300), 15: .table(week: 10, month: 30),
        1000: .fixed(900), 1001: .fixed(300), 1002: .fixed(60),
        1003: .fixed(30), 1004: .fixed(10), 1005: .fixed(2),
    ]

    /// Whether periods follow the real calendar.
    public var isRealTime: Bool { pace == .calendar }

    /// The end of the `times`-th period counted from an anchor.
    public func end(of period: StorePeriod, from anchor: Instant, times: Int64 = 1) -> Instant {
        switch pace {
        case .calendar:
            return period.end(from: anchor, times: times)
        case .day(let milliseconds):
            let real = period.end(from: anchor, times: times).since(anchor).wholeMilliseconds
            return anchor + .milliseconds(real / 86_400_000 * milliseconds)
        case .table(let week, let month):
            return anchor + .milliseconds(Self.length(of: period, week, month) * times)
        case .fixed(let seconds):
            return anchor + .seconds(seconds * times)
        }
    }

    private static func length(of period: StorePeriod, _ week: Int64, _ month: Int64) -> Int64 {
        if let months = period.months { return months * month * 1000 }
        return period.approximateDays * week * 1000 / 7
    }

    /// The same stretch of days at this rate, for billing retry and the like.
    public func days(_ count: Int64) -> Duration {
        switch pace {
        case .calendar: .seconds(count * 86_400)
        case .day(let milliseconds): .milliseconds(count * milliseconds)
        case .table(_, let month): .milliseconds(count * month * 1000 / 30)
        case .fixed(let seconds): .milliseconds(max(count * seconds * 1000 / 30, seconds * 1000))
        }
    }

    /// How long a billing grace period lasts.
    ///
    /// - Parameters:
    ///   - days: What the developer chose: 3, 16 or 28; shorter than it for weekly subscriptions.
    ///   - period: The subscription's period.
    public func grace(days: Int64, for period: StorePeriod) -> Duration {
        let isWeekly = period.approximateDays <= 7
        let allowed = isWeekly ? min(days, 6) : days
        switch pace {
        case .calendar, .day: return self.days(allowed)
        case .fixed(let seconds): return .seconds(seconds)
        case .table(let week, let month):
            // Apple: half a month for sixteen days and six sevenths of a week, in whole seconds.
            if isWeekly { return .seconds((allowed * week + 6) / 7) }
            return .seconds(max(1, min(allowed, 28) == 16 ? month / 2 : allowed * month / 30))
        }
    }
}
