// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import Testing

struct TimeRates {
    private static let periods = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]

    /// Apple's published lengths in seconds.
    private static let published: [(Int64, [Int64])] = [
        (10, [900, 3600, 7200, 10_800, 21_600, 43_200]),
        (11, [600, 1800, 3600, 5400, 10_800, 21_600]),
        (13, [180, 300, 600, 900, 1800, 3600]),
        (15, [10, 30, 60, 90, 180, 360]),
        (1000, [900, 900, 900, 900, 900, 900]), (1001, [300, 300, 300, 300, 300, 300]),
        (1002, [60, 60, 60, 60, 60, 60]), (1003, [30, 30, 30, 30, 30, 30]),
        (1004, [10, 10, 10, 10, 10, 10]), (1005, [2, 2, 2, 2, 2, 2]),
    ]

    @Test("Periods have the lengths that Apple publishes", arguments: published)
    func lengths(raw: Int64, seconds: [Int64]) throws {
        let rate = try #require(TimeRate(rawValue: raw))
        for (text, expected) in zip(Self.periods, seconds) {
            let period = try #require(StorePeriod(iso8601: text))
            let end = rate.end(of: period, from: TestShop.start)
            #expect(end == TestShop.start + .seconds(expected), "\(text)")
        }
    }

    @Test(
        "Rates by the day shorten the real calendar", arguments: [(Int64(1), Int64(3600)), (6, 1)])
    func byDay(raw: Int64, secondsPerDay: Int64) throws {
        let rate = try #require(TimeRate(rawValue: raw))
        let end = rate.end(of: .month, from: TestShop.start)
        #expect(end == TestShop.start + .seconds(31 * secondsPerDay))
    }

    @Test("Numbers that Apple has not assigned are no rates")
    func unassigned() {
        #expect(TimeRate(rawValue: 14) == nil && TimeRate(rawValue: -1) == nil)
        #expect(TimeRate.assignedRawValues.count == 18)
    }

    @Test(
        "Requirement 003-14: the sandbox renews six or twelve times and stops",
        arguments: [Int64(6), 12])
    func sandbox(limit: Int64) throws {
        var store = try TestShop.store(rate: .monthlyRenewalEveryFiveMinutes) {
            $0.renewalLimit = limit
        }
        let id = try store.bought("gold_monthly")
        try store.advance(to: store.now + .seconds(86_400))
        let renewals = [String](repeating: "DID_RENEW", count: Int(limit))
        #expect(store.told() == ["SUBSCRIBED/INITIAL_BUY"] + renewals + ["EXPIRED/VOLUNTARY"])
        let chain = try store.history(original: id)
        #expect(chain.allSatisfy { $0.expiresDate == $0.purchaseDate + .seconds(300) })
        #expect(
            StoreSettings(bundleID: "a", timeRate: .monthlyRenewalEveryFiveMinutes).renewalLimit
                == 12)
        #expect(StoreSettings(bundleID: "a").renewalLimit == nil)
    }

    @Test(
        "Grace and retry shrink with the rate",
        arguments: [
            (Int64(0), StorePeriod.month, Int64(16 * 86_400), Int64(60 * 86_400)),
            (0, .week, 6 * 86_400, 60 * 86_400), (15, .month, 15, 60), (15, .week, 9, 60),
            (1003, .month, 30, 60), (13, .month, 150, 600),
        ])
    func grace(raw: Int64, period: StorePeriod, grace: Int64, retry: Int64) throws {
        let rate = try #require(TimeRate(rawValue: raw))
        #expect(rate.grace(days: 16, for: period) == .seconds(grace))
        #expect(rate.days(60) == .seconds(retry))
    }

    @Test("A fast subscription goes on for more than a century of its own time")
    func century() throws {
        var store = try TestShop.store(rate: try #require(TimeRate(rawValue: 6))) {
            $0.renewalLimit = nil
        }
        let id = try store.bought("gold_monthly")
        try store.advance(to: store.now + .seconds(86_400))
        #expect(try store.standing(of: id).status == .active)
        let count = try store.history(original: id).count
        #expect((2830...2850).contains(count), "a day has 86,400 days, or 2,840 months")
        #expect(store.told().count == count)
    }

    @Test(
        "Periods are one number of one unit",
        arguments: [
            ("P1W", true), ("P3D", true), ("P6M", true), ("P1Y", true), ("P1Y6M", false),
            ("PT5M", false), ("P0D", false), ("P", false), ("", false), ("P2000Y", false),
        ])
    func periods(text: String, isPeriod: Bool) {
        #expect(StorePeriod(iso8601: text)?.description == (isPeriod ? text : nil))
    }
}
