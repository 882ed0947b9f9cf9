// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

extension ASN1Element {
    /// The moment of a UTCTime or GeneralizedTime.
    ///
    /// Only the form that RFC 5280 § 4.1.2.5 leaves is read: with seconds, in UTC (`Z`), without a
    /// fraction. Two-digit years are 1950 to 2049.
    package func instant() throws(ASN1Error) -> Instant {
        let content = try primitiveContent()
        let century: [UInt8]
        switch (tag, content.first) {
        case (.generalizedTime, _): century = []
        case (.utcTime, .some(let decade)): century = Array((decade < 0x35 ? "20" : "19").utf8)
        default: throw ASN1Error(.unexpected, "\(tag) in place of a time", at: offset)
        }
        let digits = century + content
        guard digits.count == 15, let instant = Self.instant(fromDigits: digits) else {
            throw ASN1Error(.value, "\(tag) that is no time", at: offset)
        }
        return instant
    }

    /// Reads `YYYYMMDDhhmmssZ`.
    private static func instant(fromDigits digits: [UInt8]) -> Instant? {
        var text: [UInt8] = []
        for (position, digit) in digits.enumerated() {
            switch position {
            case 4, 6: text.append(UInt8(ascii: "-"))
            case 8: text.append(UInt8(ascii: "T"))
            case 10, 12: text.append(UInt8(ascii: ":"))
            default: break
            }
            text.append(digit)
        }
        return digits.last == UInt8(ascii: "Z") ? Instant(rfc3339: text[...]) : nil
    }
}
