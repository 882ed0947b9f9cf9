// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilTrust

/// One attribute of a receipt as it lies in the payload.
public struct ReceiptAttribute: Hashable, Sendable {
    /// What the attribute says, by Apple's number.
    public let type: Int64

    /// Apple's version of the attribute; it means nothing.
    public let version: Int64

    /// The value's octets, which usually are one more ASN.1 value.
    public let octets: ArraySlice<UInt8>

    /// What the octets are, told by themselves.
    public enum Value: Hashable, Sendable {
        /// A UTF8String.
        case text(String)

        /// An IA5String.
        case asciiText(String)

        /// A PrintableString.
        case printableText(String)

        /// An INTEGER of at most 64 bits.
        case integer(Int64)

        /// Anything else.
        case opaque
    }

    /// Reads the octets; whatever is no text and no integer is opaque.
    public var value: Value {
        do {
            let element = try ASN1Reader.only(in: octets, rules: .basic)
            switch element.tag {
            case .utf8String: return .text(try element.text())
            case .ia5String: return .asciiText(try element.text())
            case .printableString: return .printableText(try element.text())
            case .integer: return .integer(try element.int64())
            default: return .opaque
            }
        } catch {
            return .opaque
        }
    }
}
