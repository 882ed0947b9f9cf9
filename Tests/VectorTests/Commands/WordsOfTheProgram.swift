// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilServer
import CounterfoilSimulator
import CounterfoilTestSupport
import Foundation
import Testing

@testable import counterfoil

@Suite("What the program says about itself and about words that it does not understand")
struct WordsOfTheProgram {
    private let now = TestAuthority.clock.now

    @Test("A mistake in the words is one line, and the way to the help another")
    func usage() async {
        let unknown = await RecordedRun("verify", "--nothing", at: now)
        #expect(unknown.exitCode == .usage)
        #expect(
            unknown.errors == "counterfoil verify: --nothing is no option of verify\n"
                + "counterfoil verify --help tells more\n")
        let command = await RecordedRun("sell", at: now)
        #expect(command.exitCode == .usage)
        #expect(
            command.errors == "counterfoil: there is no command sell\n"
                + "counterfoil --help tells more\n")
    }

    @Test("It tells its release", arguments: ["version", "--version"])
    func version(word: String) async {
        let run = await RecordedRun(word, at: now)
        #expect(run.exitCode == .success)
        #expect(run.output == "counterfoil \(Release.version)\n")
    }

    @Test("A new installation refuses a root that is no certificate, and an id that is no name")
    func initialize() async throws {
        let folder = TemporaryFolder()
        let file = folder.file("root.pem")
        try Data("no certificate".utf8).write(to: URL(fileURLWithPath: file))
        let root = await RecordedRun(
            "init", "--folder", folder.file("a"), "--root", file, at: now)
        #expect(root.exitCode == .unreadable)
        #expect(root.errors.contains("root.pem holds no certificate to trust"))
        let name = await RecordedRun("init", "--folder", folder.file("a"), "--app", "a/b", at: now)
        #expect(name.exitCode == .usage)
        #expect(name.errors.contains("--app takes letters, digits, dot"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("a")))
    }

    @Test("A request body in place of evidence is told from broken evidence")
    func document() async throws {
        let folder = TemporaryFolder()
        let file = folder.file("purchase.json")
        try Data("{\"signed_transaction\": \"a.b.c\"}\n".utf8)
            .write(to: URL(fileURLWithPath: file))
        let run = await RecordedRun("verify", file, at: now)
        #expect(run.exitCode == .unreadable)
        #expect(run.errors.contains("is a JSON document; verify takes the value"))
    }
}
