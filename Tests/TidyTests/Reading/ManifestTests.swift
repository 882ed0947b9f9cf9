// SPDX-License-Identifier: Apache-2.0
import Testing

struct TheManifestIsReadAsText {
    private let manifest = Manifest(
        SourceFile(
            path: "Package.swift",
            text: """
                func module(_ name: String) -> Target { .target(name: name, dependencies: []) }
                let package = Package(name: "p", targets: [
                    system("CThing", "thing", "libthing-dev"),
                    module("Low"),
                    module("High", ["Low", "CThing"]),
                    .executableTarget(name: "program", dependencies: ["High"], swiftSettings: ["x"]),
                    tests("HighTests", ["High"]),
                ])
                """))

    @Test("Every target is found with its kind; the short forms themselves are none")
    func findsTargets() {
        #expect(manifest.targets.map(\.name) == ["CThing", "Low", "High", "program", "HighTests"])
        #expect(manifest.targets.map(\.kind) == [.system, .library, .library, .executable, .test])
    }

    @Test("Only the first list of a target holds its dependencies")
    func findsDependencies() {
        #expect(manifest.target("High")?.dependencies == ["Low", "CThing"])
        #expect(manifest.target("program")?.dependencies == ["High"])
        #expect(manifest.target("CThing")?.dependencies == [])
    }

    @Test("The project's own manifest is understood")
    func readsTheProject() throws {
        let file = try #require(SourceTree.project.files.first { $0.path == "Package.swift" })
        let project = Manifest(file)
        #expect(
            project.target("CounterfoilTrust")?.dependencies.contains("CounterfoilCrypto") == true)
        #expect(project.target("counterfoil")?.kind == .executable)
        #expect(project.targets.count > 15)
    }
}
