// SPDX-License-Identifier: Apache-2.0

/// A day of the proleptic Gregorian calendar and its distance from 1970-01-01.
///
/// The conversion counts days from March, so that the leap day is the last of its year.
struct CivilDate: Hashable, Sendable {
    var year: Int64
    var month: Int64
    var day: Int64

    private static let daysPerEra: Int64 = 146_097
    private static let daysFromYearZeroToEpoch: Int64 = 719_468

    var daysSinceEpoch: Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPerEra + dayOfEra - Self.daysFromYearZeroToEpoch
    }

    init(daysSinceEpoch: Int64) {
        let shifted = daysSinceEpoch + Self.daysFromYearZeroToEpoch
        let era = (shifted >= 0 ? shifted : shifted - Self.daysPerEra + 1) / Self.daysPerEra
        let dayOfEra = shifted - era * Self.daysPerEra
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Makes the day, or nil where the calendar has no such day.
    init?(year: Int64, month: Int64, day: Int64) {
        guard Self.exists(year: year, month: month, day: day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    static func exists(year: Int64, month: Int64, day: Int64) -> Bool {
        guard (1...12).contains(month), day >= 1 else { return false }
        if day <= 28 { return true }
        if month == 2 {
            return day == 29 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        }
        // Long and short months take turns, and begin anew with August.
        return day <= 30 + (month + month / 8) % 2
    }
}
