// SPDX-License-Identifier: Apache-2.0
import Testing

struct TheTreeHoldsNothingForeign {
    private let base64 = String(repeating: "AbC0", count: 20)

    private func file(_ text: String, path: String = "docs/a.md") -> SourceFile {
        SourceFile(path: path, text: text)
    }

    @Test("Every file is text, and none is a key, a certificate, a receipt or an archive")
    func projectKinds() {
        let tree = SourceTree.project
        let findings = (tree.files.map(\.path) + tree.binaries).flatMap(TreeRules.fileKind)
        expectNone(findings)
        #expect(tree.binaries == [])
    }

    @Test("No file carries evidence or an armoured key inside")
    func projectEvidence() {
        let findings =
            SourceTree.project.findings(TreeRules.embeddedEvidence)
            + SourceTree.project.findings(TreeRules.armour)
        expectNone(findings)
    }

    @Test("Every file that may hold public constants exists")
    func publicConstants() {
        let paths = Set(SourceTree.project.files.map(\.path))
        #expect(Set(TreeRules.publicConstants.keys).isSubset(of: paths))
    }

    @Test("No file names a path that only one machine has")
    func projectPaths() {
        let findings = SourceTree.project.findings(TreeRules.machinePaths)
        expectNone(findings)
    }

    @Test("No file speaks of the place where it was written")
    func projectWords() {
        let findings = SourceTree.project.findings(TreeRules.foreignWords)
        expectNone(findings)
    }

    @Test("No merge was left unfinished")
    func projectConflicts() {
        expectNone(SourceTree.project.findings(TreeRules.conflictMarkers))
    }

    @Test("The decisions are numbered without gaps and complete")
    func projectDecisions() {
        let findings = DecisionRecords.findings(SourceTree.project.files)
        expectNone(findings)
    }

    @Test("The walk finds the project's own files")
    func walk() {
        let paths = Set(SourceTree.project.files.map(\.path))
        for path in ["Package.swift", "Makefile", ".swift-format", ".ci/run", "LICENSE"] {
            #expect(paths.contains(path))
        }
        #expect(!paths.contains { $0.hasPrefix(".build") || $0.hasPrefix(".git/") })
    }

    @Test(
        "A secret's file name is found", arguments: ["a.pem", "b/c.P8", "d.key", "e.cer", "f.whl"])
    func secretNames(_ path: String) {
        #expect(TreeRules.fileKind(path).count == 1)
        #expect(TreeRules.fileKind(path + ".swift").isEmpty)
    }

    @Test("Evidence is found by its beginning and length")
    func evidence() {
        #expect(TreeRules.embeddedEvidence(file("x \"MI" + "IB\(base64)\" y")).count == 1)
        #expect(
            TreeRules.embeddedEvidence(file("\n\ney" + "J\(base64).\(base64)")).map(\.line) == [3])
        #expect(TreeRules.embeddedEvidence(file("MI" + "IB, ey" + "J, \(base64)\(base64)")).isEmpty)
    }

    @Test("Armour is found with content, not as a word in code")
    func armour() {
        let head = "-----BE" + "GIN EC PRIVATE KEY-----"
        #expect(TreeRules.armour(file("\(head)\n\(base64)\n")).count == 1)
        #expect(TreeRules.armour(file("let head = \"\(head)\"\nlet next = 1\n")).isEmpty)
    }

    @Test("A machine's path is found, a like part of a longer path or an address is not")
    func paths() {
        let home = "/" + "home/"
        #expect(TreeRules.machinePaths(file("see \(home)me/a")).count == 1)
        #expect(TreeRules.machinePaths(file("\(home)me")).count == 1)
        #expect(TreeRules.machinePaths(file("PATH=\(home)me")).count == 1)
        #expect(
            TreeRules.machinePaths(file("https://example.com\(home)a b/\(home.dropFirst())"))
                .isEmpty)
    }

    @Test("The markers of a merge are found at the start of a line")
    func conflicts() {
        #expect(TreeRules.conflictMarkers(file("a\n<<<<<<" + "< HEAD\n")).map(\.line) == [2])
        #expect(TreeRules.conflictMarkers(file(">>>>>>" + "> 1234")).count == 1)
        #expect(TreeRules.conflictMarkers(file("a <<<<<<" + "< b")).isEmpty)
    }

    @Test("A foreign word is found in either case")
    func words() {
        #expect(TreeRules.foreignWords(file("This " + "session")).count == 1)
        #expect(TreeRules.foreignWords(file("a console session")).isEmpty)
    }

    @Test("A gap, a wrong title and a missing part of a decision are found")
    func decisions() {
        let parts = DecisionRecords.parts.joined(separator: "\n\n")
        func record(_ name: String, _ text: String) -> SourceFile {
            SourceFile(path: DecisionRecords.folder + name, text: text)
        }
        let good = record("0000-template.md", "# 0. Template\n\n\(parts)\n")
        #expect(DecisionRecords.findings([good]).isEmpty)
        #expect(
            DecisionRecords.findings([good, record("0002-a.md", "# 1. A\n\n\(parts)\n")]).count == 1
        )
        #expect(
            DecisionRecords.findings([good, record("0001-a.md", "# A\n\n\(parts)\n")]).count == 1)
        #expect(DecisionRecords.findings([good, record("0001-a.md", "# 1. A\n")]).count == 4)
    }
}
