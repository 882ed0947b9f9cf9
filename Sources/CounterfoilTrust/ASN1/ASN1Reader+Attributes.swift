// SPDX-License-Identifier: Apache-2.0

/// `SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`, of which receipts consist.
package struct ASN1Attribute: Sendable {
    package let type: Int64
    package let version: Int64

    /// The octets of the value, which usually are one more element.
    package let octets: ArraySlice<UInt8>
}

extension ASN1Reader {
    /// Takes the next element, which must be an attribute of a receipt, or returns nil at the end.
    ///
    /// It reads what the single calls would read, and makes no value for each of the parts: a large
    /// receipt has thousands of them.
    package mutating func nextAttribute() throws(ASN1Error) -> ASN1Attribute? {
        guard !isAtEnd else { return nil }
        var cursor = cursor
        let parts = try cursor.nextAttribute(in: bytes.span)
        self.cursor = cursor
        return ASN1Attribute(
            type: parts.type, version: parts.version, octets: try octets(of: parts.value))
    }

    private func octets(of value: ASN1Header) throws(ASN1Error) -> ArraySlice<UInt8> {
        guard value.isConstructed else { return bytes[positions: value.content] }
        // The value stands one level below the attribute.
        let place = ASN1Cursor(value.content, rules: cursor.rules, depth: cursor.depth + 1)
        return try ASN1Element(bytes: bytes, header: value, cursor: place).octets()
    }
}

extension ASN1Cursor {
    fileprivate struct AttributeParts {
        let type: Int64
        let version: Int64
        let value: ASN1Header
    }

    fileprivate mutating func nextAttribute(
        in bytes: Span<UInt8>
    ) throws(ASN1Error) -> AttributeParts {
        var fields = try inside(next(.sequence, in: bytes))
        let type = try fields.next(.integer, in: bytes).int64(in: bytes)
        let version = try fields.next(.integer, in: bytes).int64(in: bytes)
        let value = try fields.next(.octetString, in: bytes)
        try fields.finish()
        return AttributeParts(type: type, version: version, value: value)
    }
}
