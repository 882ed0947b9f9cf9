// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// One numbered value of a receipt or of a purchase in it.
public struct ReceiptAttribute: Hashable, Sendable {
    /// The number that says what the value means.
    public var type: Int64

    /// 1 everywhere but for type 4, where the App Store writes 2; without meaning.
    public var version: Int64

    /// The octets of the value; mostly one more ASN.1 value with tag and length.
    public var value: [UInt8]

    /// Makes an attribute of any type.
    public init(type: Int64, version: Int64 = 1, value: [UInt8]) {
        self.type = type
        self.version = version
        self.value = value
    }

    static func utf8(_ type: Int64, _ text: String) -> ReceiptAttribute {
        ReceiptAttribute(type: type, value: DER.utf8(text))
    }

    static func integer(_ type: Int64, _ number: Int64) -> ReceiptAttribute {
        ReceiptAttribute(type: type, value: DER.integer(number))
    }

    /// A date; nil writes the empty string that the App Store writes for "none".
    static func date(_ type: Int64, _ instant: Instant?) -> ReceiptAttribute {
        ReceiptAttribute(type: type, value: instant.map(DER.receiptDate) ?? DER.ia5(""))
    }

    /// The SET OF SEQUENCE that a list of attributes is encoded as.
    package static func encoded(
        _ attributes: [ReceiptAttribute], isSorted: Bool = true
    ) -> [UInt8] {
        let elements = attributes.map {
            DER.sequence(
                DER.integer($0.type), DER.integer($0.version), DER.octetString($0.value))
        }
        return isSorted
            ? DER.set(elements) : DER.value(DER.setTag, Array(elements.joined()))
    }
}
