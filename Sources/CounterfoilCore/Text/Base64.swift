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
        let encoded = bytes.withContiguousStorageIfAvailable { encodeContiguous($0, variant) }
        return encoded ?? Array(bytes).withUnsafeBufferPointer { encodeContiguous($0, variant) }
    }

    private static func encodeContiguous(
        _ bytes: UnsafeBufferPointer<UInt8>, _ variant: Variant
    ) -> String {
        let alphabet = variant == .standard ? standardAlphabet : urlAlphabet
        return String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { output in
            alphabet.withUnsafeBufferPointer { alphabet in
                encodeGroups(
                    bytes, alphabet: alphabet, isPadded: variant == .standard, into: output)
            }
        }
    }

    /// Returns how many characters were written.
    private static func encodeGroups(
        _ bytes: UnsafeBufferPointer<UInt8>, alphabet: UnsafeBufferPointer<UInt8>, isPadded: Bool,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var read = 0
        var write = 0
        while read + 3 <= bytes.count {
            let (a, b, c) = (bytes[read], bytes[read + 1], bytes[read + 2])
            output[write] = alphabet[Int(a >> 2)]
            output[write + 1] = alphabet[Int(a << 4 & 63 | b >> 4)]
            output[write + 2] = alphabet[Int(b << 2 & 63 | c >> 6)]
            output[write + 3] = alphabet[Int(c & 63)]
            read += 3
            write += 4
        }
        let rest = bytes.count - read
        guard rest > 0 else { return write }
        let (a, b) = (bytes[read], rest == 2 ? bytes[read + 1] : 0)
        output[write] = alphabet[Int(a >> 2)]
        output[write + 1] = alphabet[Int(a << 4 & 63 | b >> 4)]
        if rest == 2 { output[write + 2] = alphabet[Int(b << 2 & 63)] }
        write += rest + 1
        guard isPadded else { return write }
        while write % 4 != 0 {
            output[write] = UInt8(ascii: "=")
            write += 1
        }
        return write
    }
}
