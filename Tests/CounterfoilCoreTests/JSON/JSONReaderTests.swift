import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import CounterfoilCore

private func parse(_ text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSONValue
{
    try JSONValue(parsing: Array(text.utf8), limits: limits)
}

private func fault(
    _ bytes: [UInt8], _ dialect: JSONDialect = .strict, limits: JSONLimits = JSONLimits()
) -> JSONError? {
    do throws(JSONError) {
        _ = try JSONValue(parsing: bytes, dialect: dialect, limits: limits)
        return nil
    } catch {
        return error
    }
}

struct StrictJSONFollowsRFC8259 {
    @Test(
        "Every kind of value is read",
        arguments: [
            ("null", .null), ("true", true), ("false", false), ("\"\"", ""), ("0", 0), ("-0", nil),
            ("[]", []), ("{}", [:]), (" \t\r\n1 \t\r\n", 1),
            ("[1,[2],{\"a\":3}]", [1, [2], ["a": 3]]),
            ("{\"\":\"\"}", ["": ""]), ("[ null , true ]", [.null, true]),
            ("{ \"a\" : { } }", ["a": [:]]),
            ("\"\u{7F}\u{80}\u{2028}\u{10FFFF}\"", "\u{7F}\u{80}\u{2028}\u{10FFFF}"),
        ] as [(String, JSONValue?)])
    func goodText(_ text: String, _ value: JSONValue?) throws {
        let read = try parse(text)
        if let value { #expect(read == value) }
    }

    @Test(
        "Every breach of the grammar is refused",
        arguments: [
            "", " ", "nul", "nulll", "True", "undefined", "NaN", "Infinity", "-", "+1", "--1", "01",
            "-01", "00",
            "1.", ".5", "1.e1", "1e", "1e+", "1E-", "0x10", "1 2", "1,", ",", "[", "]", "[1", "[1,",
            "[1,]", "[,1]",
            "[1 2]", "[1:2]", "{", "}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}",
            "{,}", "{a:1}",
            "{\"a\" 1}", "{\"a\",1}", "{1:2}", "{'a':1}", "{\"a\":1 \"b\":2}", "{null:1}", "'a'",
            "\"", "\"a", "\"\\",
            "\"\\\"", "\"\\x41\"", "\"\\'\"", "\"\\u\"", "\"\\u12\"", "\"\\u123\"", "\"\\u123g\"",
            "\"\\U0041\"",
            "\"\\u00 1\"", "\"\t\"", "\"\n\"", "\"\0\"", "\"\u{1F}\"", "// a\n1", "/* a */ 1",
            "1 // a", "[1]]", "{}}",
            "\u{FEFF}1", "\u{A0}1", "\u{B}1", "\u{C}1", "1\0", "１", "-\u{661}", "[\"a\"\"b\"]",
            "tru e", "<a/>",
        ])
    func badText(_ text: String) {
        #expect(fault(Array(text.utf8))?.code == .syntax)
    }

    @Test(
        "Escapes are undone",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u00E9""#, "Aéé"),
            (#""\u0000""#, "\0"), (#""\ud83d\ude00""#, "\u{1F600}"),
            (#""\uD800\uDC00""#, "\u{10000}"),
            (#""\udbff\udfff""#, "\u{10FFFF}"),
            (#""\uFFFF\ud7ff\ue000""#, "\u{FFFF}\u{D7FF}\u{E000}"),
            (#""a\u0062c""#, "abc"), (#""\\u0041""#, "\\u0041"), (#""é\né""#, "é\né"),
        ])
    func escapes(_ text: String, _ value: String) throws {
        #expect(try parse(text).string?.unicodeScalars.elementsEqual(value.unicodeScalars) == true)
    }

    @Test(
        "Half a surrogate pair is refused",
        arguments: [
            #"\ud800"#, #"\ud800x"#, #"\ud800\n"#, #"\ud800\u0041"#, #"\ud800\ud800"#, #"\udc00"#,
            #"\udc00\ud800"#, #"\udfff"#, #"\ud83d\\ude00"#,
        ])
    func surrogates(_ escape: String) {
        #expect(fault(Array("\"\(escape)\"".utf8))?.code == .encoding)
    }

    @Test(
        "A string that is not UTF-8 is refused, as value and as name",
        arguments: [
            [0x80], [0xFF], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xC3], [0xE2, 0x82],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
            [0x61, 0xC3, 0x28],
        ] as [[UInt8]])
    func invalidUTF8(_ bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(fault([quote] + bytes + [quote])?.code == .encoding)
        #expect(fault(Array("\"\\n".utf8) + bytes + [quote])?.code == .encoding)
        #expect(fault(Array("{\"".utf8) + bytes + Array("\":1}".utf8))?.code == .encoding)
    }

    @Test("A byte that is not ASCII outside a string is a syntax error")
    func foreignBytes() {
        #expect(fault([0xC3, 0xA9])?.code == .syntax)
        #expect(fault([0xEF, 0xBB, 0xBF, 0x31])?.code == .syntax)
        #expect(fault([0xFE, 0xFF, 0x00, 0x31])?.code == .syntax)
    }

    @Test("Every proper beginning of a document is refused, none of them traps")
    func truncation() {
        let text = Array(
            #"{"a":[1,-2.5e+3,"x\u00e9\ud83d\ude00",true,false,null],"b":{"c":{}}}"#.utf8)
        #expect(fault(text) == nil)
        for length in 0..<text.count {
            if fault(Array(text.prefix(length))) == nil {
                Issue.record("\(length) bytes were enough")
            }
        }
    }

    @Test("No single changed byte traps, in either dialect")
    func mutation() {
        let text = Array(#"{"a":[1,-2.5e+3,"\u00e9\ud83d\ude00",0x1f,+7],/* c */'b':true,}"#.utf8)
        for position in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[position] = byte
                _ = fault(changed, .strict)
                _ = fault(changed, .json5)
            }
        }
    }

    @Test("A collection without contiguous storage is read alike")
    func otherCollections() throws {
        let bytes = Array("[1,2]".utf8)
        #expect(try JSONValue(parsing: bytes.lazy.map { $0 }) == [1, 2])
        #expect(try JSONValue(parsing: bytes[...]) == [1, 2])
    }
}

struct JSONNumbersLoseNothing {
    @Test(
        "Integers of 64 bits are exact, others keep their text",
        arguments: [
            ("0", 0), ("-0", 0), ("9007199254740993", 9_007_199_254_740_993),
            ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil),
            ("18446744073709551615", nil),
            ("1.0", nil), ("1e3", nil), ("1E400", nil), ("-1.5e-400", nil), ("0.1", nil),
            ("0e0", nil),
            (String(repeating: "9", count: 5_000), nil),
        ] as [(String, Int64?)])
    func integers(_ text: String, _ value: Int64?) throws {
        let number = try parse(text)
        #expect(number.int64 == value)
        #expect(number.text == text)
    }

    @Test(
        "The integer part of a fraction is cut off, not rounded",
        arguments: [
            ("1598979529000.999", 1_598_979_529_000), ("-1.9", -1), ("-0.5", 0), ("7", 7),
            ("9223372036854775807.5", Int64.max), ("9223372036854775808.5", nil), ("1.5e3", nil),
            ("1e3", nil),
            ("99999999999999999999", nil),
        ] as [(String, Int64?)])
    func truncation(_ text: String, _ value: Int64?) throws {
        guard case .number(let number) = try parse(text) else { throw CancellationError() }
        #expect(number.truncated == value)
    }

    @Test("An integer of any width becomes a number without a trap")
    func wideIntegers() {
        #expect(JSONValue.integer(UInt64.max).text == "18446744073709551615")
        #expect(JSONValue.integer(UInt64.max).int64 == nil)
        #expect(JSONValue.integer(Int64.min).int64 == .min)
        #expect(JSONValue.integer(UInt8(7)) == 7)
    }
}

struct JSONIsLimited {
    @Test("Nesting up to the limit passes, one level more does not, however it is mixed")
    func depth() {
        func nested(_ depth: Int) -> [UInt8] {
            let open = (0..<depth).map { $0 % 2 == 0 ? "[" : "{\"a\":" }.joined()
            let close = (0..<depth).reversed().map { $0 % 2 == 0 ? "]" : "}" }.joined()
            return Array((open + (depth % 2 == 0 ? "1" : "") + close).utf8)
        }
        #expect(fault(nested(32)) == nil)
        #expect(fault(nested(33))?.code == .depth)
        #expect(fault(nested(5), limits: JSONLimits(maximumDepth: 5)) == nil)
        #expect(fault(nested(6), limits: JSONLimits(maximumDepth: 5))?.code == .depth)
    }

    @Test("A bomb of brackets is refused at the limit, not at the end of the stack")
    func bomb() {
        #expect(fault(Array(repeating: UInt8(ascii: "["), count: 1 << 20))?.code == .depth)
    }

    @Test("The length and the number of values are bounded")
    func sizes() {
        let text = Array("[1,2,3]".utf8)
        #expect(fault(text, limits: JSONLimits(maximumByteCount: 7, maximumValueCount: 4)) == nil)
        #expect(fault(text, limits: JSONLimits(maximumByteCount: 6))?.code == .size)
        #expect(fault(text, limits: JSONLimits(maximumValueCount: 3))?.code == .count)
        #expect(fault(Array(" 1".utf8), limits: JSONLimits(maximumByteCount: 1))?.code == .size)
    }

    @Test("A member named twice is refused, also by another spelling of the same name")
    func duplicates() {
        #expect(fault(Array(#"{"a":1,"a":1}"#.utf8))?.code == .duplicateKey)
        #expect(fault(Array(#"{"a":1,"\u0061":2}"#.utf8))?.code == .duplicateKey)
        #expect(fault(Array(#"{"x":{"a":1,"b":2,"a":3}}"#.utf8))?.code == .duplicateKey)
        let many = (0..<20).map { "\"k\($0)\":1" }.joined(separator: ",")
        #expect(fault(Array("{\(many)}".utf8)) == nil)
        #expect(fault(Array("{\(many),\"k7\":1}".utf8))?.code == .duplicateKey)
    }

    @Test("Equivalent names of other bytes are two members")
    func equivalentNames() throws {
        let object = try parse("{\"K\":1,\"\u{212A}\":2}")
        #expect(object["K"] == 1)
        #expect(object["\u{212A}"] == 2)
    }
}

struct JSONFaultsNameTheirPlace {
    @Test(
        "Line and byte are counted from one",
        arguments: [
            ("", 1, 1), ("x", 1, 1), ("\n\n x", 3, 2), ("[1,\n2,\n}", 3, 1),
            ("{\"a\":\n tru}", 2, 2),
            ("[1] x", 1, 5), ("\"é\u{1}\"", 1, 4),
        ])
    func places(_ text: String, _ line: Int, _ column: Int) throws {
        let error = try #require(fault(Array(text.utf8)))
        #expect(error.line == line)
        #expect(error.column == column)
    }

    @Test("The description tells place and fault and repeats nothing of the document")
    func description() throws {
        let error = try #require(fault(Array("[secret]".utf8)))
        #expect("\(error)" == "line 1, column 2: a value is expected")
    }

    @Test("Every code has a stable name of its own")
    func codes() {
        let codes: [JSONError.Code] = [.syntax, .encoding, .depth, .size, .count, .duplicateKey]
        #expect(
            codes.map(\.name) == [
                "json.syntax", "json.encoding", "json.depth", "json.size", "json.count",
                "json.duplicate_key",
            ])
    }
}
