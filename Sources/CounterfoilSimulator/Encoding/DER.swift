// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore

/// Writes the values of ASN.1 that certificates and receipts are made of (X.690, DER).
package enum DER {
    package static let integerTag: UInt8 = 0x02
    package static let octetStringTag: UInt8 = 0x04
    package static let sequenceTag: UInt8 = 0x30
    package static let setTag: UInt8 = 0x31

    /// One value: tag, definite length, contents.
    package static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [tag] + length(contents.count) + contents
    }

    package static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        let digits = magnitude(UInt64(count))
        return [0x80 | UInt8(digits.count)] + digits
    }

    package static func sequence(_ parts: [UInt8]...) -> [UInt8] {
        value(sequenceTag, Array(parts.joined()))
    }

    /// A SET OF in the order that DER asks for.
    package static func set(_ elements: [[UInt8]]) -> [UInt8] {
        value(setTag, Array(elements.sorted { $0.lexicographicallyPrecedes($1) }.joined()))
    }

    /// An explicitly tagged or constructed implicit value of the context's own tags.
    package static func context(_ number: UInt8, _ contents: [UInt8]) -> [UInt8] {
        value(0xA0 | number, contents)
    }

    package static func integer(_ number: Int64) -> [UInt8] {
        var digits = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }[...]
        while digits.count > 1, let first = digits.first, first == 0 || first == 0xFF,
            (digits[digits.startIndex + 1] ^ first) & 0x80 == 0
        {
            digits.removeFirst()
        }
        return value(integerTag, Array(digits))
    }

    /// A non-negative INTEGER of any length, most significant byte first.
    package static func integer(magnitude bytes: [UInt8]) -> [UInt8] {
        let digits = bytes.drop { $0 == 0 }
        let needsZero = (digits.first ?? 0x80) >= 0x80
        return value(integerTag, (needsZero ? [0] : []) + digits)
    }

    package static func octetString(_ bytes: [UInt8]) -> [UInt8] { value(octetStringTag, bytes) }

    package static func bitString(_ bytes: [UInt8], unusedBits: UInt8 = 0) -> [UInt8] {
        value(0x03, [unusedBits] + bytes)
    }

    package static func boolean(_ truth: Bool) -> [UInt8] { value(0x01, [truth ? 0xFF : 0]) }

    package static func utf8(_ text: String) -> [UInt8] { value(0x0C, Array(text.utf8)) }

    package static func printable(_ text: String) -> [UInt8] { value(0x13, Array(text.utf8)) }

    package static func ia5(_ text: String) -> [UInt8] { value(0x16, Array(text.utf8)) }

    package static let null: [UInt8] = [0x05, 0x00]

    /// An OBJECT IDENTIFIER from its dotted text, whose parts must be numbers.
    package static func objectIdentifier(_ dotted: String) -> [UInt8] {
        let arcs = dotted.split(separator: ".").compactMap { UInt64($0) }
        precondition(arcs.count >= 2, "an object identifier has two parts or more")
        var contents: [UInt8] = []
        for arc in [arcs[0] * 40 + arcs[1]] + arcs[2...] {
            var groups = [UInt8(arc & 0x7F)]
            var rest = arc >> 7
            while rest > 0 {
                groups.append(0x80 | UInt8(rest & 0x7F))
                rest >>= 7
            }
            contents += groups.reversed()
        }
        return value(0x06, contents)
    }

    /// An AlgorithmIdentifier, with NULL parameters where the algorithm's family wants them.
    package static func algorithm(_ dotted: String, hasNull: Bool = true) -> [UInt8] {
        sequence(objectIdentifier(dotted), hasNull ? null : [])
    }

    /// The time of a certificate: UTCTime until 2049, GeneralizedTime after it (RFC 5280 § 4.1.2.5).
    package static func time(_ instant: Instant) -> [UInt8] {
        let text = wholeSeconds(instant).rfc3339
        let digits = text.utf8.filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        let isShort = "1950" <= text && text < "2050"
        return value(
            isShort ? 0x17 : 0x18,
            digits.dropFirst(isShort ? 2 : 0) + [UInt8(ascii: "Z")])
    }

    /// A date as receipts write it: RFC 3339 with seconds.
    package static func receiptDate(_ instant: Instant) -> [UInt8] {
        ia5(wholeSeconds(instant).rfc3339)
    }

    private static func wholeSeconds(_ instant: Instant) -> Instant {
        var milliseconds = instant.millisecondsSinceEpoch
        milliseconds -= (milliseconds % 1000 + 1000) % 1000
        return Instant(millisecondsSinceEpoch: milliseconds)
    }

    private static func magnitude(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }.drop { $0 == 0 } + []
    }
}
