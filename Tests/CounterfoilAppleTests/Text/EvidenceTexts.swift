// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import Testing

/// Field case 07: texts that a journey has damaged.
@Suite("The text of evidence")
struct EvidenceTexts {
    /// Stands for a receipt: begins with 0x30, and its base64 has plus signs, slashes and padding.
    private static let bytes: [UInt8] =
        [0x30, 0x82, 0x01, 0xF4]
        + (0..<493).map { UInt8(truncatingIfNeeded: $0 * 151 ^ ($0 >> 2)) } + [0xFB, 0xEF, 0xFE]
    private static let text = Base64.encode(bytes, .standard)

    private static func wrapped(_ text: String, width: Int, with separator: String) -> String {
        var lines: [String] = []
        var rest = Substring(text)
        while !rest.isEmpty {
            lines.append(String(rest.prefix(width)))
            rest = rest.dropFirst(width)
        }
        return lines.joined(separator: separator)
    }

    private static func replacing(_ character: Character, _ replacement: String) -> String {
        text.map { $0 == character ? replacement : String($0) }.joined()
    }

    struct Damage: CustomTestStringConvertible, Sendable {
        let name: String
        let text: String
        let repairs: Set<TextRepair>

        var testDescription: String { name }
    }

    private static let damages: [Damage] = [
        Damage(name: "none", text: text, repairs: []),
        Damage(name: "white space around", text: "\n  \(text)\r\n", repairs: []),
        Damage(
            name: "lines of 64", text: wrapped(text, width: 64, with: "\r\n"),
            repairs: [.lineBreaks]),
        Damage(
            name: "lines of 76", text: wrapped(text, width: 76, with: "\n"), repairs: [.lineBreaks]),
        Damage(name: "tabs", text: wrapped(text, width: 64, with: "\n\t"), repairs: [.lineBreaks]),
        Damage(
            name: "line breaks as spaces", text: wrapped(text, width: 64, with: " "),
            repairs: [.lineBreaks]),
        Damage(name: "plus signs as spaces", text: replacing("+", " "), repairs: [.plusSigns]),
        Damage(
            name: "plus signs as spaces in lines",
            text: wrapped(replacing("+", " "), width: 64, with: "\r\n"),
            repairs: [.plusSigns, .lineBreaks]),
        Damage(name: "no padding", text: replacing("=", ""), repairs: [.padding]),
        Damage(
            name: "the URL alphabet", text: Base64.encode(bytes, .url),
            repairs: [.urlAlphabet, .padding]),
        Damage(name: "escaped slashes", text: replacing("/", "\\/"), repairs: [.jsonEscapes]),
        Damage(
            name: "escaped plus signs", text: replacing("+", "\\u002b"), repairs: [.jsonEscapes]),
        Damage(
            name: "escaped line breaks", text: wrapped(text, width: 64, with: "\\r\\n"),
            repairs: [.jsonEscapes, .lineBreaks]),
        Damage(
            name: "percent escapes",
            text: text.map { ["+": "%2B", "/": "%2f", "=": "%3D"][$0] ?? String($0) }.joined(),
            repairs: [.percentEscapes]),
        Damage(name: "quotation marks", text: "\"\(text)\"", repairs: [.wrapping]),
        Damage(name: "a byte order mark", text: "\u{FEFF}\(text)", repairs: [.wrapping]),
    ]

    @Test("One receipt reads the same from every spelling", arguments: damages)
    func heals(damage: Damage) throws {
        let evidence = try Evidence(text: damage.text)
        #expect(evidence.kind == .appReceipt)
        #expect(evidence.bytes == Self.bytes)
        #expect(evidence.repairs == damage.repairs)
    }

    @Test("The material has what the damages need")
    func material() {
        #expect(Self.text.contains("+") && Self.text.contains("/") && Self.text.hasSuffix("="))
    }

    @Test("A receipt file is taken as it is")
    func file() throws {
        let evidence = try Evidence(Self.bytes)
        #expect(evidence.kind == .appReceipt && evidence.bytes == Self.bytes)
    }

    @Test(
        "A text that is no evidence is refused with the mistake's name",
        arguments: [
            ("", "text.present"), (" \r\n", "text.present"), ("\"\"", "text.present"),
            ("2000000000000001", "text.evidence"), ("AAA$", "text.alphabet"),
            ("MIIB\u{00E9}", "text.alphabet"), ("MIIB\\x", "text.alphabet"),
            ("MIIB%zz", "text.alphabet"), ("MI==IB", "text.padding"), ("MIIB=", "text.padding"),
            ("MIIBA", "text.length"), ("MIIBAf", "text.length"), ("AAAA", "text.kind"),
            ("MIIB QQ+/", "text.spaces"), ("{\"receipt-data\":\"MIIB\"}", "text.kind"),
            (Base64.encode(Array(text.utf8), .standard), "text.encoded-once"),
            (Base64.encode(Array("eyJ.eyJ.AAAA".utf8), .standard), "text.encoded-once"),
        ])
    func refusals(text: String, check: String) {
        let error = #expect(throws: EvidenceTextError.self) { try Evidence(text: text) }
        #expect(error?.check == check)
    }

    @Test("A text beyond 8 MB is refused unread")
    func size() {
        let error = #expect(throws: EvidenceTextError.self) {
            try Evidence([UInt8](repeating: UInt8(ascii: "A"), count: 8 << 20 + 1))
        }
        #expect(error?.check == "text.size")
    }

    @Test(
        "A JWS is told by its dots and keeps its text", arguments: ["a.b.c", "a.b", "eyJ.eyJ.x.y"])
    func jws(text: String) throws {
        let evidence = try Evidence(text: " \(text)\n")
        #expect(evidence.kind == .jws && evidence.bytes == Array(text.utf8))
    }

    @Test("A JWS in lines is not joined, since its signature is over the text itself")
    func wrappedJWS() throws {
        let evidence = try Evidence(text: "eyJh\r\n.eyJi\r\n.AA")
        #expect(evidence.bytes == Array("eyJh\r\n.eyJi\r\n.AA".utf8) && evidence.repairs.isEmpty)
    }

    @Test("A transaction receipt is told by its brace, encoded or not")
    func transactionReceipt() throws {
        let dictionary = "{\n\t\"signature\" = \"AA==\";\n\t\"purchase-info\" = \"ewp9\";\n}"
        let plain = try Evidence(text: dictionary)
        let encoded = try Evidence(text: Base64.encode(Array(dictionary.utf8), .standard))
        #expect(plain.kind == .transactionReceipt && plain == encoded)
    }
}
