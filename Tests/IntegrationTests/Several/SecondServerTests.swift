// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilTestSupport
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
        let (listed, keys) = try ChildProcess.run(
            Installation.program,
            ["keys", "list", "--app", ServerUnderTest.app, "--config", configuration])
        #expect(listed == 0, "\(keys)")
        let (compared, report) = try ChildProcess.run(
            Installation.program, ["rebuild", "--json", "--config", configuration])
        #expect(compared == 0, "\(report)")
        #expect(try JSONValue(parsing: report.utf8)["agrees"] == .bool(true))
        server.kill()
        try server.start()
        #expect(server.stop() == 0)
    }
}
