// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilHTTP

/// The head of a request as the library read it, before anybody trusts it.
struct RequestHead {
    var method = ""
    var target = ""
    var version = ""

    /// The first fields, up to one more than the limit.
    var fields: [HTTPHeaders.Field] = []

    /// The bytes of all names and values.
    private var fieldByteCount = 0

    /// The bytes of the target, all names and all values.
    var byteCount: Int { target.utf8.count + fieldByteCount }

    /// Whether the request line consists of exactly method, target and version.
    var hasPlainRequestLine = true

    /// Whether every field is one whole line: a valid name, and a value without control characters.
    var hasPlainFields = true

    /// The values of the fields that decide where the request ends, white space included.
    var contentLengths: [String] = []
    var transferEncodings: [String] = []

    var hostCount = 0
    var expectsContinue = false

    /// Adds a field; returns false when further ones need not be looked at.
    mutating func add(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        guard Self.isToken(name), Self.isPlainValue(value) else {
            hasPlainFields = false
            return false
        }
        fieldByteCount += name.count + value.count
        let nameText = String(decoding: name, as: UTF8.self)
        let valueText = String(decoding: Self.trimmed(value), as: UTF8.self)
        if fields.isEmpty { fields.reserveCapacity(Limits.usualHeaderCount) }
        fields.append(HTTPHeaders.Field(name: nameText, value: valueText))
        switch name.count {
        case 4 where Self.isName(name, "host"):
            hostCount += 1
        case 6 where Self.isName(name, "expect"):
            expectsContinue = valueText.lowercased() == "100-continue"
        case 14 where Self.isName(name, "content-length"):
            contentLengths.append(String(decoding: value, as: UTF8.self))
        case 17 where Self.isName(name, "transfer-encoding"):
            transferEncodings.append(String(decoding: value, as: UTF8.self))
        default:
            break
        }
        return isWithinLimits
    }

    /// Whether all fields were looked at.
    var isWithinLimits: Bool {
        fields.count <= Limits.headerCount && byteCount <= Limits.headByteCount
    }

    /// Whether the bytes are a token of RFC 9110 § 5.6.2, as methods and names must be.
    static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
    }

    /// Letters, digits and ``!#$%&'*+-.^_`|~`` as a bit for each ASCII code.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        let (low, high): (UInt64, UInt64) = (0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
        return (byte < 64 ? low >> byte : byte < 128 ? high >> (byte - 64) : 0) & 1 == 1
    }

    /// Whether the bytes spell a name that is given in lower case.
    private static func isName(_ bytes: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
        let expected = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return bytes.count == expected.count
            && zip(bytes, expected).allSatisfy { $0 | 0x20 == $1 }
    }

    private static func isPlainValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }),
            let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return bytes[0..<0] }
        return bytes[first...last]
    }
}
