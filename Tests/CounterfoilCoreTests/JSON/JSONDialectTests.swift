import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import CounterfoilCore

struct PeopleMayWriteJSON5 {
    private func parse(_ text: String) throws(JSONError) -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), dialect: .json5)
    }

    @Test(
        "Comments, trailing commas, bare names, single quotes, signs and hexadecimal are read",
        arguments: [
            ("// a\n1", 1), ("1 // a", 1), ("1 /* a\n * b */", 1), ("/**/1", 1), ("/* // */ 1", 1),
            ("[1,2,]", [1, 2]), ("[1, /* a */]", [1]), ("{a:1,}", ["a": 1]),
            ("{$a_1:1}", ["$a_1": 1]),
            ("{'a b':'c\"d'}", ["a b": "c\"d"]), ("'it\\'s'", "it's"), ("\"it's\"", "it's"),
            ("+7", 7),
            ("0x1F", 31), ("-0x1f", -31), ("+0xA", 10), ("0X10", 16),
            ("0x7fffffffffffffff", .integer(Int64.max)),
            ("-0x8000000000000000", .integer(Int64.min)), ("\u{FEFF}{}", [:]),
            ("{null:1,true:2}", ["null": 1, "true": 2]),
            ("{2:1}", ["2": 1]),
        ] as [(String, JSONValue)])
    func goodText(_ text: String, _ value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test("A plus sign and hexadecimal digits never reach the writer")
    func numbersAreRewritten() throws {
        #expect(try parse("[+7,0xff,-0x10]").text == "[7,255,-16]")
    }

    @Test(
        "What is refused in JSON5 too",
        arguments: [
            "", "/", "/*", "/* *", "// a", "/ /1", "[,]", "[1,,]", "{,}", "{a:1,,}", "{a b:1}",
            "{a-b:1}", "{é:1}",
            "0x", "-0x", "0xg", "0x8000000000000000", "0x10000000000000000", "0x-1", "+-1", "-+1",
            "++1", "+", ".5", "5.",
            "Infinity", "NaN", "'a", "'a\"", "\"a\\\nb\"", "\"\\x41\"", "01", "[1 2]", "{a}",
            "{:1}", "1 \u{FEFF}", "+0x",
        ])
    func badText(_ text: String) {
        #expect(throws: JSONError.self) { try parse(text) }
    }

    @Test("Duplicates and limits hold here too")
    func limits() {
        #expect(throws: JSONError.self) { try parse("{a:1,'a':2}") }
        #expect(throws: JSONError.self) { try parse(String(repeating: "[", count: 40)) }
    }
}

struct DocumentsRememberLines {
    private let text = """
        // a catalogue
        {
          version: 1,
          products: [
            { id: "a" },
            {
              id: "b",
              goods: [
                { unit: "gem", amount: 5 },
              ],
            },
          ],
        }
        """

    @Test(
        "A value's line is found by its path",
        arguments: [
            ("", 2), ("version", 3), ("products", 4), ("products[0]", 5), ("products[0].id", 5),
            ("products[1]", 6), ("products[1].id", 7), ("products[1].goods[0].amount", 9),
        ])
    func lines(_ path: String, _ line: Int) throws {
        let document = try JSONDocument(parsing: Array(text.utf8), dialect: .json5)
        #expect(document.line(at: path) == line)
    }

    @Test(
        "A missing value is looked for around its place",
        arguments: [
            ("products[1].price", 6), ("products[1].goods[0].bonus", 9), ("products[7]", 4),
            ("nothing", 2), ("a.b[1]", 2),
        ])
    func nearestLines(_ path: String, _ line: Int) throws {
        let document = try JSONDocument(parsing: Array(text.utf8), dialect: .json5)
        #expect(document.line(at: path) == line)
    }

    @Test("The content is the same as without lines")
    func content() throws {
        let document = try JSONDocument(parsing: Array(text.utf8), dialect: .json5)
        #expect(try document.value == JSONValue(parsing: Array(text.utf8), dialect: .json5))
    }
}
