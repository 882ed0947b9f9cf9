// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Testing

@Suite("The demo")
struct Demo {
    @Test("Its story comes out right, in new books and again in the same ones")
    func story() throws {
        let folder = TemporaryFolder()
        let port = QuietPort.find()
        for _ in 0..<2 {
            let (status, output) = try ChildProcess.run(
                Installation.program,
                ["demo", "--exit", "--folder", folder.file("var"), "--port", "\(port)"])
            #expect(status == 0, "\(output)")
            #expect(output.contains("Every step came out right."))
            #expect(!output.contains("NOT"), "\(output)")
        }
    }

    @Test("On a port that somebody else has it says so, and plays against nobody")
    func busyPort() async throws {
        let server = try await ServerUnderTest()
        try server.start()
        let port = try server.runningPort()
        let folder = TemporaryFolder()
        let (status, output) = try ChildProcess.run(
            Installation.program,
            ["demo", "--exit", "--folder", folder.file("var"), "--port", "\(port)"])
        #expect(status == 1)
        #expect(
            output
                == "counterfoil demo: port \(port) is in use by another program; --port chooses another"
        )
        #expect(server.stop() == 0)
    }
}
