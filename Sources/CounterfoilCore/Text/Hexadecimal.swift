// SPDX-License-Identifier: Apache-2.0

/// Bytes as hexadecimal text.
public enum Hexadecimal {
    /// The bytes in lower case, two characters each.
    public static func text(of bytes: some Sequence<UInt8>) -> String {
        var characters: [UInt8] = []
        for byte in bytes {
            characters.append(digit(byte >> 4))
            characters.append(digit(byte & 15))
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// The bytes behind an even number of digits in either case, or nil.
    public static func bytes(of text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var pending: UInt8?
        for character in text.utf8 {
            guard let nibble = value(of: character) else { return nil }
            if let first = pending {
                bytes.append(first << 4 | nibble)
                pending = nil
            } else {
                pending = nibble
            }
        }
        return pending == nil ? bytes : nil
    }

    /// The digit of a value below sixteen, in lower case.
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    /// The value of one digit in either case, or nil.
    public static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
