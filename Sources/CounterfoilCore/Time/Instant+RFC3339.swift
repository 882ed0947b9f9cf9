// SPDX-License-Identifier: Apache-2.0

extension Instant {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// Parses `2020-09-01T16:58:49Z`, with an optional fraction and an offset of `Z`, `±hh:mm` or,
    /// as Xcode's receipts write it, `±hhmm`.
    ///
    /// Fractions finer than a millisecond are cut off. Returns nil for anything else, a day that
    /// the calendar does not have and a leap second included.
    public init?(rfc3339 text: some StringProtocol) {
        self.init(rfc3339: Array(text.utf8)[...])
    }

    /// Parses the bytes of a text as ``init(rfc3339:)-(StringProtocol)`` does.
    public init?(rfc3339 bytes: ArraySlice<UInt8>) {
        var reader = DigitReader(bytes)
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let day = reader.number(digits: 2), reader.skipDateSeparator(),
            let hour = reader.number(digits: 2), reader.skip(":"),
            let minute = reader.number(digits: 2), reader.skip(":"),
            let second = reader.number(digits: 2),
            hour < 24, minute < 60, second < 60,
            let date = CivilDate(year: year, month: month, day: day),
            let fraction = reader.millisecondFraction(),
            let offsetMinutes = reader.zoneOffsetMinutes(), reader.isAtEnd
        else { return nil }
        let seconds = hour * 3600 + (minute - offsetMinutes) * 60 + second
        millisecondsSinceEpoch =
            date.daysSinceEpoch * Self.millisecondsPerDay + seconds * 1000 + fraction
    }

    /// Parses exactly `2020-09-01T16:58:49Z`, the form of nearly every date in a receipt; nil for
    /// anything else, other RFC 3339 forms included.
    package init?(wholeSecondsUTC text: UnsafeBufferPointer<UInt8>) {
        guard let fields = WholeSecondsUTC(text),
            let date = CivilDate(year: fields.year, month: fields.month, day: fields.day)
        else { return nil }
        let seconds = fields.hour * 3600 + fields.minute * 60 + fields.second
        millisecondsSinceEpoch = (date.daysSinceEpoch * 86_400 + seconds) * 1000
    }

    /// Whether ``init(wholeSecondsUTC:)`` would take the text, without working the moment out.
    package static func isWholeSecondsUTC(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        WholeSecondsUTC(text) != nil
    }

    /// The moment as RFC 3339 text in UTC; milliseconds are written only when there are any.
    ///
    /// Years outside 0000…9999 (no receipt has them, a hostile number may) are written with as many
    /// digits as they need, so the text stays unambiguous although it is no longer RFC 3339.
    public var rfc3339: String {
        var days = millisecondsSinceEpoch / Self.millisecondsPerDay
        var rest = millisecondsSinceEpoch % Self.millisecondsPerDay
        if rest < 0 {
            days -= 1
            rest += Self.millisecondsPerDay
        }
        let date = CivilDate(daysSinceEpoch: days)
        let seconds = rest / 1000
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }
        let sign = date.year < 0 ? "-" : ""
        let day =
            "\(sign)\(padded(abs(date.year), 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
        let fraction = rest % 1000 == 0 ? "" : "." + padded(rest % 1000, 3)
        return "\(day)T\(clock.joined(separator: ":"))\(fraction)Z"
    }
}

extension Instant: CustomStringConvertible {
    /// The moment as ``rfc3339``.
    public var description: String { rfc3339 }
}

private func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

/// Reads the fixed-width parts of a date.
private struct DigitReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard bytes.first == UInt8(ascii: character) else { return false }
        bytes.removeFirst()
        return true
    }

    /// RFC 3339 § 5.6 allows a small t and, for readability, a space.
    mutating func skipDateSeparator() -> Bool {
        skip("T") || skip("t") || skip(" ")
    }

    mutating func digit() -> Int64? {
        guard let byte = bytes.first, byte &- UInt8(ascii: "0") < 10 else { return nil }
        bytes.removeFirst()
        return Int64(byte &- UInt8(ascii: "0"))
    }

    mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// The milliseconds after the point; 0 where there is no point, nil where no digit follows it.
    mutating func millisecondFraction() -> Int64? {
        guard skip(".") else { return 0 }
        guard var value = digit() else { return nil }
        var digits = 1
        while let next = digit() {
            digits += 1
            if digits <= 3 { value = value * 10 + next }
        }
        while digits < 3 {
            value *= 10
            digits += 1
        }
        return value
    }

    mutating func zoneOffsetMinutes() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int64
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(digits: 2) else { return nil }
        _ = skip(":")
        guard let minutes = number(digits: 2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes)
    }
}

/// The parts of `2020-09-01T16:58:49Z`, of a day and a time that exist.
private struct WholeSecondsUTC {
    let year: Int64
    let month: Int64
    let day: Int64
    let hour: Int64
    let minute: Int64
    let second: Int64

    init?(_ text: UnsafeBufferPointer<UInt8>) {
        guard text.count == 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: "Z")
        else { return nil }
        var areDigits = true
        func pair(_ position: Int) -> Int64 {
            let tens = text[position] &- UInt8(ascii: "0")
            let ones = text[position + 1] &- UInt8(ascii: "0")
            areDigits = areDigits && tens < 10 && ones < 10
            return Int64(tens) &* 10 &+ Int64(ones)
        }
        year = pair(0) &* 100 &+ pair(2)
        month = pair(5)
        day = pair(8)
        hour = pair(11)
        minute = pair(14)
        second = pair(17)
        guard areDigits, hour < 24, minute < 60, second < 60,
            CivilDate.exists(year: year, month: month, day: day)
        else { return nil }
    }
}
