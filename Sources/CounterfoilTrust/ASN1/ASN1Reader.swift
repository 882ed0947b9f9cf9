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
    let bytes: ArraySlice<UInt8>
    var cursor: ASN1Cursor

    /// Starts at the front of a text.
    ///
    /// - Throws: ``ASN1Error`` with the code `size` if it is larger than 4 MB.
    package init(_ bytes: ArraySlice<UInt8>, rules: ASN1Rules) throws(ASN1Error) {
        try Self.requireSize(bytes)
        self.init(bytes, at: ASN1Cursor(0..<bytes.count, rules: rules, depth: 0))
    }

    init(_ bytes: ArraySlice<UInt8>, at cursor: ASN1Cursor) {
        self.bytes = bytes
        self.cursor = cursor
    }

    private static func requireSize(_ bytes: ArraySlice<UInt8>) throws(ASN1Error) {
        guard bytes.count <= Limits.maximumContainerByteCount else {
            throw ASN1Error(
                .size, "larger than \(Limits.maximumContainerByteCount) bytes", at: 0)
        }
    }

    /// Reads a text that is exactly one element.
    ///
    /// - Throws: ``ASN1Error``; with the code `trailing` if bytes follow it.
    package static func only(
        in bytes: ArraySlice<UInt8>, rules: ASN1Rules
    ) throws(ASN1Error) -> ASN1Element {
        try requireSize(bytes)
        var cursor = ASN1Cursor(0..<bytes.count, rules: rules, depth: 0)
        guard !cursor.isAtEnd else { throw ASN1Error(.unexpected, "nothing", at: 0) }
        let header = try cursor.next(in: bytes.span)
        try cursor.finish()
        return ASN1Element(bytes: bytes, header: header, cursor: cursor)
    }

    /// Reads a text that is exactly one element, which must have the tag.
    package static func only(
        _ tag: ASN1Tag, in bytes: ArraySlice<UInt8>, rules: ASN1Rules
    ) throws(ASN1Error) -> ASN1Element {
        let element = try only(in: bytes, rules: rules)
        try element.require(tag)
        return element
    }

    /// How many bytes are left.
    package var remainingByteCount: Int { cursor.remainingByteCount }

    /// Whether no element is left.
    package var isAtEnd: Bool { cursor.isAtEnd }

    /// Takes the next element, or returns nil at the end.
    package mutating func next() throws(ASN1Error) -> ASN1Element? {
        guard !isAtEnd else { return nil }
        // A copy, since the span borrows the whole reader.
        var cursor = cursor
        let header = try cursor.next(in: bytes.span)
        self.cursor = cursor
        return ASN1Element(bytes: bytes, header: header, cursor: cursor)
    }

    /// Takes the next element, which must have the tag; takes nothing where it throws.
    package mutating func next(_ tag: ASN1Tag) throws(ASN1Error) -> ASN1Element {
        var cursor = cursor
        let header = try cursor.next(tag, in: bytes.span)
        self.cursor = cursor
        return ASN1Element(bytes: bytes, header: header, cursor: cursor)
    }

    /// Takes the next element if it has the tag.
    package mutating func nextIfPresent(_ tag: ASN1Tag) throws(ASN1Error) -> ASN1Element? {
        guard !isAtEnd, ASN1Tag(identifier: bytes.span[cursor.position]) == tag else { return nil }
        return try next()
    }

    /// Makes sure that nothing is left.
    package func finish() throws(ASN1Error) {
        try cursor.finish()
    }
}
