// SPDX-License-Identifier: Apache-2.0

/// The tag and length in front of an element's content.
struct ASN1Header {
    let identifier: UInt8
    let contentStart: Int

    /// How many bytes the content has; nil where an end marker closes it.
    let length: Int?

    var tag: ASN1Tag { ASN1Tag(identifier: identifier) }
    var isConstructed: Bool { identifier & ASN1Tag.constructedBit != 0 }
    var isEndMarker: Bool { identifier == 0 }

    /// Eight length bytes already say more than memory holds.
    private static let maximumLengthByteCount = 8

    /// Reads the header at the front of `bytes` and makes sure that the content lies within them.
    init(at bytes: ArraySlice<UInt8>, rules: ASN1Rules) throws(ASN1Error) {
        let start = bytes.startIndex
        guard bytes.count >= 2 else {
            throw ASN1Error(.truncated, "no room for a tag and a length", at: start)
        }
        identifier = bytes[start]
        guard identifier & ASN1Tag.numberMask != ASN1Tag.numberMask else {
            throw ASN1Error(.tag, "tag number above 30", at: start)
        }
        let first = bytes[start + 1]
        switch first {
        case 0...0x7F:
            contentStart = start + 2
            length = Int(first)
        case 0x80:
            guard rules == .basic else {
                throw ASN1Error(.encoding, "indefinite length in DER", at: start)
            }
            guard identifier & ASN1Tag.constructedBit != 0 else {
                throw ASN1Error(.length, "indefinite length of a primitive element", at: start)
            }
            contentStart = start + 2
            length = nil
        default:
            contentStart = start + 2 + Int(first & 0x7F)
            length = try Self.longLength(bytes, byteCount: Int(first & 0x7F), rules)
        }
        guard let length else { return }
        guard length <= bytes.endIndex - contentStart else {
            throw ASN1Error(
                .truncated, "length \(length) reaches beyond the end of what holds it", at: start)
        }
        if rules == .distinguished, isConstructed, !tag.mayBeConstructedInDER {
            throw ASN1Error(.encoding, "\(tag) in pieces in DER", at: start)
        }
    }

    private static func longLength(
        _ bytes: ArraySlice<UInt8>, byteCount: Int, _ rules: ASN1Rules
    ) throws(ASN1Error) -> Int {
        let start = bytes.startIndex
        guard byteCount <= maximumLengthByteCount else {
            throw ASN1Error(.length, "length of \(byteCount) bytes", at: start)
        }
        guard byteCount <= bytes.count - 2 else {
            throw ASN1Error(.truncated, "the length is cut short", at: start)
        }
        var length: UInt64 = 0
        for byte in bytes[(start + 2)..<(start + 2 + byteCount)] {
            length = length << 8 | UInt64(byte)
        }
        if rules == .distinguished {
            let isShortest = length >= 0x80 && length >> (8 * UInt64(byteCount - 1)) != 0
            guard isShortest else {
                throw ASN1Error(.encoding, "length longer than needed in DER", at: start)
            }
        }
        guard let length = Int(exactly: length) else {
            throw ASN1Error(.length, "length beyond any memory", at: start)
        }
        return length
    }
}
