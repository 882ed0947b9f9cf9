import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import CounterfoilCore

struct CivilDatesCountDays {
    @Test(
        "Known days are where they belong",
        arguments: [
            (1970, 1, 1, 0), (1970, 1, 2, 1), (1969, 12, 31, -1), (2000, 3, 1, 11_017),
            (1600, 2, 29, -135_081), (0, 1, 1, -719_528), (-1, 12, 31, -719_529),
            (9999, 12, 31, 2_932_896),
        ] as [(Int64, Int64, Int64, Int64)])
    func knownDays(_ year: Int64, _ month: Int64, _ day: Int64, _ count: Int64) throws {
        let date = try #require(CivilDate(year: year, month: month, day: day))
        #expect(date.daysSinceEpoch == count)
        #expect(CivilDate(daysSinceEpoch: count) == date)
    }

    @Test("Walking day by day through eight centuries agrees with the calendar's own rules")
    func walk() throws {
        let lengths: [Int64] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var count = try #require(CivilDate(year: 1600, month: 1, day: 1)).daysSinceEpoch
        for year in Int64(1600)..<2400 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for month in Int64(1)...12 {
                let length = lengths[Int(month) - 1] + (month == 2 && isLeap ? 1 : 0)
                for day in 1...length {
                    let date = CivilDate(daysSinceEpoch: count)
                    if date.year != year || date.month != month || date.day != day {
                        Issue.record("day \(count) is \(date), not \(year)-\(month)-\(day)")
                    }
                    count += 1
                }
                #expect(CivilDate(year: year, month: month, day: length + 1) == nil)
            }
        }
    }

    @Test("The days of the first and last instant convert and return")
    func extremes() {
        for count in [Int64.min / 86_400_000 - 1, Int64.max / 86_400_000] {
            #expect(CivilDate(daysSinceEpoch: count).daysSinceEpoch == count)
        }
    }
}
