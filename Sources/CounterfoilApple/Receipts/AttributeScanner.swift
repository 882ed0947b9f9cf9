// SPDX-License-Identifier: Apache-2.0

/// Walks over `SET OF SEQUENCE { type, version, value }` in plain encoding: definite lengths, values
/// in one piece, as the App Store writes all of its receipts.
///
/// It exists for speed. A receipt with 300 purchases has 6,000 attributes, and the general reader takes
/// ten times as long for them as hashing takes. Whatever is not plain ends the walk with
/// ``isUnusual``; then the general reader decides (see `PlainPayload`).
struct AttributeScanner {
    /// One attribute by its place in the bytes.
    struct Found {
        let type: Int64
        let version: Int64
        let octets: Range<Int>
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position: Int
    private let end: Int

    /// Whether the walk ended at something that is not plain.
    private(set) var isUnusual = false

    private static let setTag: UInt8 = 0x31
    private static let sequenceTag: UInt8 = 0x30
    private static let integerTag: UInt8 = 0x02
    private static let octetStringTag: UInt8 = 0x04

    /// Starts at exactly one SET; nil where the range is anything else.
    init?(setIn range: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>) {
        guard
            let content = Self.content(
                Self.setTag, at: range.lowerBound, before: range.upperBound, of: bytes),
            content.upperBound == range.upperBound
        else { return nil }
        self.bytes = bytes
        position = content.lowerBound
        end = content.upperBound
    }

    /// The next attribute; nil at the end, and where ``isUnusual``.
    @inline(__always)
    mutating func next() -> Found? {
        nextOfUsualSize() ?? nextOfAnySize()
    }

    private mutating func nextOfAnySize() -> Found? {
        guard position < end else { return nil }
        guard let sequence = Self.content(Self.sequenceTag, at: position, before: end, of: bytes),
            let type = content(Self.integerTag, at: sequence.lowerBound, in: sequence),
            let version = content(Self.integerTag, at: type.upperBound, in: sequence),
            let octets = content(Self.octetStringTag, at: version.upperBound, in: sequence),
            octets.upperBound == sequence.upperBound,
            let typeNumber = Self.integer(type, of: bytes),
            let versionNumber = Self.integer(version, of: bytes)
        else {
            isUnusual = true
            return nil
        }
        position = sequence.upperBound
        return Found(type: typeNumber, version: versionNumber, octets: octets)
    }

    /// The next attribute where it is shorter than 128 bytes and has a number of two bytes, as nearly
    /// all attributes of purchases have: then everything but the value stands in fixed places.
    @inline(__always)
    private mutating func nextOfUsualSize() -> Found? {
        let start = position
        guard end - start >= Self.usualHeadCount else { return nil }
        let length = Int(bytes[start + 1])
        let octetCount = Int(bytes[start + 10])
        let octets = start &+ Self.usualHeadCount
        guard bytes[start] == Self.sequenceTag, length < 0x80,
            bytes[start + 2] == Self.integerTag, bytes[start + 3] == 2,
            bytes[start + 4] &- 1 < 0x7F,
            bytes[start + 6] == Self.integerTag, bytes[start + 7] == 1,
            bytes[start + 9] == Self.octetStringTag, octetCount < 0x80,
            octetCount + Self.usualHeadCount == length + 2, octetCount <= end - octets
        else { return nil }
        position = octets + octetCount
        return Found(
            type: Int64(bytes[start + 4]) << 8 | Int64(bytes[start + 5]),
            version: Int64(Int8(bitPattern: bytes[start + 8])),
            octets: octets..<(octets + octetCount))
    }

    /// Tag and length of the SEQUENCE, type (4), version (3), tag and length of the OCTET STRING.
    private static let usualHeadCount = 11

    private func content(_ tag: UInt8, at position: Int, in outer: Range<Int>) -> Range<Int>? {
        Self.content(tag, at: position, before: outer.upperBound, of: bytes)
    }

    /// Where the content of an element lies; nil where another element stands there, where its length
    /// is indefinite or needs more than three bytes, or where it reaches beyond the end.
    static func content(
        _ tag: UInt8, at position: Int, before end: Int, of bytes: UnsafeBufferPointer<UInt8>
    ) -> Range<Int>? {
        guard end - position >= 2, bytes[position] == tag else { return nil }
        var start = position + 2
        var length = Int(bytes[position + 1])
        if length >= 0x80 {
            let count = length & 0x7F
            guard (1...3).contains(count), end - start >= count else { return nil }
            length = 0
            for _ in 0..<count {
                length = length << 8 | Int(bytes[start])
                start += 1
            }
        }
        guard length <= end - start else { return nil }
        return start..<(start + length)
    }

    /// The INTEGER with this content, where it has the shortest form and fits into 64 bits.
    static func integer(
        _ content: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>
    ) -> Int64? {
        guard (1...8).contains(content.count) else { return nil }
        let first = bytes[content.lowerBound]
        if content.count > 1 {
            let second = bytes[content.lowerBound + 1]
            guard !(first == 0 && second < 0x80), !(first == 0xFF && second >= 0x80) else {
                return nil
            }
        }
        var value = Int64(Int8(bitPattern: first))
        for position in (content.lowerBound + 1)..<content.upperBound {
            value = value << 8 | Int64(bytes[position])
        }
        return value
    }
}
