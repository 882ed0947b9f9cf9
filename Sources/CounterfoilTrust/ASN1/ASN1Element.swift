// SPDX-License-Identifier: Apache-2.0

/// One element as it lies in the bytes that were read; nothing is copied.
package struct ASN1Element: Sendable {
    package let tag: ASN1Tag

    /// Whether the content is a row of elements.
    package let isConstructed: Bool

    /// The element as found: tag, length, content and, if it has one, end marker.
    package let encoding: ArraySlice<UInt8>

    private let contentRange: Range<Int>
    let rules: ASN1Rules
    private let depth: Int

    init(
        header: ASN1Header, encoding: ArraySlice<UInt8>, contentEnd: Int, rules: ASN1Rules,
        depth: Int
    ) {
        tag = header.tag
        isConstructed = header.isConstructed
        self.encoding = encoding
        contentRange = header.contentStart..<contentEnd
        self.rules = rules
        self.depth = depth
    }

    /// The content as found, without tag, length and end marker.
    package var content: ArraySlice<UInt8> { encoding[contentRange] }

    /// Where the element starts in the array that was read.
    package var offset: Int { encoding.startIndex }

    /// Reads the elements inside.
    ///
    /// - Throws: ``ASN1Error`` where this element holds none, or stands too deep.
    package func children() throws(ASN1Error) -> ASN1Reader {
        guard isConstructed else {
            throw ASN1Error(.unexpected, "\(tag) holds a value, not elements", at: offset)
        }
        guard depth < Limits.maximumNestingDepth else {
            throw ASN1Error(.depth, "nested deeper than \(Limits.maximumNestingDepth)", at: offset)
        }
        return ASN1Reader(content: content, rules: rules, depth: depth + 1)
    }

    /// The content of a primitive element.
    func primitiveContent() throws(ASN1Error) -> ArraySlice<UInt8> {
        guard !isConstructed else {
            throw ASN1Error(.unexpected, "\(tag) holds elements, not a value", at: offset)
        }
        return content
    }

    /// Makes sure that this is the element that its place asks for.
    package func require(_ expected: ASN1Tag) throws(ASN1Error) {
        guard tag == expected else {
            throw ASN1Error(.unexpected, "\(tag) in place of \(expected)", at: offset)
        }
    }
}
