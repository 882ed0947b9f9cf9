// SPDX-License-Identifier: Apache-2.0

/// Reads elements that stand side by side, one after the other.
///
/// The reader looks at headers only, so a structure is checked as far as it is walked. Work is
/// bounded whatever the bytes say: by the size, by the depth, by the number of siblings, and because
/// each element takes at least two bytes.
///
/// ```swift
/// var attribute = try ASN1Reader.only(.sequence, in: bytes, rules: .basic).children()
/// let type = try attribute.next(.integer).int64()
/// let value = try attribute.next(.octetString).octets()
/// try attribute.finish()
/// ```
package struct ASN1Reader: Sendable {
    private var rest: ArraySlice<UInt8>
    private let rules: ASN1Rules
    private let depth: Int
    private var count = 0

    /// Starts at the front of a text.
    ///
    /// - Throws: ``ASN1Error`` with the code `size` if it is larger than 4 MB.
    package init(_ bytes: ArraySlice<UInt8>, rules: ASN1Rules) throws(ASN1Error) {
        guard bytes.count <= Limits.maximumContainerByteCount else {
            throw ASN1Error(
                .size, "larger than \(Limits.maximumContainerByteCount) bytes",
                at: bytes.startIndex)
        }
        self.init(content: bytes, rules: rules, depth: 0)
    }

    init(content: ArraySlice<UInt8>, rules: ASN1Rules, depth: Int) {
        rest = content
        self.rules = rules
        self.depth = depth
    }

    /// Reads a text that is exactly one element.
    ///
    /// - Throws: ``ASN1Error``; with the code `trailing` if bytes follow it.
    package static func only(
        _ tag: ASN1Tag, in bytes: ArraySlice<UInt8>, rules: ASN1Rules
    ) throws(ASN1Error) -> ASN1Element {
        var reader = try ASN1Reader(bytes, rules: rules)
        let element = try reader.next(tag)
        try reader.finish()
        return element
    }

    /// How many bytes are left.
    package var remainingByteCount: Int { rest.count }

    /// Whether no element is left.
    package var isAtEnd: Bool { rest.isEmpty }

    /// Takes the next element, or returns nil at the end.
    package mutating func next() throws(ASN1Error) -> ASN1Element? {
        guard !rest.isEmpty else { return nil }
        count += 1
        guard count <= Limits.maximumSiblingCount else {
            throw ASN1Error(
                .count, "more than \(Limits.maximumSiblingCount) elements side by side",
                at: rest.startIndex)
        }
        let header = try ASN1Header(at: rest, rules: rules)
        guard !header.isEndMarker else {
            throw ASN1Error(.tag, "end marker without a beginning", at: rest.startIndex)
        }
        let contentEnd: Int
        let end: Int
        if let length = header.length {
            contentEnd = header.contentStart + length
            end = contentEnd
        } else {
            contentEnd = try endOfContent(from: header.contentStart)
            end = contentEnd + Self.endMarkerByteCount
        }
        let element = ASN1Element(
            header: header, encoding: rest[..<end], contentEnd: contentEnd, rules: rules,
            depth: depth)
        rest = rest[end...]
        return element
    }

    /// Takes the next element, which must have the tag.
    package mutating func next(_ tag: ASN1Tag) throws(ASN1Error) -> ASN1Element {
        let offset = rest.startIndex
        guard let element = try next() else {
            throw ASN1Error(.unexpected, "end in place of \(tag)", at: offset)
        }
        try element.require(tag)
        return element
    }

    /// Takes the next element if it has the tag.
    package mutating func nextIfPresent(_ tag: ASN1Tag) throws(ASN1Error) -> ASN1Element? {
        guard let first = rest.first, ASN1Tag(identifier: first) == tag else { return nil }
        return try next()
    }

    /// Makes sure that nothing is left.
    package func finish() throws(ASN1Error) {
        guard rest.isEmpty else {
            throw ASN1Error(
                .trailing, "\(rest.count) bytes behind the last element", at: rest.startIndex)
        }
    }

    private static let endMarkerByteCount = 2

    /// Finds the end marker of an indefinite length, stepping over whole elements and counting how
    /// many such lengths are open.
    private func endOfContent(from start: Int) throws(ASN1Error) -> Int {
        var position = start
        var open = 1
        while true {
            let header = try ASN1Header(at: rest[position...], rules: rules)
            if header.isEndMarker {
                guard header.length == 0 else {
                    throw ASN1Error(.length, "end marker with content", at: position)
                }
                open -= 1
                if open == 0 { return position }
                position = header.contentStart
            } else if let length = header.length {
                position = header.contentStart + length
            } else {
                open += 1
                guard depth + open <= Limits.maximumNestingDepth else {
                    throw ASN1Error(
                        .depth, "nested deeper than \(Limits.maximumNestingDepth)", at: position)
                }
                position = header.contentStart
            }
        }
    }
}
