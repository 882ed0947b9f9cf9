import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import CounterfoilCore

struct JSONIsWritten {
    @Test(
        "Without white space, members in their order, numbers as they came",
        arguments: [
            "null", "true", "false", "0", "-1.50e+7", "\"\"", "[]", "{}", "[1,[2,{}],\"a\"]",
            "{\"b\":1,\"a\":{\"c\":[null,true]}}", "12345678901234567890123",
        ])
    func compact(_ text: String) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)).text == text)
    }

    @Test(
        "Quotes, backslashes and control characters are escaped, nothing else is",
        arguments: [
            ("\"", #""\"""#), ("\\", #""\\""#), ("\n\r\t", #""\n\r\t""#),
            ("\0\u{1F}", #""\u0000\u001f""#),
            ("\u{8}\u{C}", #""\u0008\u000c""#), ("/", #""/""#),
            ("\u{7F}é\u{2028}\u{1F600}", "\"\u{7F}é\u{2028}\u{1F600}\""),
        ])
    func escapes(_ text: String, _ json: String) {
        #expect(JSONValue.string(text).text == json)
    }

    @Test("A name is escaped like a value")
    func names() {
        #expect(
            JSONValue.object(JSONObject([.init(key: "a\"\n", value: 1)])).text == #"{"a\"\n":1}"#)
    }

    @Test("Indented text has one value a line and no trailing space")
    func indented() {
        let value: JSONValue = ["a": 1, "b": [true, [], [:]], "c": ["d": "e"]]
        let text = String(decoding: value.indentedUTF8, as: UTF8.self)
        #expect(
            text == """
                {
                  "a": 1,
                  "b": [
                    true,
                    [],
                    {}
                  ],
                  "c": {
                    "d": "e"
                  }
                }
                """)
    }

    @Test("Every single scalar up to U+07FF returns, and so does a sweep of the rest")
    func roundTrip() throws {
        let rest = NumberSequence(seed: 4).prefix(2_000).compactMap {
            Unicode.Scalar(UInt32($0 % 0x11_0000))
        }
        let scalars = (UInt32(0)...0x7FF).compactMap(Unicode.Scalar.init) + rest
        for scalar in scalars {
            let value = JSONValue.string(String(Character(scalar)))
            #expect(try JSONValue(parsing: value.utf8) == value)
            #expect(try JSONValue(parsing: value.indentedUTF8) == value)
        }
    }
}

struct JSONObjectsAreLookedUp {
    @Test("Small and large objects find their members alike", arguments: [0, 1, 8, 9, 10, 100])
    func lookUp(_ count: Int) {
        var appended = JSONObject()
        for number in 0..<count { appended.append("k\(number)", .integer(number)) }
        let made = JSONObject((0..<count).map { .init(key: "k\($0)", value: .integer($0)) })
        #expect(appended == made)
        #expect(appended.keys == (0..<count).map { "k\($0)" })
        for number in 0..<count {
            #expect(appended["k\(number)"]?.int64 == Int64(number))
            #expect(made["k\(number)"]?.int64 == Int64(number))
        }
        #expect(made["k\(count)"] == nil)
        #expect(appended["k\(count)"] == nil)
    }

    @Test(
        "Of members with one name the first is found, in small and large objects",
        arguments: [2, 20])
    func firstWins(_ count: Int) {
        var object = JSONObject([.init(key: "a", value: 1)])
        for number in 1..<count { object.append(number == count - 1 ? "a" : "k\(number)", 2) }
        #expect(object["a"] == 1)
        #expect(object.hasDuplicateKeys)
    }

    @Test("A value of another kind is nil, not a guess")
    func kinds() {
        let one: JSONValue = 1
        #expect(one.string == nil && one.bool == nil && one.array == nil && one.object == nil)
        #expect(one["a"] == nil)
        #expect(JSONValue.string("1").int64 == nil)
        #expect(JSONValue.null.bool == nil)
        #expect(JSONValue.optional(nil) == .null)
        #expect(JSONValue.optional("a") == "a")
        let names = [.null, true, 1, "a", [], [:]].map(\JSONValue.kindName)
        #expect(names == ["null", "a boolean", "a number", "a string", "an array", "an object"])
    }
}
