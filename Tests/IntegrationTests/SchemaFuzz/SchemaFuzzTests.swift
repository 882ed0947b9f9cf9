// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilTestSupport
import Foundation
import Testing

@Suite("A program that knows docs/openapi.yaml and tries everything")
struct AProgramThatTriesEverything {
    /// It must end before it is in the way; what it does is bounded by examples and this.
    private static let longestSeconds = 50

    /// What is held against each answer. What a valid request may be answered is the interface's own:
    /// most are valid and about something that is not there.
    private static let checks = [
        "not_a_server_error", "status_code_conformance", "content_type_conformance",
        "response_headers_conformance", "response_schema_conformance", "negative_data_rejection",
        "unsupported_method", "ignored_auth",
    ]

    @Test("It finds no server error and no answer against the description, and succeeds everywhere")
    func fuzz() async throws {
        guard let program = Self.program() else { return }
        let server = try await ServerUnderTest(
            members: "client_keys: { anonymous_customers: true },")
        try server.start()
        defer { server.killForGood() }
        let folder = server.folder.file("fuzz")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try Data(try FuzzFixtures(server).json.utf8).write(
            to: URL(fileURLWithPath: "\(folder)/fixtures.json"))
        let port = try server.runningPort()
        var environment = ProcessInfo.processInfo.environment
        environment["COUNTERFOIL_FUZZ"] = folder
        environment["SCHEMATHESIS_HOOKS"] = "hooks"
        environment["PYTHONPATH"] = "\(Installation.package)/Scripts/schemathesis"
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        environment["HYPOTHESIS_STORAGE_DIRECTORY"] = "\(folder)/hypothesis"
        let (status, output) = try ChildProcess.run(
            "/usr/bin/env",
            [
                // It leaves folders of its own where it runs.
                "-C", folder, program, "run", "\(Installation.package)/docs/openapi.yaml", "--url",
                "http://127.0.0.1:\(port)", "--header",
                "Authorization: \(server.request().headers["Authorization"] ?? "")", "--checks",
                Self.checks.joined(separator: ","), "--phases", "coverage,fuzzing",
                "--max-examples", "20", "--max-time", "\(Self.longestSeconds)", "--seed", "1",
                "--generation-with-security-parameters", "false", "--generation-database", "none",
                "--no-color", "--warnings", "off",
                "--continue-on-failure",
            ], environment: environment)
        #expect(status == 0, "\(output.suffix(6000))")
        try Self.expectSuccesses(in: folder)
        #expect(server.starts == 1)
    }

    /// Where it was installed; says so if it was not.
    private static func program() -> String? {
        let path = "\(Installation.package)/.build/schemathesis/bin/schemathesis"
        if FileManager.default.isExecutableFile(atPath: path) { return path }
        if ProcessInfo.processInfo.environment["CI"] == "true" {
            Issue.record("schemathesis is not there; Scripts/python-tool schemathesis installs it")
        } else {
            print("schemathesis is not there, so docs/openapi.yaml was not tried on a server")
        }
        return nil
    }

    /// Each operation was answered with 2xx at least once; lists how often each status came.
    private static func expectSuccesses(in folder: String) throws {
        let text = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/hits.json"))
        let hits = try JSONValue(parsing: Array(text))
        let description = try String(
            contentsOfFile: "\(Installation.package)/docs/openapi.yaml", encoding: .utf8)
        let operations = description.split(separator: "\n").compactMap { line -> String? in
            let parts = line.split(separator: " ")
            return parts.first == "operationId:" ? parts.last.map(String.init) : nil
        }
        #expect(operations.count > 10)
        for operation in operations {
            let counts = hits[operation]?.object?.members ?? []
            let list = counts.map { "\($0.key) × \($0.value.text)" }.joined(separator: ", ")
            print("schemathesis: \(operation): \(list)")
            #expect(
                counts.contains { $0.key.hasPrefix("2") }, "\(operation) never succeeded: \(list)")
        }
    }
}
