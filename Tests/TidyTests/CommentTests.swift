// SPDX-License-Identifier: Apache-2.0
import Testing

struct CommentsAreWhereTheyMust {
    private func source(_ text: String, path: String = "Sources/A/B.swift") -> SourceFile {
        SourceFile(path: path, text: text)
    }

    @Test("Every source and script names the licence")
    func projectLicence() {
        let findings = SourceTree.project.findings(CommentRules.licenceHeader)
        expectNone(findings)
    }

    @Test("Work left undone has the number of an issue")
    func projectNotes() {
        let findings = SourceTree.project.findings(CommentRules.unnumberedNotes)
        expectNone(findings)
    }

    @Test("Whoever overrules the compiler about data races proves it")
    func projectConcurrency() {
        let findings = SourceTree.project.findings(CommentRules.unprovenConcurrency)
        expectNone(findings)
    }

    @Test(
        "A missing licence is found in every kind of file",
        arguments: ["Sources/A/B.swift", "Sources/C/shim.h", "Scripts/run", "Makefile", ".ci/run"])
    func licence(_ path: String) {
        #expect(CommentRules.licenceHeader(source("a\nb\n", path: path)).count == 1)
        let text = "#!shell\n# SPDX-License-Identifier: Apache-2.0\n"
        #expect(CommentRules.licenceHeader(source(text, path: path)).isEmpty)
    }

    @Test("A note without number is found in comments only")
    func notes() {
        #expect(CommentRules.unnumberedNotes(source("// TODO: later\n")).count == 1)
        #expect(CommentRules.unnumberedNotes(source("/* a\n FIXME */")).count == 1)
        #expect(CommentRules.unnumberedNotes(source("// TODO #: later\n")).count == 1)
        #expect(CommentRules.unnumberedNotes(source("// TODO(#12): later\n")).isEmpty)
        #expect(CommentRules.unnumberedNotes(source("// TODO #12\n")).isEmpty)
        #expect(CommentRules.unnumberedNotes(source("let a = \"TODO\"\n")).isEmpty)
        #expect(CommentRules.unnumberedNotes(source("# TODO\n", path: "Scripts/a")).count == 1)
    }

    @Test("A claim without proof is found")
    func claims() {
        let bad = [
            "final class A: @unchecked Sendable {}",
            "/// Wraps a key.\nfinal class A: @unchecked Sendable {}",
            "nonisolated(unsafe) static var a = 1",
            "// Immutable.\n\nfinal class A: @unchecked Sendable {}",
        ]
        for text in bad { #expect(CommentRules.unprovenConcurrency(source(text)).count == 1) }
    }

    @Test("A proof above the declaration or its attributes, beside or below it, passes")
    func proofs() {
        let good = [
            "// Sendable: the pointer never changes.\nfinal class A: @unchecked Sendable {}",
            "/// A key.\n///\n/// Every access holds the lock.\n@available(*)\nclass A: @unchecked Sendable {}",
            "struct A: @unchecked Sendable {\n    // Safe to share: never freed.\n    let b: P\n}",
            "nonisolated(unsafe) let a = 1  // immutable after start",
        ]
        for text in good { #expect(CommentRules.unprovenConcurrency(source(text)).isEmpty) }
    }
}
