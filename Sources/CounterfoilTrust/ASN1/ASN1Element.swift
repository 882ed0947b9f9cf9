// SPDX-License-Identifier: Apache-2.0

/// One element as it lies in the bytes that were read; nothing is copied.
package struct ASN1Element: Sendable {
    let bytes: ArraySlice<UInt8>
    let header: ASN1Header

    /// The place among the siblings, which knows rules and depth.
    let cursor: ASN1Cursor

    /// The class and number.
    package var tag: ASN1Tag { header.tag }

    /// Whether the content is a row of elements.
    package var isConstructed: Bool { header.isConstructed }

    /// The element's first byte, counted from the front of the text that was read.
    package var offset: Int { header.start }

    /// The element as found: tag, length, content and, if it has one, end marker.
    package var encoding: ArraySlice<UInt8> { bytes[positions: header.start..<header.end] }

    /// The content as found, without tag, length and end marker.
    package var content: ArraySlice<UInt8> { bytes[positions: header.content] }

    /// Reads the elements inside.
    ///
    /// - Throws: ``ASN1Error`` where this element holds none, or stands too deep.
    package func children() throws(ASN1Error) -> ASN1Reader {
        ASN1Reader(bytes, at: try cursor.inside(header))
    }

    /// The content of a primitive element.
    func primitiveContent() throws(ASN1Error) -> ArraySlice<UInt8> {
        try header.requirePrimitive()
        return content
    }

    /// Makes sure that this is the element that its place asks for.
    package func require(_ expected: ASN1Tag) throws(ASN1Error) {
        try header.require(expected)
    }
}

extension ArraySlice<UInt8> {
    /// The part at positions that count from the front of the slice, as those of headers do.
    subscript(positions range: Range<Int>) -> ArraySlice<UInt8> {
        self[(startIndex + range.lowerBound)..<(startIndex + range.upperBound)]
    }
}
