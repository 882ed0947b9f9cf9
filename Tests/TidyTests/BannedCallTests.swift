// SPDX-License-Identifier: Apache-2.0
import Testing

struct InputsAreNotHidden {
    private func findings(_ text: String, path: String = "Sources/A/B.swift") -> [Finding] {
        BannedCalls.findings(SourceFile(path: path, text: text), wiring: [:])
    }

    @Test("No source takes time, randomness or an exit of its own")
    func project() {
        let findings = SourceTree.project.findings { BannedCalls.findings($0) }
        expectNone(findings)
    }

    @Test("Every exception is still needed and has a reason")
    func exceptions() {
        #expect(BannedCalls.staleEntries(SourceTree.project.swiftFiles) == [])
        #expect(BannedCalls.wiring.values.allSatisfy { $0.reason.count > 20 })
        let spellings = Set(BannedCalls.bans.map(\.spelling))
        #expect(BannedCalls.wiring.values.allSatisfy { $0.calls.isSubset(of: spellings) })
    }

    @Test("Each ban finds its own spelling", arguments: BannedCalls.bans.map(\.spelling))
    func eachBan(_ spelling: String) {
        #expect(findings("let a = b \(spelling)\n").count == 1)
    }

    @Test(
        "Spaces and line breaks do not hide a call",
        arguments: [
            "let d = Date( )", "Task\n    .detached { }", "x = y as! Z", "let f = list.first!",
            "Int.random(in: 0..<3)", "func f() { fatalError() }", "print(\"a\")",
            "\"\\(try! f())\"",
        ])
    func spelledOtherwise(_ text: String) {
        #expect(findings(text).count == 1)
    }

    @Test(
        "A like name, a text and a comment pass",
        arguments: [
            "Date(millisecondsSinceEpoch: 1)", "\"print(\"", "// fatalError", "footprint(a)",
            "output.print(a)", "func print(_ text: String) {}", "try? f()", "a as? B",
            "list.first ?? 0", "clock.sleep(for: a)", "try !f()", "a.last != b",
        ])
    func innocent(_ text: String) {
        #expect(findings(text).isEmpty)
    }

    @Test("Tests may trap, but not sleep")
    func inTests() {
        #expect(findings("try! f()", path: "Tests/A/B.swift").isEmpty)
        #expect(findings("try await Task.sleep(for: a)", path: "Tests/A/B.swift").count == 1)
    }

    @Test("An exception covers its own call only")
    func exception() {
        let file = SourceFile(path: "Sources/A/B.swift", text: "print(1)\nfatalError()\n")
        let wiring = ["Sources/A/B.swift": (calls: Set(["print("]), reason: "an example")]
        #expect(BannedCalls.findings(file, wiring: wiring).map(\.line) == [2])
    }
}
