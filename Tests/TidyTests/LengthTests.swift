// SPDX-License-Identifier: Apache-2.0
import Testing

struct FunctionsAndFilesStayShort {
    private func file(lines count: Int, path: String = "Sources/A/B.swift") -> SourceFile {
        SourceFile(path: path, text: String(repeating: "let a = 1\n", count: count))
    }

    private func function(lines count: Int, head: String = "func f() {") -> SourceFile {
        let body = String(repeating: "    a()\n", count: count - 2)
        return SourceFile(path: "Sources/A/B.swift", text: "\n\(head)\n\(body)}\n")
    }

    @Test("No function of the project has more than 70 lines")
    func projectFunctions() {
        let findings = SourceTree.project.findings(LengthRules.functionLength)
        expectNone(findings)
    }

    @Test("No file of the project has more than 700 lines, and long ones do not grow")
    func projectFiles() {
        let findings = SourceTree.project.findings { LengthRules.fileLength($0) }
        expectNone(findings)
    }

    @Test("Every file that the list of long files names exists")
    func noStaleEntries() {
        let paths = Set(SourceTree.project.files.map(\.path))
        #expect(Set(LengthRules.longFiles.keys).subtracting(paths).isEmpty)
    }

    @Test("The limit of a function is 70 lines from its keyword to its brace")
    func functionLimit() {
        #expect(LengthRules.functionLength(function(lines: 70)).isEmpty)
        #expect(LengthRules.functionLength(function(lines: 71)).map(\.line) == [2])
    }

    @Test(
        "Initialisers, subscripts and computed properties count as functions",
        arguments: [
            "init(a: Int = { 1 }()) throws {", "deinit {", "subscript(i: Int) -> Int {",
            "var a: Int {",
            "func f<T: P>(\n    _ a: (T) -> Void\n) async throws(E) -> [T] where T: Q {",
        ])
    func heads(_ head: String) {
        #expect(LengthRules.functionLength(function(lines: 80, head: head)).count == 1)
    }

    @Test("A requirement, a stored property and a call of init have no body of their own")
    func bodiless() {
        let text = """
            protocol P { func a(); var b: Int { get } }
            struct S { var c = { 1 }(); let d = S.init() }
            """
        let spans = FunctionSpan.all(in: SourceFile(path: "A.swift", text: text))
        #expect(spans.map(\.name) == ["b"])
    }

    @Test("Braces in a string do not count")
    func bracesInStrings() {
        let text = "func a() {\n    \"}\"\n}\nfunc b() {\n    \"{\"\n}\n"
        let spans = FunctionSpan.all(in: SourceFile(path: "A.swift", text: text))
        #expect(spans.map(\.lineCount) == [3, 3])
    }

    @Test("A file above 400 lines needs an entry, above 700 none helps")
    func fileLimits() {
        let entry = ["Sources/A/B.swift": 450]
        #expect(LengthRules.fileLength(file(lines: 400)).isEmpty)
        #expect(LengthRules.fileLength(file(lines: 401)).count == 1)
        #expect(LengthRules.fileLength(file(lines: 450), longFiles: entry).isEmpty)
        #expect(LengthRules.fileLength(file(lines: 451), longFiles: entry).count == 1)
        #expect(
            LengthRules.fileLength(file(lines: 701), longFiles: ["Sources/A/B.swift": 800]).count
                == 1)
        #expect(LengthRules.fileLength(file(lines: 300), longFiles: entry).count == 1)
    }
}
