// SPDX-License-Identifier: Apache-2.0
import Testing

struct NamesSaySomething {
    private func source(_ text: String, path: String = "Sources/A/B.swift") -> SourceFile {
        SourceFile(path: path, text: text)
    }

    @Test("Folders are named for what they hold")
    func projectFolders() {
        let findings = SourceTree.project.findings(NameRules.folderNames)
        expectNone(findings)
    }

    @Test("Types are named for their duty")
    func projectTypes() {
        let findings = SourceTree.project.findings(NameRules.typeNames)
        expectNone(findings)
    }

    @Test("No source imports another module's inside")
    func projectTestable() {
        let findings = SourceTree.project.findings(NameRules.testableImports)
        expectNone(findings)
    }

    @Test("An empty folder name is found in either case, a file of that name is not one")
    func folders() {
        #expect(NameRules.folderNames(source("", path: "Sources/A/Utils/B.swift")).count == 1)
        #expect(NameRules.folderNames(source("", path: "Tests/helpers/B.swift")).count == 1)
        #expect(NameRules.folderNames(source("", path: "Sources/A/Orders/Models.swift")).isEmpty)
    }

    @Test(
        "An empty suffix is found",
        arguments: [
            "class OrderManager", "struct DateUtils {}", "actor RefundService", "enum KeyInfo",
        ])
    func suffixes(_ text: String) {
        #expect(NameRules.typeNames(source(text)).count == 1)
    }

    @Test(
        "Apple's own words and metatypes pass",
        arguments: [
            "struct RenewalInfo {}", "A.Type.self", "let orderManager = 1", "struct Manage {}",
        ])
    func goodNames(_ text: String) {
        #expect(NameRules.typeNames(source(text)).isEmpty)
    }

    @Test("A testable import is for tests")
    func testable() {
        #expect(NameRules.testableImports(source("@testable import A\n")).count == 1)
        let test = source("@testable import A\n", path: "Tests/A/B.swift")
        #expect(NameRules.testableImports(test).isEmpty)
    }
}
