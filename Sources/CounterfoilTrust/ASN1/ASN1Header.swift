// SPDX-License-Identifier: Apache-2.0

/// Where an element lies: its tag, its content and its end, as positions.
///
/// The size limit keeps positions far below 32 bits, so that the value fits into two registers.
struct ASN1Header: Sendable {
    let identifier: UInt8
    private let hasEndMarker: Bool
    private let startPosition: UInt32
    private let contentStart: UInt32
    private let contentEnd: UInt32

    var start: Int { Int(startPosition) }
    var content: Range<Int> { Int(contentStart)..<Int(contentEnd) }

    /// Behind the content and the end marker, if there is one.
    var end: Int { Int(contentEnd) + (hasEndMarker ? Self.endMarkerByteCount : 0) }

    var tag: ASN1Tag { ASN1Tag(identifier: identifier) }
    var isConstructed: Bool { identifier & ASN1Tag.constructedBit != 0 }

    private static let endMarkerIdentifier: UInt8 = 0
    private static let endMarkerByteCount = 2

    /// Reads the element at a position.
    ///
    /// - Parameters:
    ///   - limit: Where what holds the element ends; the element must lie before.
    ///   - depth: How many elements are around it.
    init(
        at position: Int, in bytes: Span<UInt8>, limit: Int, rules: ASN1Rules,
        depth: Int
    ) throws(ASN1Error) {
        let first = try ASN1Start(at: position, in: bytes, limit: limit, rules: rules)
        identifier = first.identifier
        guard identifier != Self.endMarkerIdentifier else {
            throw ASN1Error(.tag, "end marker without a beginning", at: position)
        }
        let contentEnd: Int
        if let length = first.length {
            contentEnd = first.contentStart + length
        } else {
            contentEnd = try Self.endOfContent(
                from: first.contentStart, in: bytes, limit: limit, rules: rules, depth: depth)
        }
        hasEndMarker = first.length == nil
        startPosition = UInt32(position)
        contentStart = UInt32(first.contentStart)
        self.contentEnd = UInt32(contentEnd)
    }

    /// Reads the element at a position if it is a small one, as nearly all in a receipt are; nil
    /// leaves the judgement to the full reading.
    @inline(__always)
    init?(smallAt position: Int, in bytes: Span<UInt8>, limit: Int, rules: ASN1Rules) {
        guard rules == .basic, limit - position >= 2 else { return nil }
        let (identifier, length) = (bytes[position], Int(bytes[position + 1]))
        guard length < 0x80, length <= limit - position - 2,
            identifier & ASN1Tag.numberMask != ASN1Tag.numberMask,
            identifier != Self.endMarkerIdentifier
        else { return nil }
        self.identifier = identifier
        hasEndMarker = false
        startPosition = UInt32(truncatingIfNeeded: position)
        contentStart = startPosition &+ 2
        contentEnd = contentStart &+ UInt32(truncatingIfNeeded: length)
    }

    /// Makes sure that this is the element that its place asks for.
    @inline(__always)
    func require(_ expected: ASN1Tag) throws(ASN1Error) {
        guard tag == expected else {
            throw ASN1Error(.unexpected, "\(tag) in place of \(expected)", at: start)
        }
    }

    /// Makes sure that the content is a value.
    @inline(__always)
    func requirePrimitive() throws(ASN1Error) {
        guard !isConstructed else {
            throw ASN1Error(.unexpected, "\(tag) holds elements, not a value", at: start)
        }
    }

    /// The content as a 64-bit INTEGER.
    func int64(in bytes: Span<UInt8>) throws(ASN1Error) -> Int64 {
        try requireInteger(in: bytes)
        guard content.count <= 8 else {
            throw ASN1Error(.value, "INTEGER of \(content.count) bytes", at: start)
        }
        var value = Int64(Int8(bitPattern: bytes[content.lowerBound]))
        for position in content.dropFirst() { value = value << 8 | Int64(bytes[position]) }
        return value
    }

    /// Makes sure that this is an INTEGER in the shortest form, the only one that X.690 § 8.3 allows.
    func requireInteger(in bytes: Span<UInt8>) throws(ASN1Error) {
        try require(.integer)
        try requirePrimitive()
        guard !content.isEmpty else {
            throw ASN1Error(.value, "INTEGER without content", at: start)
        }
        guard content.count > 1 else { return }
        let (first, second) = (bytes[content.lowerBound], bytes[content.lowerBound + 1])
        guard !(first == 0 && second < 0x80), !(first == 0xFF && second >= 0x80) else {
            throw ASN1Error(.value, "INTEGER longer than needed", at: start)
        }
    }

