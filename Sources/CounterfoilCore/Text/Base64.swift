// SPDX-License-Identifier: Apache-2.0

/// Base64 (RFC 4648), strict: every deviation is refused here; healing is the caller's business.
public enum Base64 {
    /// The alphabet and padding of a text.
    public enum Variant: Sendable {
        /// `+` and `/`, padded with `=` to a multiple of four.
        case standard

        /// `-` and `_`, without padding, as JWS writes it.
        case url
    }

    private static let invalid: UInt8 = 0xFF
    private static let standardAlphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlAlphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let standardValues = values(of: standardAlphabet)
    private static let urlValues = values(of: urlAlphabet)

    private static func values(of alphabet: [UInt8]) -> [UInt8] {
        var table = [UInt8](repeating: invalid, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }

    /// Decodes the text, or returns nil if one character, the length, the padding or a stray bit
    /// behind the last byte is wrong.
    public static func decode(_ text: some Collection<UInt8>, _ variant: Variant) -> [UInt8]? {
        let decoded = text.withContiguousStorageIfAvailable { decodeContiguous($0, variant) }
        return decoded ?? Array(text).withUnsafeBufferPointer { decodeContiguous($0, variant) }
    }

    private static func decodeContiguous(
        _ text: UnsafeBufferPointer<UInt8>, _ variant: Variant
    ) -> [UInt8]? {
        var end = text.count
        if variant == .standard {
            guard end % 4 == 0 else { return nil }
            while end > 0, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        }
        let remainder = end % 4
        guard remainder != 1 else { return nil }
        let table = variant == .standard ? standardValues : urlValues
        let count = end / 4 * 3 + (remainder == 0 ? 0 : remainder - 1)
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            isValid = table.withUnsafeBufferPointer { table in
                decodeGroups(text, end: end, table: table, into: output)
            }
            initialized = isValid ? count : 0
        }
        return isValid ? bytes : nil
    }

    private static func decodeGroups(
        _ text: UnsafeBufferPointer<UInt8>, end: Int, table: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        var read = 0
        var write = 0
        var seen: UInt8 = 0
        while read + 4 <= end {
            let (a, b) = (table[Int(text[read])], table[Int(text[read + 1])])
            let (c, d) = (table[Int(text[read + 2])], table[Int(text[read + 3])])
            seen |= a | b | c | d
            output[write] = a << 2 | b >> 4
            output[write + 1] = b << 4 | c >> 2
            output[write + 2] = c << 6 | d
            read += 4
            write += 3
        }
        // Valid values use six bits, so one bad character shows in the top two of the union.
        guard seen < 64 else { return false }
        guard read < end else { return true }
        let (a, b) = (table[Int(text[read])], table[Int(text[read + 1])])
        let c = end - read == 3 ? table[Int(text[read + 2])] : 0
        guard a | b | c < 64 else { return false }
        output[write] = a << 2 | b >> 4
        guard end - read == 3 else { return b & 15 == 0 }
        output[write + 1] = b << 4 | c >> 2
        return c & 3 == 0
    }

    /// Encodes the bytes.
    public static func encode(_ bytes: some Collection<UInt8>, _ variant: Variant) -> String {
        let alphabet = variant == .standard ? standardAlphabet : urlAlphabet
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(buffer >> bits & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << (6 - bits) & 63)]) }
        if variant == .standard {
            while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
