import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import CounterfoilCore

struct InstantsAreReadFromText {
    @Test(
        "Every form that Apple writes is read",
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:00.001Z", 1),
            ("1969-12-31T23:59:59.999Z", -1),
            ("2020-09-01T16:58:49Z", 1_598_979_529_000),
            ("2020-09-01T16:58:49.000Z", 1_598_979_529_000),
            ("2001-09-09T01:46:40Z", 1_000_000_000_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("2024-02-29T12:00:00Z", 1_709_208_000_000),
            ("2038-01-19T03:14:08Z", 2_147_483_648_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
            // Xcode's receipts write the offset without a colon, and not always as zero.
            ("2020-09-01T18:58:49+0200", 1_598_979_529_000),
            ("2020-09-01T18:58:49+02:00", 1_598_979_529_000),
            ("2020-09-01T09:58:49-0700", 1_598_979_529_000),
            ("2020-09-01T22:28:49+0530", 1_598_979_529_000),
            ("2020-09-01T16:58:49-00:00", 1_598_979_529_000),
            ("1970-01-01T00:00:00+23:59", -86_340_000),
            ("1969-12-31T00:01:00-23:59", 0),
            // RFC 3339 § 5.6: small letters, and a space where people read it.
            ("2020-09-01t16:58:49z", 1_598_979_529_000),
            ("2020-09-01 16:58:49Z", 1_598_979_529_000),
        ] as [(String, Int64)])
    func goodText(_ text: String, _ milliseconds: Int64) {
        #expect(Instant(rfc3339: text)?.millisecondsSinceEpoch == milliseconds)
    }

    @Test(
        "A fraction is cut to milliseconds, never rounded",
        arguments: [
            ("1970-01-01T00:00:00.5Z", 500), ("1970-01-01T00:00:00.05Z", 50),
            ("1970-01-01T00:00:00.1239Z", 123), ("1970-01-01T00:00:00.999999999Z", 999),
            ("1970-01-01T00:00:00.0004Z", 0), ("1969-12-31T23:59:59.9999Z", -1),
            ("1970-01-01T00:00:00." + String(repeating: "1", count: 500) + "Z", 111),
        ] as [(String, Int64)])
    func fractions(_ text: String, _ milliseconds: Int64) {
        #expect(Instant(rfc3339: text)?.millisecondsSinceEpoch == milliseconds)
    }

    @Test(
        "A day that the calendar does not have is refused",
        arguments: [
            "2021-02-29", "1900-02-29", "2100-02-29", "2020-02-30", "2020-04-31", "2020-06-31",
            "2020-09-31", "2020-11-31", "2020-01-32", "2020-00-10", "2020-13-01", "2020-01-00",
        ])
    func missingDays(_ day: String) {
        #expect(Instant(rfc3339: day + "T00:00:00Z") == nil)
    }

    @Test(
        "A time that no clock shows is refused, a leap second among them",
        arguments: [
            "24:00:00", "23:60:00", "23:59:60", "1:00:00", "01:0:00", "01:00:0", "01:00",
            "-1:00:00",
            "01:00:00.", "01:00:00,5", "0١:00:00",
        ])
    func missingTimes(_ time: String) {
        #expect(Instant(rfc3339: "2016-12-31T\(time)Z") == nil)
    }

    @Test(
        "A zone must be there, whole and possible",
        arguments: [
            "", "+", "+2", "+02:", "+02:6", "+0260", "+24:00", "+2:00", "02:00", "ZZ", "Z ", "UTC",
            " Z", "+020000",
        ])
    func badZones(_ zone: String) {
        #expect(Instant(rfc3339: "2020-09-01T16:58:49\(zone)") == nil)
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", "Z", "2020", "2020-09-01", "20200901T165849Z", "2020-9-1T00:00:00Z",
            "+2020-09-01T00:00:00Z",
            "-0001-01-01T00:00:00Z", "12020-09-01T00:00:00Z", " 2020-09-01T00:00:00Z",
            "2020-09-01T00:00:00Z\0",
            "2020/09/01T00:00:00Z", "2020-09-01  00:00:00Z", "2020-09-01 16:58:49 Etc/GMT",
            "1598979529000",
        ])
    func badText(_ text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    @Test("A slice of a longer buffer is read at its own indices")
    func slices() {
        let bytes = Array("xx2020-09-01T16:58:49Zyy".utf8)
        #expect(Instant(rfc3339: bytes[2..<22])?.millisecondsSinceEpoch == 1_598_979_529_000)
        #expect(Instant(rfc3339: bytes[2..<23]) == nil)
        #expect(Instant(rfc3339: bytes[0..<0]) == nil)
    }
}

struct InstantsAreWrittenAsText {
    @Test(
        "Milliseconds are written only when there are any",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00.001Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (1_598_979_529_100, "2020-09-01T16:58:49.100Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func text(_ milliseconds: Int64, _ text: String) {
        #expect(Instant(millisecondsSinceEpoch: milliseconds).rfc3339 == text)
        #expect("\(Instant(millisecondsSinceEpoch: milliseconds))" == text)
    }

    @Test("The ends of the range are written without a trap and stay apart")
    func extremes() {
        #expect(Instant(millisecondsSinceEpoch: .max).rfc3339 == "292278994-08-17T07:12:55.807Z")
        #expect(Instant(millisecondsSinceEpoch: .min).rfc3339 == "-292275055-05-16T16:47:04.192Z")
        #expect(
            Instant(millisecondsSinceEpoch: -62_167_219_200_001).rfc3339
                == "-0001-12-31T23:59:59.999Z")
    }

    @Test("What was written is read again as the same moment, over all of 0000 to 9999")
    func roundTrip() {
        let (first, last): (Int64, Int64) = (-62_167_219_200_000, 253_402_300_799_999)
        for number in NumberSequence(seed: 1).prefix(20_000) {
            let milliseconds = first + Int64(number % UInt64(last - first + 1))
            let instant = Instant(millisecondsSinceEpoch: milliseconds)
            let read = Instant(rfc3339: instant.rfc3339)
            if read != instant {
                Issue.record("\(milliseconds) was read as \(String(describing: read))")
            }
        }
    }

    @Test("Text sorts as the moments do, where both have milliseconds or neither")
    func sortsAsText() {
        let texts = (0..<2_000).map {
            Instant(millisecondsSinceEpoch: $0 * 86_399_000 - 62_167_219_200_000).rfc3339
        }
        #expect(texts == texts.sorted())
    }
}
