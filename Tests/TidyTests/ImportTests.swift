// SPDX-License-Identifier: Apache-2.0
import Testing

struct ImportsPointDown {
    private static let manifestFile = SourceTree.project.files.first { $0.path == "Package.swift" }

    private func manifest(_ text: String) -> Manifest {
        Manifest(SourceFile(path: "Package.swift", text: text))
    }

    @Test("The table of allowed imports is a ladder")
    func tableIsALadder() {
        #expect(ImportRules.upwardEntries(in: ImportRules.allowed) == [])
        #expect(ImportRules.upwardEntries(in: [("A", ["B"]), ("B", [])]).count == 1)
        #expect(ImportRules.upwardEntries(in: [("A", ["A"])]).count == 1)
    }

    @Test("Package.swift declares nothing beyond the table")
    func projectManifest() throws {
        let file = try #require(Self.manifestFile)
        let findings = ImportRules.manifestFindings(Manifest(file), path: file.path)
        expectNone(findings)
    }

    @Test("Every module of the table exists")
    func tableIsCurrent() throws {
        let manifest = Manifest(try #require(Self.manifestFile))
        #expect(ImportRules.allowed.map(\.module).filter { manifest.target($0) == nil } == [])
        let libraries = manifest.targets.filter { $0.kind == .system }.map(\.name)
        #expect(Set(libraries) == ImportRules.cLibraries)
    }

    @Test("No file imports what its target does not declare")
    func projectImports() throws {
        let manifest = Manifest(try #require(Self.manifestFile))
        let findings = SourceTree.project.findings {
            ImportRules.importFindings($0, manifest: manifest)
        }
        expectNone(findings)
    }

    @Test("Each C library is imported by exactly one target")
    func projectCLibraries() {
        let importers = ImportRules.importersOfCLibraries(SourceTree.project.swiftFiles)
        #expect(importers.filter { $0.value.count != 1 }.isEmpty)
        #expect(Set(importers.keys) == ImportRules.cLibraries)
    }

    @Test("Sources import neither Foundation nor its networking")
    func projectSystemImports() {
        let findings = SourceTree.project.findings(ImportRules.systemImportFindings)
        expectNone(findings)
    }

    @Test("An upward dependency, a sideways one and an unknown module are found")
    func badManifest() {
        let manifest = manifest(
            """
            module("CounterfoilCore", ["CounterfoilCrypto"]),
            module("CounterfoilHTTP", ["CounterfoilCore", "CounterfoilDatabase"]),
            module("CounterfoilNew"),
            .executableTarget(name: "counterfoil", dependencies: ["COpenSSL"]),
            """)
        let findings = ImportRules.manifestFindings(manifest, path: "Package.swift")
        #expect(findings.map(\.line) == [1, 2, 3, 4])
    }

    @Test(
        "An undeclared import is found however it is written",
        arguments: [
            "import CounterfoilEngine", "public import CounterfoilEngine",
            "@testable import CounterfoilEngine", "import struct CounterfoilEngine.Engine",
            "@_spi(Testing) package import CounterfoilEngine",
        ])
    func badImport(_ line: String) {
        let file = SourceFile(path: "Sources/CounterfoilTrust/A.swift", text: line + "\n")
        let declared = manifest("module(\"CounterfoilTrust\", [\"CounterfoilCore\"])")
        #expect(ImportRules.importFindings(file, manifest: declared).count == 1)
    }

    @Test("A declared import and a system module pass; a word in a comment is no import")
    func goodImports() {
        let text = "import CounterfoilCore\nimport Synchronization\n// import CounterfoilEngine\n"
        let file = SourceFile(path: "Sources/CounterfoilTrust/A.swift", text: text)
        let declared = manifest("module(\"CounterfoilTrust\", [\"CounterfoilCore\"])")
        #expect(ImportRules.importFindings(file, manifest: declared).isEmpty)
    }

    @Test("A second importer of a C library is found")
    func secondImporter() {
        let files = ["A", "B"].map {
            SourceFile(path: "Sources/\($0)/Calls.swift", text: "import COpenSSL\n")
        }
        #expect(ImportRules.importersOfCLibraries(files) == ["COpenSSL": ["A", "B"]])
    }

    @Test("FoundationEssentials passes, the whole of Foundation does not")
    func systemModules() {
        func findings(_ module: String) -> [Finding] {
            ImportRules.systemImportFindings(
                SourceFile(path: "Sources/A/B.swift", text: "import \(module)\n"))
        }
        #expect(findings("FoundationEssentials").isEmpty)
        #expect(findings("Foundation").count == 1)
        #expect(findings("FoundationNetworking").count == 1)
    }
}
