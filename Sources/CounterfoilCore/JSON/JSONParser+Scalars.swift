// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
    // MARK: Strings

    mutating func string() throws(JSONError) -> String {
        let quote = text[position]
        position += 1
        let start = position
        var union: UInt8 = 0
        while let byte = peek, byte != UInt8(ascii: "\\"), byte >= 0x20 {
            if byte == quote {
                let plain = text[start..<position]
                position += 1
                // Nearly every string is ASCII, which needs no validation.
                return union < 0x80 ? String(decoding: plain, as: UTF8.self) : try validated(plain)
            }
            union |= byte
            position += 1
        }
        return try escapedString(from: start, quote: quote)
    }

    private mutating func escapedString(from start: Int, quote: UInt8) throws(JSONError) -> String {
        var bytes = Array(text[start..<position])
        while true {
            guard let byte = peek else { throw error(.syntax, "a string has no end") }
            position += 1
            if byte == quote { break }
            if byte == UInt8(ascii: "\\") {
                try appendEscape(to: &bytes)
            } else if byte < 0x20 {
                position -= 1
                throw error(.syntax, "a string holds a control character")
            } else {
                bytes.append(byte)
            }
        }
        return try validated(bytes[...])
    }

    private func validated(_ bytes: ArraySlice<UInt8>) throws(JSONError) -> String {
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw error(.encoding, "a string is not UTF-8")
        }
        return string
    }

    private mutating func appendEscape(to bytes: inout [UInt8]) throws(JSONError) {
        guard let byte = peek else { throw error(.syntax, "a string has no end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
        case UInt8(ascii: "'") where dialect == .json5: bytes.append(byte)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"): bytes.append(contentsOf: Character(try scalar()).utf8)
        default: throw error(.syntax, "an escape is unknown")
        }
    }

    private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
        let first = try codeUnit()
        guard (0xD800...0xDFFF).contains(first) else {
            guard let scalar = Unicode.Scalar(first) else {
                throw error(.encoding, "an escape is not a character")
            }
            return scalar
        }
        guard first < 0xDC00, take("\\"), take("u") else {
            throw error(.encoding, "an escape is half a surrogate pair")
        }
        let second = try codeUnit()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error(.encoding, "an escape is half a surrogate pair") }
        return scalar
    }

    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Hexadecimal.value(of: byte) else {
                throw error(.syntax, "an escape has four hexadecimal digits")
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    // MARK: Numbers

    mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        if dialect == .json5, take("+") { return try unsignedNumber(textFrom: position) }
        _ = take("-")
        return try unsignedNumber(textFrom: start)
    }

    private mutating func unsignedNumber(textFrom start: Int) throws(JSONError) -> JSONNumber {
        if dialect == .json5, let hexadecimal = try hexadecimalNumber(from: start) {
            return hexadecimal
        }
        let firstDigit = position
        guard skipDigits() > 0 else { throw error(.syntax, "a value is expected") }
        if text[firstDigit] == UInt8(ascii: "0"), position - firstDigit > 1 {
            throw error(.syntax, "a number begins with a needless zero")
        }
        var isInteger = true
        if take(".") {
            isInteger = false
            guard skipDigits() > 0 else { throw error(.syntax, "a digit follows the point") }
        }
        if take("e") || take("E") {
            isInteger = false
            if !take("+") { _ = take("-") }
            guard skipDigits() > 0 else { throw error(.syntax, "a digit is in the exponent") }
        }
        let number = String(decoding: text[start..<position], as: UTF8.self)
        return JSONNumber(text: number, int64: isInteger ? Int64(number) : nil)
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let byte = peek, byte &- UInt8(ascii: "0") < 10 { position += 1 }
        return position - start
    }

    private mutating func hexadecimalNumber(from start: Int) throws(JSONError) -> JSONNumber? {
        guard position + 1 < text.count, text[position] == UInt8(ascii: "0"),
            text[position + 1] | 0x20 == UInt8(ascii: "x")
        else { return nil }
        let isNegative = text[start] == UInt8(ascii: "-")
        position += 2
        let digits = position
        while let byte = peek, Hexadecimal.value(of: byte) != nil { position += 1 }
        let hexadecimal = String(decoding: text[digits..<position], as: UTF8.self)
        guard let value = Int64((isNegative ? "-" : "") + hexadecimal, radix: 16) else {
            throw error(.syntax, "a hexadecimal number has 1 to 16 digits and fits into 64 bits")
        }
        return JSONNumber(value)
    }
}
