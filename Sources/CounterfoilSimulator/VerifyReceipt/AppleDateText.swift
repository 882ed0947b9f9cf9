// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// Apple's three spellings of one moment, as verifyReceipt writes them.
struct AppleDateText {
    let instant: Instant

    /// For example `2015-08-13 07:50:46 Etc/GMT`.
    var gmt: String { Self.wallText(instant) + " Etc/GMT" }

    /// Milliseconds since 1970 as text.
    var milliseconds: String { String(instant.millisecondsSinceEpoch) }

    /// The same moment in California, for example `2015-08-13 00:50:46 America/Los_Angeles`.
    var pacific: String {
        let hours: Int64 = isPacificSummer ? 7 : 8
        return Self.wallText(instant - .seconds(hours * 3600)) + " America/Los_Angeles"
    }

    private static func wallText(_ instant: Instant) -> String {
        let text = instant.rfc3339
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8)
    }

    /// From the second Sunday of March to the first of November at two o'clock, the rule since 2007.
    private var isPacificSummer: Bool {
        let year = instant.rfc3339.prefix(4)
        guard let march = Instant(rfc3339: "\(year)-03-08T10:00:00Z"),
            let november = Instant(rfc3339: "\(year)-11-01T09:00:00Z")
        else { return false }
        return instant >= Self.sunday(onOrAfter: march)
            && instant < Self.sunday(onOrAfter: november)
    }

    private static func sunday(onOrAfter instant: Instant) -> Instant {
        // 1970 began on a Thursday.
        let weekday = (instant.millisecondsSinceEpoch / 86_400_000 + 4) % 7
        return instant + .seconds((7 - weekday) % 7 * 86_400)
    }
}

extension PayloadWriter {
    /// The three members that verifyReceipt writes for one date.
    mutating func appleDate(_ key: String, _ value: Instant?) {
        guard let value else { return }
        let date = AppleDateText(instant: value)
        text(key, date.gmt)
        text("\(key)_ms", date.milliseconds)
        text("\(key)_pst", date.pacific)
    }
}
