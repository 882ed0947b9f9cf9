// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Foundation
import Testing

@Suite("Apple's own client, which knows nothing of Counterfoil")
struct ApplesOwnClient {
    @Test("It verifies what the simulated App Store signs, and its calls get Apple's answers")
    func drive() throws {
        guard let python = Self.python() else { return }
        let folder = TemporaryFolder()
        let store = try ChildProcess(
            Installation.program,
            [
                "simulate", "--storekit", "\(Installation.package)/docs/scenarios/Game.storekit",
                "--folder", folder.file("store"), "--port", "\(QuietPort.find())",
            ])
        defer {
            store.signal(SIGKILL)
            store.wait()
        }
        let address = try store.firstLine { line in
            line.range(of: "is open at ").map { String(line[$0.upperBound...]) }
        }
        let (status, output) = try ChildProcess.run(
            python,
            [
                "-B", "\(Installation.package)/Scripts/apple-client/drive.py", address,
                folder.file("store"),
            ])
        #expect(status == 0, "\(output)")
        #expect(output.contains("verified and read everything"), "\(output)")
    }

    /// Where it was installed; says so if it was not.
    private static func python() -> String? {
        let path = "\(Installation.package)/.build/apple-client/bin/python3"
        if FileManager.default.isExecutableFile(atPath: path) { return path }
        if ProcessInfo.processInfo.environment["CI"] == "true" {
            Issue.record("apple-client is not there; Scripts/python-tool installs it")
        } else {
            print("Apple's client is not there, so it did not try the simulated App Store")
        }
        return nil
    }
}
