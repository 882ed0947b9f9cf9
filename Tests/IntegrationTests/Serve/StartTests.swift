// SPDX-License-Identifier: Apache-2.0
import CounterfoilSimulator
import CounterfoilTestSupport
import Foundation
import Testing

@Suite("How a server starts, and why it does not")
struct HowAServerStarts {
    /// A folder with all files of a simulated app, some of them replaced.
    private func folder(replacing files: [String: String] = [:]) throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        let all = [
            "counterfoil.json": Self.configuration,
            "catalog.json": "{ units: [], products: [] }",
            "root.pem": try TestAuthority.shared.rootCertificatesPEM[0],
        ].merging(files) { $1 }
        for (name, text) in all {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
        }
        return folder
    }

    private static let configuration = """
        {
          "listen": { "address": "127.0.0.1", "port": 0 },
          "database": "books.db",
          "apps": [{
            "id": "game", "bundle_id": "com.example.game", "simulated": true, "roots": ["root.pem"],
            "catalogue": "catalog.json", "deliver_from": { "Production": "2026-01-01T00:00:00Z" }
          }]
        }
        """

    private func run(_ words: [String], in folder: TemporaryFolder) throws -> (
        status: Int32, output: String
    ) {
        try ChildProcess.run(
            Installation.program, words + ["--config", folder.file("counterfoil.json")])
    }

    @Test("A look at the files finds nothing wrong, opens no port and makes no database")
    func check() throws {
        let folder = try folder()
        let (status, output) = try run(["serve", "--check"], in: folder)
        #expect(status == 0, "\(output)")
        #expect(output.hasSuffix("counterfoil.json and the files that it names are right."))
        #expect(!FileManager.default.fileExists(atPath: folder.file("books.db")))
    }

    @Test("A comparison of books that are not there says so and makes none")
    func nothingToCompare() throws {
        let folder = try folder()
        let (status, output) = try run(["rebuild"], in: folder)
        #expect(status == 1)
        #expect(output.contains("books.db does not exist"), "\(output)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("books.db")))
    }

    @Test("The log has a line for the start, one for an app that is not configured, and the stop")
    func log() async throws {
        let server = try await ServerUnderTest()
        _ = try ChildProcess.run(
            Installation.program,
            [
                "keys", "create", "--app", ServerUnderTest.app, "--config",
                server.folder.file("counterfoil.json"),
            ])
        try server.start()
        #expect(server.stop() == 0)
        let lines = server.output.split(separator: "\n").map(String.init)
        let start = lines.first { $0.contains(" start version=") }
        #expect(start?.contains(" apps=game database=") == true, "\(server.output)")
        #expect(start.map { $0.prefix(while: { $0 != " " }).hasSuffix("Z") } == true)
        #expect(lines.last?.hasSuffix("Z stop") == true, "\(server.output)")
    }

    private static func replaced(_ old: String, _ new: String) -> [String: String] {
        ["counterfoil.json": configuration.replacingOccurrences(of: old, with: new)]
    }

    @Test(
        "A mistake in any file ends with 2 and is named, in a start as in a look at the files",
        arguments: [
            (
                replaced("\"port\": 0", "\"port\": 70000"),
                "counterfoil.json:2: listen.port is 70000"
            ),
            (
                replaced("127.0.0.1", "localhost"),
                "counterfoil.json:2: listen.address is neither an IPv4 nor an IPv6 address"
            ),
            (replaced("\"game\"", "\"my game\""), "apps[0].id takes letters, digits, dot"),
            (replaced("root.pem", "absent.pem"), "absent.pem cannot be read: No such file"),
            (["root.pem": "no certificate"], "root.pem: malformed: anchor.text"),
            (["catalog.json": "{\n products: [{}] }"], "catalog.json:2: products[0].id is missing"),
            (replaced("books.db", "absent/books.db"), "absent/books.db does not exist"),
        ])
    func mistakes(files: [String: String], message: String) throws {
        let folder = try folder(replacing: files)
        for words in [["serve"], ["serve", "--check"]] {
            let (status, output) = try run(words, in: folder)
            #expect(status == 2, "\(words) \(output)")
            #expect(output.contains(message), "\(words) \(output)")
        }
    }

    @Test(
        "A file with a password that others can use is refused, in a start as in a look at the files",
        arguments: [0o644, 0o640, 0o604, 0o660])
    func password(mode: Int) throws {
        let folder = try folder(
            replacing: Self.replaced(
                #""books.db""#,
                #"{ postgres: "postgres://u@127.0.0.1:1/d", password_file: "password" }"#
            ).merging(["password": "secret"]) { $1 })
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: folder.file("password"))
        for words in [["serve"], ["serve", "--check"]] {
            let (status, output) = try run(words, in: folder)
            #expect(status == 2, "\(words) \(output)")
            #expect(output.contains("password holds a secret and others may use it"), "\(output)")
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: folder.file("password"))
        #expect(try run(["serve", "--check"], in: folder).status == 0)
    }

    @Test("An address that the machine does not have ends with 2, a port in use with 1")
    func addresses() async throws {
        let elsewhere = try folder(replacing: Self.replaced("127.0.0.1", "192.0.2.1"))
        let (status, output) = try run(["serve"], in: elsewhere)
        #expect(status == 2 && output.contains("192.0.2.1"), "\(output)")
        let server = try await ServerUnderTest()
        try server.start()
        let port = try server.runningPort()
        let busy = try folder(
            replacing: Self.replaced("\"port\": 0", "\"port\": \(port)"))
        let second = try run(["serve"], in: busy)
        #expect(second.status == 1 && second.output.contains("in use"), "\(second.output)")
        #expect(server.stop() == 0)
    }

    @Test(
        "No server starts on a damaged database, and it says why",
        arguments: [
            (0..<16, "corrupt: the file is not a database"),
            (2_048..<1 << 30, "corrupt: the database file is damaged"),
        ])
    func damaged(bytes: Range<Int>, message: String) async throws {
        let server = try await ServerUnderTest()
        try server.start()
        #expect(server.stop() == 0)
        var content = try Data(contentsOf: URL(fileURLWithPath: server.database))
        for index in bytes.clamped(to: 0..<content.count) { content[index] = 0xAA }
        try content.write(to: URL(fileURLWithPath: server.database))
        let (status, output) = try ChildProcess.run(
            Installation.program,
            ["serve", "--config", server.folder.file("counterfoil.json")])
        #expect(status == 1, "\(output)")
        #expect(output.contains(message), "\(output)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: server.database)) == content)
    }

    @Test("Keys of an app that left the configuration are listed and revoked, and none is made")
    func keysOfAFormerApp() throws {
        let folder = try folder()
        let made = try run(["keys", "create", "--app", "game", "--json"], in: folder)
        #expect(made.status == 0, "\(made.output)")
        let id =
            made.output.split(separator: "\"").map(String.init).drop { $0 != "key_id" }
            .dropFirst(2).first ?? ""
        try Data(Self.configuration.replacingOccurrences(of: "\"game\"", with: "\"other\"").utf8)
            .write(to: URL(fileURLWithPath: folder.file("counterfoil.json")))
        let listed = try run(["keys", "list", "--app", "game"], in: folder)
        #expect(listed.status == 0 && listed.output.contains(id), "\(listed.output)")
        #expect(try run(["keys", "create", "--app", "game"], in: folder).status == 64)
        #expect(try run(["keys", "revoke", id, "--app", "game"], in: folder).status == 0)
        let none = try run(["keys", "list", "--app", "gone"], in: folder)
        #expect(none.status == 64 && none.output.contains("game, other"), "\(none.output)")
    }
}
