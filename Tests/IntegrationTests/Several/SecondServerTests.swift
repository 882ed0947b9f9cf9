// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilTestSupport
import Foundation
import Testing

@Suite struct OneFileHasOneServer {
    @Test("A second server on one SQLite file says why it does not start; the first goes on")
    func second() async throws {
        let server = try await ServerUnderTest()
        try server.start()
        let configuration = server.folder.file("counterfoil.json")
        let (status, output) = try ChildProcess.run(
            Installation.program, ["serve", "--config", configuration])
        #expect(status == 1)
        #expect(output.contains("one file belongs to one server"), "\(output)")
        let link = server.folder.file("other.db")
        #expect(symlink(server.database, link) == 0)
        let text = try String(contentsOfFile: configuration, encoding: .utf8)
            .replacingOccurrences(of: "books.db", with: "other.db")
        try text.write(
            toFile: server.folder.file("other.json"), atomically: true, encoding: .utf8)
        let (linked, refusal) = try ChildProcess.run(
            Installation.program, ["serve", "--config", server.folder.file("other.json")])
        #expect(linked == 1 && refusal.contains("one file belongs to one server"), "\(refusal)")
        let (listed, keys) = try ChildProcess.run(
            Installation.program,
            ["keys", "list", "--app", ServerUnderTest.app, "--config", configuration])
        #expect(listed == 0, "\(keys)")
        let (compared, report) = try ChildProcess.run(
            Installation.program, ["rebuild", "--json", "--config", configuration])
        #expect(compared == 0, "\(report)")
        #expect(try JSONValue(parsing: report.utf8)["agrees"] == .bool(true))
        let (examined, verdict) = try ChildProcess.run(
            Installation.program, ["doctor", "--json", "--config", configuration])
        #expect(examined == 0, "\(verdict)")
        #expect(try JSONValue(parsing: verdict.utf8)["agrees"] == .bool(true))
        server.kill()
        try server.start()
        #expect(server.stop() == 0)
    }
}
