// SPDX-License-Identifier: Apache-2.0

/// The class and number of an element, without the bit that says whether it holds others.
///
/// Numbers above 30 need more than one byte; nothing that Apple signs has them, so the reader
/// refuses them and one byte holds every tag.
package struct ASN1Tag: Hashable, Sendable, CustomStringConvertible {
    /// The identifier octet with the constructed bit cleared.
    package let identifier: UInt8

    init(identifier: UInt8) {
        self.identifier = identifier & ~ASN1Tag.constructedBit
    }

    static let constructedBit: UInt8 = 0x20
    static let numberMask: UInt8 = 0x1F

    package static let boolean = ASN1Tag(identifier: 0x01)
    package static let integer = ASN1Tag(identifier: 0x02)
    package static let bitString = ASN1Tag(identifier: 0x03)
    package static let octetString = ASN1Tag(identifier: 0x04)
    package static let null = ASN1Tag(identifier: 0x05)
    package static let objectIdentifier = ASN1Tag(identifier: 0x06)
    package static let utf8String = ASN1Tag(identifier: 0x0C)
    package static let sequence = ASN1Tag(identifier: 0x10)
    package static let set = ASN1Tag(identifier: 0x11)
    package static let printableString = ASN1Tag(identifier: 0x13)
    package static let ia5String = ASN1Tag(identifier: 0x16)
    package static let utcTime = ASN1Tag(identifier: 0x17)
    package static let generalizedTime = ASN1Tag(identifier: 0x18)

    /// The tag `[number]`.
    package static func contextSpecific(_ number: UInt8) -> ASN1Tag {
        precondition(number < numberMask, "only one-byte tags are read")
        return ASN1Tag(identifier: 0x80 | number)
    }

    /// Whether DER allows elements inside: the two collections and everything outside the universal
    /// class.
    var mayBeConstructedInDER: Bool {
        self == .sequence || self == .set || identifier & 0xC0 != 0
    }

    package var description: String {
        let number = identifier & Self.numberMask
        switch identifier & 0xC0 {
        case 0x00: return Self.names[self] ?? "UNIVERSAL \(number)"
        case 0x40: return "[APPLICATION \(number)]"
        case 0x80: return "[\(number)]"
        default: return "[PRIVATE \(number)]"
        }
    }

    private static let names: [ASN1Tag: String] = [
        .boolean: "BOOLEAN", .integer: "INTEGER", .bitString: "BIT STRING",
        .octetString: "OCTET STRING", .null: "NULL", .objectIdentifier: "OBJECT IDENTIFIER",
        .utf8String: "UTF8String", .sequence: "SEQUENCE", .set: "SET",
        .printableString: "PrintableString", .ia5String: "IA5String", .utcTime: "UTCTime",
        .generalizedTime: "GeneralizedTime",
    ]
}

/// Which encodings are taken.
package enum ASN1Rules: Sendable {
    /// Everything that X.690 allows in the basic rules: indefinite and overlong lengths, strings in
    /// pieces. Xcode's receipts need it.
    case basic

    /// The one encoding that the distinguished rules leave, for certificates. The order inside a SET
    /// is not checked: no decision hangs on it.
    case distinguished
}
