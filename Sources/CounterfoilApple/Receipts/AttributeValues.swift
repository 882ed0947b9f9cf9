// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore
internal import CounterfoilTrust

/// Reads the values of attributes out of the payload's bytes.
///
/// Absent has three spellings, which all read as nil: no attribute, an empty text, and empty octets.
/// Each reader has a check beside it that finds the same faults without making a value.
struct AttributeValues {
    let bytes: UnsafeBufferPointer<UInt8>

    private static let integerTag: UInt8 = 0x02
    private static let utf8Tag: UInt8 = 0x0C
    private static let printableTag: UInt8 = 0x13
    private static let asciiTag: UInt8 = 0x16

    func integer(
        _ octets: Range<Int>, _ place: ReceiptPlace
    ) throws(ReceiptPayloadError) -> Int64? {
        guard !octets.isEmpty else { return nil }
        if let content = content(Self.integerTag, in: octets),
            let value = AttributeScanner.integer(content, of: bytes)
        {
            return value
        }
        do {
            return try element(octets).int64()
        } catch {
            throw place.error(expected: "an integer", actual: error.description)
        }
    }

    func text(
        _ octets: Range<Int>, _ place: ReceiptPlace
    ) throws(ReceiptPayloadError) -> String? {
        guard !octets.isEmpty else { return nil }
        if let content = plainText(in: octets),
            let text = String(validating: bytes[content], as: UTF8.self)
        {
            return text.isEmpty ? nil : text
        }
        do {
            let text = try element(octets).text()
            return text.isEmpty ? nil : text
        } catch {
            throw place.error(expected: "a text", actual: error.description)
        }
    }

    func identifier<Kind>(
        _ octets: Range<Int>, _ place: ReceiptPlace
    ) throws(ReceiptPayloadError) -> Identifier<Kind>? {
        guard let text = try text(octets, place) else { return nil }
        do {
            return try Identifier(text)
        } catch {
            throw place.error(expected: "an identifier", actual: "one that \(error.problem)")
        }
    }

    /// Finds what ``identifier(_:_:)`` would find wrong.
    func checkIdentifier<Kind: IdentifierKind>(
        _ octets: Range<Int>, _ place: ReceiptPlace, as kind: Kind.Type
    ) throws(ReceiptPayloadError) {
        // Plain ASCII without control characters and within the limit needs no closer look.
        if let content = plainText(in: octets), content.count <= kind.maximumByteCount {
            // Without a branch for each byte the compiler takes sixteen at a time.
            var strangers: UInt8 = 0
            for byte in slice(content) { strangers |= byte &- 0x20 < 0x5F ? 0 : 1 }
            if strangers == 0 { return }
        }
        let _: Identifier<Kind>? = try identifier(octets, place)
    }

    func date(
        _ octets: Range<Int>, _ place: ReceiptPlace
    ) throws(ReceiptPayloadError) -> Instant? {
        guard !octets.isEmpty else { return nil }
        if let content = plainText(in: octets) {
            if content.isEmpty { return nil }
            let text = slice(content)
            if let instant = Instant(wholeSecondsUTC: text) { return instant }
        }
        let text: ArraySlice<UInt8>
        do {
            text = try element(octets).textOctets()
        } catch {
            throw place.error(expected: "a date", actual: error.description)
        }
        guard !text.isEmpty else { return nil }
        if let instant = Instant(rfc3339: text) { return instant }
        let shown = String(decoding: text.prefix(Limits.quotedByteCount), as: UTF8.self)
        throw place.error(expected: "a date", actual: "\"\(shown)\"")
    }

    /// Finds what ``date(_:_:)`` would find wrong.
    func checkDate(_ octets: Range<Int>, _ place: ReceiptPlace) throws(ReceiptPayloadError) {
        if let content = plainText(in: octets) {
            let text = slice(content)
            if text.isEmpty || Instant.isWholeSecondsUTC(text) { return }
        }
        _ = try date(octets, place)
    }

    /// The value of an attribute that decides nothing: one of the wrong form reads as nil.
    func lenient<Value>(_ read: (AttributeValues) throws -> Value?) -> Value? {
        do { return try read(self) } catch { return nil }
    }

    /// The content of a text in plain encoding; what it holds is not looked at, but that IA5 and
    /// printable texts with bytes outside ASCII are left to the general reader.
    private func plainText(in octets: Range<Int>) -> Range<Int>? {
        guard !octets.isEmpty else { return nil }
        let tag = bytes[octets.lowerBound]
        guard tag == Self.utf8Tag || tag == Self.asciiTag || tag == Self.printableTag,
            let content = content(tag, in: octets)
        else { return nil }
        if tag == Self.utf8Tag { return content }
        var union: UInt8 = 0
        for byte in slice(content) { union |= byte }
        return union < 0x80 ? content : nil
    }

    private func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[range])
    }

    private func content(_ tag: UInt8, in octets: Range<Int>) -> Range<Int>? {
        let content = AttributeScanner.content(
            tag, at: octets.lowerBound, before: octets.upperBound, of: bytes)
        return content?.upperBound == octets.upperBound ? content : nil
    }

    /// The one element that the octets are, by the general reader.
    private func element(_ octets: Range<Int>) throws(ASN1Error) -> ASN1Element {
        try ASN1Reader.only(in: Array(bytes[octets])[...], rules: .basic)
    }
}
