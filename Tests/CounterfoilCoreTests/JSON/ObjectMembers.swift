// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import Testing

struct ObjectMembers {
    /// Names of one length that have their first, middle and last byte in common.
    private static let similar = (0..<100).map { "name\(100 + $0)name\(100 + $0 % 10)x" }

    @Test(
        "Similar names are told apart in objects of every size", arguments: [2, 8, 63, 64, 65, 99])
    func similarNames(count: Int) throws {
        var object = JSONObject()
        for (index, name) in Self.similar.prefix(count).enumerated() {
            object.append(name, .integer(index))
        }
        for (index, name) in Self.similar.enumerated() {
            #expect(object[name] == (index < count ? .integer(index) : nil))
        }
        let text = JSONValue.object(object).utf8
        #expect(try JSONValue(parsing: text) == .object(object))
        #expect(JSONObject(object.members)[Self.similar[count - 1]] == .integer(count - 1))
    }

    @Test("A name that comes twice is found by its first value, and refused when it is read")
    func duplicates() {
        for count in [1, 30, 64, 90] {
            var object = JSONObject()
            for name in Self.similar.prefix(count) { object.append(name, "first") }
            object.append(Self.similar[count - 1], "second")
            #expect(object[Self.similar[count - 1]] == "first")
            let text = JSONValue.object(object).utf8
            #expect {
                try JSONValue(parsing: text)
            } throws: {
                ($0 as? JSONError)?.code == .duplicateKey
            }
        }
    }

    @Test("Names that look alike but differ in bytes are different names")
    func canonicalEquivalence() {
        var object = JSONObject()
        object.append("caf\u{E9}", 1)
        object.append("cafe\u{301}", 2)
        object.append("", 3)
        #expect(object["caf\u{E9}"] == 1)
        #expect(object["cafe\u{301}"] == 2)
        #expect(object[""] == 3)
    }
}
