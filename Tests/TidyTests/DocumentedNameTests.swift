// SPDX-License-Identifier: Apache-2.0
import Testing

struct StableNamesAreDocumented {
    private func names(_ text: String, path: String = "Sources/A/AError.swift") -> [String] {
        DocumentedNames.names(in: SourceFile(path: path, text: text)).map(\.name)
    }

    @Test("Every verdict, check and code of the sources stands in docs/errors.md")
    func project() throws {
        let tree = SourceTree.project
        let document = try #require(tree.files.first { $0.path == DocumentedNames.document })
        let documented = DocumentedNames.documented(in: document.text)
        let findings = tree.findings { DocumentedNames.findings($0, documented: documented) }
        expectNone(findings)
        #expect(tree.files.flatMap { DocumentedNames.names(in: $0) }.count > 50)
    }

    @Test("Raw values and arguments are names; sentences and other strings are not")
    func recognition() {
        #expect(names("case a = \"x.y-z\"") == ["x.y-z"])
        #expect(names("static let a = V(rawValue: \"busy\")") == ["busy"])
        #expect(names("f(check: \"text.size\")", path: "Sources/A/B.swift") == ["text.size"])
        #expect(
            names("P(code: \"body_too_large\")", path: "Sources/A/B.swift") == ["body_too_large"])
        #expect(names("let a = \"x\"", path: "Sources/A/B.swift") == [])
        #expect(names("case a = \"A sentence.\"") == [])
    }

    @Test("A name that no document has is found")
    func missing() {
        let file = SourceFile(
            path: "Sources/A/AError.swift", text: "case a = \"x\"\ncase b = \"y\"\n")
        let documented = DocumentedNames.documented(in: "| `x` | is documented |")
        #expect(DocumentedNames.findings(file, documented: documented).map(\.line) == [2])
    }
}

struct RoutesAreDocumented {
    @Test("docs/http.md has a heading for each route of the sources, and for no other")
    func project() throws {
        let tree = SourceTree.project
        let document = try #require(tree.files.first { $0.path == DocumentedRoutes.document })
        let routes = tree.files.filter(\.isInSources).flatMap(DocumentedRoutes.routes)
        let headings = DocumentedRoutes.headings(in: document)
        #expect(routes.count > 8)
        #expect(Set(routes).subtracting(headings) == [])
        #expect(Set(headings).subtracting(routes) == [])
        #expect(Set(routes).count == routes.count)
    }

    @Test("A route is found in code, a heading in the reference")
    func recognition() {
        let code = ".secret(.post, \"/v1/a/{b}\") { open(.get) }\n.open(.get, \"/x\") {}"
        let source = SourceFile(path: "Sources/A/B.swift", text: code)
        #expect(DocumentedRoutes.routes(in: source) == ["POST /v1/a/{b}", "GET /x"])
        let text = "# `A`\n### `GET /x`\n### other\n"
        let document = SourceFile(path: "docs/http.md", text: text)
        #expect(DocumentedRoutes.headings(in: document) == ["GET /x"])
    }
}
