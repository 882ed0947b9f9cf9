// SPDX-License-Identifier: Apache-2.0
import Testing

struct WhatIsAskedIsTraced {
    private static let tree = TraceDocuments.Tree(SourceTree.project.files)

    private func document(_ path: String) throws -> SourceFile {
        try #require(SourceTree.project.files.first { $0.path == path })
    }

    @Test("Each requirement has one row, and its files and tests exist")
    func requirements() throws {
        let file = try document(TraceDocuments.requirements)
        #expect(TraceDocuments.rows(of: file).map(\.id) == TraceDocuments.requirementIDs)
        #expect(TraceDocuments.requirementIDs.count == 137)
        expectNone(TraceDocuments.findings(file, in: Self.tree, state: 1, files: 3))
    }

    @Test("Each field case has one row, and its tests exist")
    func fieldCases() throws {
        let file = try document(TraceDocuments.fieldCases)
        let ids = TraceDocuments.rows(of: file).map(\.id)
        #expect(ids.count == 48)
        #expect(ids == Set(ids).sorted())
        expectNone(TraceDocuments.findings(file, in: Self.tree, state: 2, files: nil))
    }

    @Test(
        "A row that names what is not there is found",
        arguments: [
            ("done | a | `A/B.swift` | `Sold`: \"It is sold\"", 0),
            ("step 5 | a | | ", 0), ("steps 3, 5 | a | | ", 0),
            ("partly, step 10 | a | `docs/a.md` | `Sold`: \"It is sold\"", 0),
            ("done | a | `A/C.swift` | `Sold`: \"It is sold\"", 1),
            ("done | a | `A/B.swift` | `Sold`: \"It is lost\"", 1),
            ("done | a | `A/B.swift` | `Lost`: \"It is sold\"", 1),
            ("done | a | `A/B.swift` | It is sold", 1),
            ("done | a | | `Sold`: \"It is sold\"", 1), ("done | a | `A/B.swift` | ", 1),
            ("partly, step 5 | a | | ", 1), ("step 2 | a | | ", 1), ("steps 5 | a | | ", 1),
            ("soon | a | | ", 1),
        ])
    func recognition(row: String, count: Int) {
        let tree = TraceDocuments.Tree([
            SourceFile(path: "Sources/A/B.swift", text: ""),
            SourceFile(path: "docs/a.md", text: ""),
            SourceFile(
                path: "Tests/A/S.swift",
                text: "struct Sold { @Test(\"It is sold\", arguments: [1]) func sold() {} }"),
        ])
        let file = SourceFile(path: "docs/r.md", text: "| id | x |\n| 000-01 | \(row) |\n")
        let findings = TraceDocuments.findings(file, in: tree, state: 1, files: 3)
        #expect(findings.count == count, "\(findings)")
        #expect(findings.allSatisfy { $0.line == 2 })
    }
}