    /// Finds the end marker of an indefinite length, stepping over whole elements and counting how
    /// many such lengths are open.
    private static func endOfContent(
        from start: Int, in bytes: Span<UInt8>, limit: Int, rules: ASN1Rules,
        depth: Int
    ) throws(ASN1Error) -> Int {
        var position = start
        var open = 1
        while true {
            let next = try ASN1Start(at: position, in: bytes, limit: limit, rules: rules)
            if next.identifier == endMarkerIdentifier {
                guard next.length == 0 else {
                    throw ASN1Error(.length, "end marker with content", at: position)
                }
                open -= 1
                if open == 0 { return position }
                position = next.contentStart
            } else if let length = next.length {
                position = next.contentStart + length
            } else {
                open += 1
                guard depth + open <= Limits.maximumNestingDepth else {
                    throw ASN1Error(
                        .depth, "nested deeper than \(Limits.maximumNestingDepth)", at: position)
                }
                position = next.contentStart
            }
        }
    }
}

/// The tag and length in front of an element's content.
private struct ASN1Start {
    let identifier: UInt8
    let contentStart: Int

    /// How many bytes the content has, all before the limit; nil where an end marker closes it.
    let length: Int?

    /// Eight length bytes already say more than memory holds.
    private static let maximumLengthByteCount = 8

    init(
        at position: Int, in bytes: Span<UInt8>, limit: Int, rules: ASN1Rules
    ) throws(ASN1Error) {
        guard limit - position >= 2 else {
            throw ASN1Error(.truncated, "no room for a tag and a length", at: position)
        }
        identifier = bytes[position]
        guard identifier & ASN1Tag.numberMask != ASN1Tag.numberMask else {
            throw ASN1Error(.tag, "tag number above 30", at: position)
        }
        let first = bytes[position + 1]
        if first < 0x80 {
            contentStart = position + 2
            length = Int(first)
        } else if first == 0x80 {
            contentStart = position + 2
            length = nil
            try Self.requireIndefinite(identifier, rules, at: position)
            return
        } else {
            let byteCount = Int(first & 0x7F)
            contentStart = position + 2 + byteCount
            length = try Self.longLength(
                at: position, byteCount: byteCount, in: bytes, limit: limit, rules: rules)
        }
        guard let length, length <= limit - contentStart else {
            throw ASN1Error(
                .truncated, "a length that reaches beyond the end of what holds it", at: position)
        }
        guard
            rules == .basic || identifier & ASN1Tag.constructedBit == 0
                || ASN1Tag(identifier: identifier).mayBeConstructedInDER
        else {
            throw ASN1Error(
                .encoding, "\(ASN1Tag(identifier: identifier)) in pieces in DER", at: position)
        }
    }

    private static func requireIndefinite(
        _ identifier: UInt8, _ rules: ASN1Rules, at position: Int
    ) throws(ASN1Error) {
        guard rules == .basic else {
            throw ASN1Error(.encoding, "indefinite length in DER", at: position)
        }
        guard identifier & ASN1Tag.constructedBit != 0 else {
            throw ASN1Error(.length, "indefinite length of a primitive element", at: position)
        }
    }

    private static func longLength(
        at position: Int, byteCount: Int, in bytes: Span<UInt8>, limit: Int,
        rules: ASN1Rules
    ) throws(ASN1Error) -> Int {
        guard byteCount <= maximumLengthByteCount else {
            throw ASN1Error(.length, "length of \(byteCount) bytes", at: position)
        }
        guard byteCount <= limit - position - 2 else {
            throw ASN1Error(.truncated, "the length is cut short", at: position)
        }
        var length: UInt64 = 0
        for offset in 0..<byteCount {
            length = length << 8 | UInt64(bytes[position + 2 + offset])
        }
        if rules == .distinguished {
            let isShortest = length >= 0x80 && length >> (8 * UInt64(byteCount - 1)) != 0
            guard isShortest else {
                throw ASN1Error(.encoding, "length longer than needed in DER", at: position)
            }
        }
        guard let length = Int(exactly: length) else {
            throw ASN1Error(.length, "length beyond any memory", at: position)
        }
        return length
    }
}
