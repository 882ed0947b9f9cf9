// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import Foundation
import Testing

@testable import counterfoil

@Suite("Files that commands read and write")
struct FilesOfCommands {
    private static let now = TestAuthority.clock.now

    @Test("A folder of vectors with a broken expectation ends with 2, and the file is named")
    func brokenExpectation() async throws {
        let folder = TemporaryFolder()
        try Data("{".utf8).write(to: URL(fileURLWithPath: folder.file("one.expected.json")))
        let run = await RecordedRun("conformance", folder.path, at: Self.now)
        #expect(run.exitCode == .unreadable)
        #expect(run.errors.contains("one.expected.json is no JSON"), "\(run.errors)")
    }

    @Test("A root given relative to the working folder is found from the new folder")
    func relativeRoot() async throws {
        let folder = TemporaryFolder()
        let pem = try TestAuthority.shared.rootCertificatesPEM[0]
        try Data(pem.utf8).write(to: URL(fileURLWithPath: folder.file("roots.pem")))
        let working = FileManager.default.currentDirectoryPath
        let up = String(repeating: "../", count: working.split(separator: "/").count)
        let relative = up + folder.file("roots.pem").dropFirst()
        let run = await RecordedRun(
            "init", "--folder", folder.file("new"), "--root", relative, at: Self.now)
        #expect(run.exitCode == .success, "\(run.errors)")
        let text = try String(contentsOfFile: folder.file("new/counterfoil.json"), encoding: .utf8)
        let roots = "\(working)/\(relative)"
        #expect(text.contains("\"roots\": [\"\(roots)\"]"), "\(text)")
    }
}
