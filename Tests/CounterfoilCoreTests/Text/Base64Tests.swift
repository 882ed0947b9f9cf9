import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import CounterfoilCore

struct Base64IsStrict {
    /// RFC 4648 § 10.
    private static let published: [(String, String)] = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]

    private func decode(_ text: String, _ variant: Base64.Variant) -> [UInt8]? {
        Base64.decode(Array(text.utf8), variant)
    }

    @Test("The vectors of RFC 4648 hold in both variants", arguments: published)
    func publishedVectors(_ plain: String, _ encoded: String) {
        let unpadded = encoded.replacing("=", with: "")
        #expect(Base64.encode(Array(plain.utf8), .standard) == encoded)
        #expect(Base64.encode(Array(plain.utf8), .url) == unpadded)
        #expect(decode(encoded, .standard) == Array(plain.utf8))
        #expect(decode(unpadded, .url) == Array(plain.utf8))
    }

    @Test("The two last characters of the alphabets differ, and neither variant takes the other's")
    func alphabets() {
        #expect(Base64.encode([0xFB, 0xFF, 0xBF], .standard) == "+/+/")
        #expect(Base64.encode([0xFB, 0xFF, 0xBF], .url) == "-_-_")
        #expect(decode("+/+/", .standard) == [0xFB, 0xFF, 0xBF])
        #expect(decode("-_-_", .url) == [0xFB, 0xFF, 0xBF])
        #expect(decode("-_-_", .standard) == nil)
        #expect(decode("+/+/", .url) == nil)
    }

    @Test("Every length from 0 to 70 returns to the same bytes, in both variants")
    func everyLength() {
        var numbers = NumberSequence(seed: 3)
        for length in 0...70 {
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: numbers.next() ?? 0) }
            for variant in [Base64.Variant.standard, .url] {
                let text = Base64.encode(bytes, variant)
                #expect(decode(text, variant) == bytes)
                #expect(
                    text.utf8.count
                        == (variant == .standard ? (length + 2) / 3 * 4 : (length * 4 + 2) / 3))
            }
        }
    }

    @Test(
        "A stray bit behind the last byte is refused, so that one content has one text",
        arguments: ["Zh==", "Zm9=", "Zm8vYh==", "/////x==", "AAB="])
    func strayBits(_ text: String) {
        #expect(decode(text, .standard) == nil)
        #expect(decode(text.replacing("=", with: "").replacing("/", with: "_"), .url) == nil)
    }

    @Test(
        "Padding that is missing, too much or in the middle is refused",
        arguments: [
            "Zg", "Zg=", "Zg===", "Zm8", "Zm8==", "Zm9v=", "Zm9v====", "=", "==", "===", "====",
            "Zg==Zg==", "Z===", "=Zg=", "Zg==" + "A",
        ])
    func padding(_ text: String) {
        #expect(decode(text, .standard) == nil)
    }

    @Test(
        "The URL variant takes no padding and no text of length 4n + 1",
        arguments: ["Zg==", "Zm8=", "A", "Zm9vA", "="])
    func urlLengths(_ text: String) {
        #expect(decode(text, .url) == nil)
    }

    @Test("One character outside the alphabet is refused wherever it stands")
    func foreignCharacters() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for byte in UInt8.min...UInt8.max where !alphabet.contains(byte) {
            for position in 0..<8 {
                var text = Array("AAAAAAAA".utf8)
                text[position] = byte
                let isPadding = byte == UInt8(ascii: "=") && position == 7
                if (Base64.decode(text, .standard) != nil) != isPadding {
                    Issue.record("byte \(byte) at \(position)")
                }
                var short = Array("AAAAAAA".utf8)
                short[min(position, 6)] = byte
                let isURL = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                if !isURL, Base64.decode(short, .url) != nil {
                    Issue.record("byte \(byte) at \(position) of the URL variant")
                }
            }
        }
    }

    @Test("A collection without contiguous storage decodes alike")
    func otherCollections() {
        let text = Array("x".utf8) + Array("Zm9vYmE=".utf8)
        #expect(Base64.decode(text[1...], .standard) == Array("fooba".utf8))
        #expect(
            Base64.decode(text.reversed().reversed().dropFirst(), .standard) == Array("fooba".utf8))
        #expect(Base64.decode(text.lazy.map { $0 }.dropFirst(), .standard) == Array("fooba".utf8))
    }
}

struct HexadecimalText {
    @Test("Every byte is written in two lower-case digits and read in either case")
    func everyByte() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hexadecimal.text(of: bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.bytes(of: text) == bytes)
        #expect(Hexadecimal.bytes(of: text.uppercased()) == bytes)
    }

    @Test(
        "An odd number of digits and any other character are refused",
        arguments: ["0", "abc", "0g", "0x00", " 00", "00 ", "é", "00:00", "０0"])
    func refused(_ text: String) {
        #expect(Hexadecimal.bytes(of: text) == nil)
    }

    @Test("No text is no bytes")
    func empty() {
        #expect(Hexadecimal.bytes(of: "") == [])
        #expect(Hexadecimal.text(of: []) == "")
    }

    @Test("Exactly 22 characters are digits")
    func digits() {
        #expect((UInt8.min...UInt8.max).filter { Hexadecimal.value(of: $0) != nil }.count == 22)
        #expect(Hexadecimal.value(of: UInt8(ascii: "F")) == 15)
    }
}

struct ExactTexts {
    @Test("Equal bytes are equal and hash alike; equivalent ones are not equal")
    func equality() {
        let pieces = ["ab", "c"].joined()
        #expect(ExactText("abc") == ExactText(pieces))
        #expect(ExactText("abc").hashValue == ExactText(pieces).hashValue)
        #expect(ExactText("\u{E9}") != ExactText("e\u{301}"))
        #expect(ExactText("\u{C5}") != ExactText("\u{212B}"))
        #expect(Set(["K", "\u{212A}", "k"].map { ExactText($0) }).count == 3)
    }
}
