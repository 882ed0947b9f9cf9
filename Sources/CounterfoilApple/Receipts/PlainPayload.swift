// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilTrust

/// Writes a payload anew in plain encoding, for receipts such as Xcode's, whose lengths are indefinite
/// and whose values come in pieces; and says precisely what is wrong where nothing can be read.
enum PlainPayload {
    private static let setTag: UInt8 = 0x31
    private static let sequenceTag: UInt8 = 0x30
    private static let integerTag: UInt8 = 0x02
    private static let octetStringTag: UInt8 = 0x04
    private static let purchaseType: Int64 = 17

    /// The same attributes in the same order.
    static func bytes(of payload: ArraySlice<UInt8>) throws(ReceiptPayloadError) -> [UInt8] {
        var purchaseCount = 0
        return try set(payload, at: ReceiptPlace()) { type, octets throws(ReceiptPayloadError) in
            guard type == purchaseType else { return Array(octets) }
            purchaseCount += 1
            return try set(octets, at: ReceiptPlace(purchase: purchaseCount)) { Array($1) }
        }
    }

    private static func set(
        _ bytes: ArraySlice<UInt8>, at place: ReceiptPlace,
        value: (Int64, ArraySlice<UInt8>) throws(ReceiptPayloadError) -> [UInt8]
    ) throws(ReceiptPayloadError) -> [UInt8] {
        var content: [UInt8] = []
        for attribute in try attributes(of: bytes, at: place) {
            content += try element(
                sequenceTag,
                element(integerTag, integer(attribute.type))
                    + element(integerTag, integer(attribute.version))
                    + element(octetStringTag, value(attribute.type, attribute.octets)))
        }
        return element(setTag, content)
    }

    private static func attributes(
        of bytes: ArraySlice<UInt8>, at place: ReceiptPlace
    ) throws(ReceiptPayloadError) -> [ASN1Attribute] {
        do {
            var attributes: [ASN1Attribute] = []
            var elements = try ASN1Reader.only(.set, in: bytes, rules: .basic).children()
            while let attribute = try elements.nextAttribute() { attributes.append(attribute) }
            return attributes
        } catch {
            throw place.error(expected: "a SET of attributes", actual: error.description)
        }
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + length(content.count) + content
    }

    private static func length(_ count: Int) -> [UInt8] {
        count < 0x80
            ? [UInt8(count)]
            : [0x83] + (0..<3).map { UInt8(truncatingIfNeeded: count >> (16 - 8 * $0)) }
    }

    private static func integer(_ value: Int64) -> [UInt8] {
        var octets = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }[...]
        while octets.count > 1, let first = octets.first, first == 0 || first == 0xFF,
            (octets[octets.startIndex + 1] ^ first) & 0x80 == 0
        {
            octets.removeFirst()
        }
        return Array(octets)
    }
}
