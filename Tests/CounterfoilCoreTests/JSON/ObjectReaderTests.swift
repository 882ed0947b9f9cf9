import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import CounterfoilCore

struct DocumentFaultsAreNamed {
    private enum Colour: String, CaseIterable { case red, green }

    private func read(
        _ json: JSONValue, path: String = "", _ body: (inout ObjectReader) -> Void
    ) -> [String] {
        let findings = DocumentFindings()
        var reader = ObjectReader(json, path: path, findings: findings)
        body(&reader)
        reader.finish()
        return findings.all.map(\.description)
    }

    @Test("Good members are read without a finding")
    func goodMembers() {
        let json: JSONValue = [
            "text": "a", "id": "gem", "number": 5, "flag": true, "time": "2026-01-31T00:00:00Z",
            "colour": "green", "list": [1, 2], "map": ["x": 1],
        ]
        let findings = read(json) { reader in
            #expect(reader.string("text", maximum: 1) == "a")
            #expect(reader.identifier("id", UnitKind.self)?.rawValue == "gem")
            #expect(reader.integer("number", in: 5...5) == 5)
            #expect(reader.bool("flag") == true)
            #expect(reader.instant("time")?.rfc3339 == "2026-01-31T00:00:00Z")
            #expect(reader.choice("colour", Colour.self) == .green)
            #expect(reader.elements("list", maximum: 2).map(\.path) == ["list[0]", "list[1]"])
            #expect(reader.entries("map").map(\.path) == ["map.x"])
        }
        #expect(findings == [])
    }

    @Test("Every fault is named with its path, all at once")
    func faults() {
        let json: JSONValue = [
            "text": "abc", "id": "", "number": 6, "flag": "yes", "time": "today", "colour": "blue",
            "list": [1, 2, 3], "other": 1,
        ]
        let findings = read(json, path: "a[0]") { reader in
            #expect(reader.string("text", maximum: 2) == nil)
            #expect(reader.identifier("id", UnitKind.self) == nil)
            #expect(reader.integer("number", in: 1...5) == nil)
            #expect(reader.bool("flag") == nil)
            #expect(reader.instant("time") == nil)
            #expect(reader.choice("colour", Colour.self) == nil)
            #expect(reader.elements("list", maximum: 2).isEmpty)
            #expect(reader.string("gone", maximum: 2) == nil)
        }
        #expect(
            findings == [
                "a[0].text is \"abc\"; expected a string of at most 2 bytes", "a[0].id is empty",
                "a[0].number is 6; expected an integer from 1 to 5",
                "a[0].flag is \"yes\"; expected true or false",
                "a[0].time is \"today\"; expected a time such as 2026-01-31T00:00:00Z",
                "a[0].colour is \"blue\"; expected one of \"red\", \"green\"",
                "a[0].list is an array; expected a list of at most 2 elements",
                "a[0].gone is missing; expected a string of at most 2 bytes",
                "a[0].other is unknown here",
            ])
    }

    @Test("A missing member that is not required, and null, are nothing to report")
    func optionalMembers() {
        let findings = read(["a": .null]) { reader in
            #expect(reader.string("a", maximum: 1, isRequired: false) == nil)
            #expect(reader.integer("b", in: 0...1, isRequired: false) == nil)
            #expect(reader.entries("c", isRequired: false).isEmpty)
            #expect(reader.elements("d", maximum: 1, isRequired: false).isEmpty)
        }
        #expect(findings == [])
    }

    @Test("Something else than an object is one finding and reads as empty")
    func noObject() {
        #expect(read([1]) { _ in } == ["is an array where an object is expected"])
        #expect(read("a", path: "b") { _ in } == ["b is a string where an object is expected"])
    }

    @Test("NUL in a text is refused")
    func nul() {
        let findings = read(["a": "x\0"]) { #expect($0.string("a", maximum: 9) == nil) }
        #expect(findings.count == 1)
    }

    @Test("Neither a long value nor a long name is repeated in a message, and findings are bounded")
    func bounds() {
        let long = String(repeating: "x", count: 100_000)
        let digits = JSONNumber(text: String(repeating: "9", count: 100_000), int64: nil)
        var json = JSONObject([
            .init(key: "a", value: .string(long)), .init(key: "b", value: .number(digits)),
        ])
        json.append(long, 1)
        for number in 0..<200 { json.append("k\(number)", 1) }
        let findings = read(.object(json)) { reader in
            #expect(reader.string("a", maximum: 9) == nil)
            #expect(reader.integer("b", in: 0...9) == nil)
        }
        #expect(findings.count == 50)
        #expect(findings.allSatisfy { $0.utf8.count < 200 })
    }

    @Test("A name that only looks like a known one is unknown")
    func lookAlikes() {
        let findings = read(["\u{212A}": 1]) {
            #expect($0.integer("K", in: 0...9, isRequired: false) == nil)
        }
        #expect(findings == ["\u{212A} is unknown here"])
    }
}
