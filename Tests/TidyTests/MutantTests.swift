// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Foundation
import Testing

/// `make mutants` plants these; a patch that no longer applies would show nothing.
@Suite struct MutantsApplyToTheSources {
    private static let patches = SourceTree.project.files.filter {
        $0.path.hasPrefix("Tests/Mutants/")
    }

    @Test("There are mutants")
    func present() {
        #expect(Self.patches.count >= 9)
    }

    @Test("Each says what it does and what finds it", arguments: patches.map(\.path))
    func head(path: String) throws {
        let patch = try #require(Self.patches.first { $0.path == path })
        #expect(patch.lines.contains { $0.hasPrefix("Fault: ") })
        #expect(
            patch.lines.contains { $0 == "Found by: simulation" || $0.hasPrefix("Found by: test ") }
        )
    }

    @Test("Each still applies", arguments: patches.map(\.path))
    func application(path: String) throws {
        let root = SourceTree.projectRoot.path
        let (status, output) = try ChildProcess.run(
            "/usr/bin/env", ["git", "-C", root, "apply", "--check", "\(root)/\(path)"])
        #expect(status == 0, "\(output)")
    }
}
