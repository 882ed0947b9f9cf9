// SPDX-License-Identifier: Apache-2.0

extension ASN1Element {
    /// The truth value; DER knows only 00 and FF.
    package func bool() throws(ASN1Error) -> Bool {
        try require(.boolean)
        let content = try primitiveContent()
        guard content.count == 1, let byte = content.first else {
            throw ASN1Error(.value, "BOOLEAN of \(content.count) bytes", at: offset)
        }
        if cursor.rules == .distinguished, byte != 0, byte != 0xFF {
            throw ASN1Error(.encoding, "BOOLEAN \(byte) in DER", at: offset)
        }
        return byte != 0
    }

    /// The octets of an INTEGER: two's complement, big-endian, the shortest form.
    package func integerOctets() throws(ASN1Error) -> ArraySlice<UInt8> {
        try header.requireInteger(in: bytes.span)
        return content
    }

    /// The INTEGER, where it fits.
    ///
    /// - Throws: ``ASN1Error`` with the code `value` for one beyond 64 bits.
    package func int64() throws(ASN1Error) -> Int64 {
        try header.int64(in: bytes.span)
    }

    /// The OBJECT IDENTIFIER.
    package func objectIdentifier() throws(ASN1Error) -> OID {
        try require(.objectIdentifier)
        guard let oid = OID(contentOctets: try primitiveContent()) else {
            throw ASN1Error(.value, "no object identifier", at: offset)
        }
        return oid
    }

    /// The octets of an OCTET STRING; only one in several pieces is copied, to join it.
    package func octets() throws(ASN1Error) -> ArraySlice<UInt8> {
        try require(.octetString)
        return try joinedContent()
    }

    /// The bytes of a BIT STRING of whole bytes, as keys and signatures are.
    package func bitStringOctets() throws(ASN1Error) -> ArraySlice<UInt8> {
        let (octets, unusedBitCount) = try bits()
        guard unusedBitCount == 0 else {
            throw ASN1Error(.value, "BIT STRING of broken bytes", at: offset)
        }
        return octets
    }

    /// The bytes of a BIT STRING, the first bit on top, and how many bits of the last are no part.
    package func bits() throws(ASN1Error) -> (octets: ArraySlice<UInt8>, unusedBitCount: Int) {
        try require(.bitString)
        let content = try primitiveContent()
        guard let unused = content.first, unused < 8, unused == 0 || content.count > 1 else {
            throw ASN1Error(.value, "BIT STRING with a wrong count of unused bits", at: offset)
        }
        return (content.dropFirst(), Int(unused))
    }

    /// Whether the element is one of the text types that ``text()`` reads.
    package var isText: Bool {
        tag == .utf8String || tag == .ia5String || tag == .printableString
    }

    /// The text of a UTF8String, IA5String or PrintableString.
    ///
    /// - Throws: ``ASN1Error`` for another type, invalid UTF-8, or bytes outside ASCII in the latter
    ///   two.
    package func text() throws(ASN1Error) -> String {
        if let text = asciiText { return text }
        let octets = try textOctets()
        guard let text = String(validating: octets, as: UTF8.self) else {
            throw ASN1Error(.value, "\(tag) that is not UTF-8", at: offset)
        }
        return text
    }

    /// The text of the usual element: whole and ASCII, for which the general way is needlessly slow.
    private var asciiText: String? {
        guard isText, !isConstructed else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            let content = UnsafeBufferPointer(rebasing: bytes[header.content])
            let union = content.reduce(0) { $0 | $1 }
            return union < 0x80 ? String(decoding: content, as: UTF8.self) : nil
        }
    }

    /// The bytes of a text, for values such as dates that need no `String`.
    package func textOctets() throws(ASN1Error) -> ArraySlice<UInt8> {
        guard isText else { throw ASN1Error(.unexpected, "\(tag) in place of text", at: offset) }
        let octets = try joinedContent()
        guard tag == .utf8String || octets.allSatisfy({ $0 < 0x80 }) else {
            throw ASN1Error(.value, "\(tag) with bytes outside ASCII", at: offset)
        }
        return octets
    }

    /// The content of a string, whose pieces (X.690 § 8.21) are OCTET STRINGs whatever the string is.
    private func joinedContent() throws(ASN1Error) -> ArraySlice<UInt8> {
        guard isConstructed else { return content }
        var pieces = try children()
        guard let first = try pieces.next() else { return [] }
        let start = try first.octets()
        if pieces.isAtEnd { return start }
        var joined = Array(start)
        while let piece = try pieces.next() { joined += try piece.octets() }
        return joined[...]
    }
}
