// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// The length of a subscription's or offer's period: a number of days, weeks, months or years.
///
/// It keeps the unit that it was written in, since Apple's payloads say `P1Y` and not `P12M`.
public struct StorePeriod: Hashable, Sendable, CustomStringConvertible {
    /// What is counted.
    public enum Unit: String, Hashable, Sendable, CaseIterable {
        case day = "D"
        case week = "W"
        case month = "M"
        case year = "Y"
    }

    /// The unit.
    public let unit: Unit

    /// How many; at least one.
    public let count: Int64

    private init(unchecked count: Int64, _ unit: Unit) {
        self.count = count
        self.unit = unit
    }

    /// Makes a period; nil below one and above a century.
    public init?(_ count: Int64, _ unit: Unit) {
        guard CalendarPeriod(iso8601: "P\(count)\(unit.rawValue)") != nil else { return nil }
        self.init(unchecked: count, unit)
    }

    /// Parses an ISO 8601 duration of one unit, such as `P2W`; nil for anything else.
    public init?(iso8601 text: String) {
        guard CalendarPeriod(iso8601: text) != nil,
            let unit = text.last.flatMap({ Unit(rawValue: String($0)) }),
            let count = Int64(text.dropFirst().dropLast())
        else { return nil }
        self.init(unchecked: count, unit)
    }

    /// One day.
    public static let day = StorePeriod(unchecked: 1, .day)

    /// One week.
    public static let week = StorePeriod(unchecked: 1, .week)

    /// One month.
    public static let month = StorePeriod(unchecked: 1, .month)

    /// One year.
    public static let year = StorePeriod(unchecked: 1, .year)

    /// The period as many times over; nil where it would exceed a century.
    public func times(_ factor: Int64) -> StorePeriod? {
        let (product, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? nil : StorePeriod(product, unit)
    }

    /// The ISO 8601 text, in the unit that it was written in.
    public var description: String { "P\(count)\(unit.rawValue)" }

    /// Whole months, where the unit is months or years.
    var months: Int64? {
        switch unit {
        case .day, .week: nil
        case .month: count
        case .year: count * 12
        }
    }

    /// Days of the shorter units, with thirty for a month: only for comparing and for proportions.
    var approximateDays: Int64 {
        switch unit {
        case .day: count
        case .week: count * 7
        case .month: count * 30
        case .year: count * 365
        }
    }

    /// Adds the period as often as told to a moment of the real calendar. Counting from one anchor
    /// brings a subscription of the 31st back to the 31st after February.
    func end(from anchor: Instant, times: Int64 = 1) -> Instant {
        let (total, overflow) = count.multipliedReportingOverflow(by: max(times, 1))
        guard !overflow, let period = CalendarPeriod(iso8601: "P\(total)\(unit.rawValue)") else {
            // Beyond a century the day of the month is nobody's concern.
            return anchor + .seconds(approximateDays * 86_400) * Int(clamping: max(times, 1))
        }
        return anchor + period
    }
}
