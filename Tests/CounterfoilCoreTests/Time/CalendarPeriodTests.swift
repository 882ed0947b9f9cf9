import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import CounterfoilCore

struct CalendarPeriodsAreRead {
    @Test(
        "Each unit counts",
        arguments: [
            ("P1M", 1, 0, 0), ("P1Y", 12, 0, 0), ("P2Y6M", 30, 0, 0), ("P1W", 0, 7, 0),
            ("P3D", 0, 3, 0), ("PT1H", 0, 0, 3_600), ("PT3M", 0, 0, 180), ("PT30S", 0, 0, 30),
            ("P1Y2M3W4DT5H6M7S", 14, 25, 18_367), ("P100Y", 1_200, 0, 0), ("P0DT1S", 0, 0, 1),
        ] as [(String, Int64, Int64, Int64)])
    func units(_ text: String, _ months: Int64, _ days: Int64, _ seconds: Int64) throws {
        let period = try #require(CalendarPeriod(iso8601: text))
        #expect(period.months == months)
        #expect(period.days == days)
        #expect(period.seconds == seconds)
    }

    @Test(
        "Nothing, too much and other spellings are refused",
        arguments: [
            "", "P", "PT", "P0D", "P1", "1M", "P1MT", "P-1M", "P1.5M", "p1m", "P1H", "PT1D", "P1M ",
            "P1TT1S",
            "P101Y", "P9999999999D", "P40000D", "P1M1M", "P1D1M", "PT1S1H", "P1W1W", "P١M",
            "PT1H1H",
        ])
    func refused(_ text: String) {
        #expect(CalendarPeriod(iso8601: text) == nil)
    }

    @Test(
        "What is written is read as the same period",
        arguments: ["P1M", "P1Y2M3W4DT5H6M7S", "PT90M", "P30D"])
    func roundTrip(_ text: String) throws {
        let period = try #require(CalendarPeriod(iso8601: text))
        #expect(CalendarPeriod(iso8601: period.iso8601) == period)
    }
}

struct CalendarPeriodsMoveInstants {
    @Test(
        "Months keep the day or take the month's last",
        arguments: [
            ("2024-01-31T10:00:00Z", "P1M", "2024-02-29T10:00:00Z"),
            ("2023-01-31T10:00:00.250Z", "P1M", "2023-02-28T10:00:00.250Z"),
            ("2024-02-29T00:00:00Z", "P1Y", "2025-02-28T00:00:00Z"),
            ("2023-12-15T00:00:00Z", "P1M", "2024-01-15T00:00:00Z"),
            ("2024-03-31T00:00:00Z", "P1M1D", "2024-05-01T00:00:00Z"),
            ("1969-11-30T23:59:59.999Z", "P3M", "1970-02-28T23:59:59.999Z"),
            ("2024-02-28T12:00:00Z", "P1D", "2024-02-29T12:00:00Z"),
            ("2024-02-28T12:00:00Z", "PT36H", "2024-03-01T00:00:00Z"),
        ])
    func months(_ start: String, _ period: String, _ end: String) throws {
        let moved =
            try #require(Instant(rfc3339: start)) + (try #require(CalendarPeriod(iso8601: period)))
        #expect(moved.rfc3339 == end)
    }

    @Test(
        "So many periods are counted from the anchor, as the App Store counts",
        arguments: [
            ("2026-01-31T12:00:00Z", "P1M", 1, "2026-02-28T12:00:00Z"),
            ("2026-01-31T12:00:00Z", "P1M", 3, "2026-04-30T12:00:00Z"),
            ("2026-01-31T12:00:00Z", "P1M", 5, "2026-06-30T12:00:00Z"),
            ("2024-02-29T00:00:00Z", "P1Y", 4, "2028-02-29T00:00:00Z"),
            ("2026-01-31T00:00:00Z", "P1M1D", 2, "2026-04-02T00:00:00Z"),
            ("2026-01-31T00:00:00Z", "P1M", 0, "2026-01-31T00:00:00Z"),
        ] as [(String, String, Int64, String)])
    func times(_ start: String, _ period: String, _ count: Int64, _ end: String) throws {
        let moved =
            try #require(Instant(rfc3339: start))
            + (try #require(CalendarPeriod(iso8601: period))) * count
        #expect(moved.rfc3339 == end)
    }

    @Test("A century behind either end of the range clamps or passes, without a trap")
    func extremes() throws {
        let century = try #require(CalendarPeriod(iso8601: "P100Y"))
        let latest = Instant(millisecondsSinceEpoch: .max)
        #expect(latest + century == latest)
        #expect(
            Instant(millisecondsSinceEpoch: .min) + century > Instant(millisecondsSinceEpoch: .min))
        #expect(latest + century * .max == latest)
    }
}
