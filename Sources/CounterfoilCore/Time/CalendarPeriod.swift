// SPDX-License-Identifier: Apache-2.0

/// A length of time in calendar terms, such as `P1M`, counted in UTC.
public struct CalendarPeriod: Hashable, Sendable {
    /// No period is longer than a century; it keeps all sums inside 64 bits.
    private static let maximumMonths: Int64 = 1200

    /// Whole months; a year is twelve.
    public let months: Int64

    /// Days of 24 hours; a week is seven.
    public let days: Int64

    /// Seconds; an hour is 3600.
    public let seconds: Int64

    /// The units in the order in which ISO 8601 writes them.
    private static let unitOrder = ["Y", "M", "W", "D", "TH", "TM", "TS"]

    /// Parses an ISO 8601 duration of years, months, weeks, days, hours, minutes and seconds in whole
    /// numbers, each at most once and in this order; nil for anything else, for nothing at all and
    /// for more than a century.
    public init?(iso8601 text: String) {
        var months: Int64 = 0
        var days: Int64 = 0
        var seconds: Int64 = 0
        var isTime = false
        var nextUnit = 0
        var rest = Substring(text)
        guard rest.popFirst() == "P", !rest.isEmpty, rest.last != "T" else { return nil }
        while !rest.isEmpty {
            if !isTime, rest.first == "T" {
                rest.removeFirst()
                isTime = true
            }
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard digits.utf8.count <= 9, let value = Int64(digits), let unit = rest.popFirst()
            else { return nil }
            let name = isTime ? "T\(unit)" : "\(unit)"
            guard let order = Self.unitOrder[nextUnit...].firstIndex(of: name) else { return nil }
            nextUnit = order + 1
            switch name {
            case "Y": months += value * 12
            case "M": months += value
            case "W": days += value * 7
            case "D": days += value
            case "TH": seconds += value * 3600
            case "TM": seconds += value * 60
            default: seconds += value
            }
        }
        let approximateMonths = months + days / 30 + seconds / 2_592_000
        guard months + days + seconds > 0, approximateMonths <= Self.maximumMonths else {
            return nil
        }
        self.months = months
        self.days = days
        self.seconds = seconds
    }

    private init(months: Int64, days: Int64, seconds: Int64) {
        self.months = months
        self.days = days
        self.seconds = seconds
    }

    /// The period so many times over, each of its parts apart; what is more than 100,000 years is those.
    ///
    /// Adding it moves the anchor once: three times `P1M` from 31 January is 30 April, while adding
    /// `P1M` three times ends on 28 April. The App Store counts from the anchor.
    public static func * (lhs: CalendarPeriod, count: Int64) -> CalendarPeriod {
        func times(_ part: Int64, _ limit: Int64) -> Int64 {
            let (product, overflow) = part.multipliedReportingOverflow(by: max(count, 0))
            return overflow ? limit : min(product, limit)
        }
        let maximumMonths = Self.maximumMonths * 1000
        let days = maximumMonths * 31
        return CalendarPeriod(
            months: times(lhs.months, maximumMonths), days: times(lhs.days, days),
            seconds: times(lhs.seconds, days * 86_400))
    }

    /// The period as ISO 8601 text, without zero parts.
    public var iso8601: String {
        let date = (months > 0 ? "\(months)M" : "") + (days > 0 ? "\(days)D" : "")
        return "P" + date + (seconds > 0 ? "T\(seconds)S" : "")
    }
}

extension Instant {
    /// The moment one period later: months first, keeping the day or taking the month's last day.
    public static func + (lhs: Instant, rhs: CalendarPeriod) -> Instant {
        let moved = lhs.addingMonths(rhs.months)
        return moved + .seconds(rhs.days * 86_400 + rhs.seconds)
    }

    private func addingMonths(_ months: Int64) -> Instant {
        guard months != 0 else { return self }
        let millisecondsPerDay: Int64 = 86_400_000
        let (quotient, remainder) =
            millisecondsSinceEpoch
            .quotientAndRemainder(dividingBy: millisecondsPerDay)
        let days = remainder < 0 ? quotient - 1 : quotient
        let timeOfDay = remainder < 0 ? remainder + millisecondsPerDay : remainder
        let date = CivilDate(daysSinceEpoch: days)
        let monthIndex = date.year * 12 + date.month - 1 + months
        let year = monthIndex >= 0 ? monthIndex / 12 : (monthIndex - 11) / 12
        let month = monthIndex - year * 12 + 1
        // Every month has a 28th, so one candidate always fits.
        let candidates = stride(from: date.day, through: min(date.day, 28), by: -1)
        let moved = candidates.lazy.compactMap { CivilDate(year: year, month: month, day: $0) }
            .first
        guard let moved else { return self }
        let (start, overflow) = moved.daysSinceEpoch
            .multipliedReportingOverflow(by: millisecondsPerDay)
        return Instant(millisecondsSinceEpoch: overflow ? .max : start) + .milliseconds(timeOfDay)
    }
}
