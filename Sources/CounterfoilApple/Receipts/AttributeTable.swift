// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore
internal import CounterfoilTrust

/// The attributes of one SET by number, for reading typed values out of them.
///
/// Absent has three spellings, which all read as nil: no attribute, an empty text, and empty octets.
struct AttributeTable {
    private let place: String
    private let known: ClosedRange<Int64>
    private(set) var attributes: [ReceiptAttribute] = []

    /// The position of each known attribute in ``attributes``.
    private var positions: [Int]

    /// - Parameters:
    ///   - place: Put in front of the attribute's name in errors.
    ///   - known: The numbers that Apple gives out once per SET; others may repeat.
    init(place: String, known: ClosedRange<Int64>) {
        self.place = place
        self.known = known
        positions = Array(repeating: -1, count: known.count)
    }

    /// Adds the attribute.
    ///
    /// - Throws: ``ReceiptPayloadError`` if a known one comes a second time: two readers could each
    ///   trust another copy.
    mutating func append(_ attribute: ReceiptAttribute) throws(ReceiptPayloadError) {
        if known.contains(attribute.type) {
            let slot = Int(attribute.type - known.lowerBound)
            guard positions[slot] < 0 else {
                throw error(attribute.type, expected: "one attribute", actual: "two")
            }
            positions[slot] = attributes.count
        }
        attributes.append(attribute)
    }

    /// The octets of an attribute; nil where it is missing or has none.
    func octets(_ type: Int64) -> ArraySlice<UInt8>? {
        let position = positions[Int(type - known.lowerBound)]
        guard position >= 0 else { return nil }
        let octets = attributes[position].octets
        return octets.isEmpty ? nil : octets
    }

    /// The text of an attribute.
    func text(_ type: Int64) throws(ReceiptPayloadError) -> String? {
        guard let octets = octets(type) else { return nil }
        do {
            let text = try Self.only(octets).text()
            return text.isEmpty ? nil : text
        } catch {
            throw self.error(type, expected: "a text", actual: error.description)
        }
    }

    func integer(_ type: Int64) throws(ReceiptPayloadError) -> Int64? {
        guard let octets = octets(type) else { return nil }
        do {
            return try Self.only(octets).int64()
        } catch {
            throw self.error(type, expected: "an integer", actual: error.description)
        }
    }

    func flag(_ type: Int64) throws(ReceiptPayloadError) -> Bool? {
        try integer(type).map { $0 != 0 }
    }

    func date(_ type: Int64) throws(ReceiptPayloadError) -> Instant? {
        guard let octets = octets(type) else { return nil }
        let text: ArraySlice<UInt8>
        do {
            text = try Self.only(octets).textOctets()
        } catch {
            throw self.error(type, expected: "a date", actual: error.description)
        }
        guard !text.isEmpty else { return nil }
        if let instant = Instant(rfc3339: text) { return instant }
        let shown = String(decoding: text.prefix(Limits.quotedByteCount), as: UTF8.self)
        throw error(type, expected: "a date", actual: "\"\(shown)\"")
    }

    func identifier<Kind>(_ type: Int64) throws(ReceiptPayloadError) -> Identifier<Kind>? {
        guard let text = try text(type) else { return nil }
        do {
            return try Identifier(text)
        } catch {
            throw self.error(type, expected: "an identifier", actual: "one that \(error.problem)")
        }
    }

    /// The value of an attribute that decides nothing; one of the wrong form reads as nil and stays in
    /// ``attributes``.
    func lenient<Value>(_ read: (AttributeTable) throws -> Value?) -> Value? {
        do { return try read(self) } catch { return nil }
    }

    private static func only(_ octets: ArraySlice<UInt8>) throws(ASN1Error) -> ASN1Element {
        try ASN1Reader.only(in: octets, rules: .basic)
    }

    private func error(_ type: Int64, expected: String, actual: String) -> ReceiptPayloadError {
        ReceiptPayloadError(
            place: "\(place)attribute \(type)", expected: expected, actual: actual)
    }
}
