// SPDX-License-Identifier: Apache-2.0
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilDatabasePostgres
import CounterfoilTestSupport
import Synchronization
import Testing

/// A real server with a certificate that an authority of the test's own issued.
@Suite(.serialized, .enabled(if: PostgresCluster.canBeMade && EncryptedServer.canBeMade))
struct PostgresIsReachedEncrypted {
    @Test("Only the server that the authority vouches for is taken, by its own name")
    func verified() async throws {
        let encrypted = try EncryptedServer(name: "IP:127.0.0.1")
        let other = try EncryptedServer(name: "IP:127.0.0.2")
        for mode in ["verify-full", "verify-ca", "require"] {
            let address = encrypted.server.address(
                words: "sslmode=\(mode)&sslrootcert=\(encrypted.root)")
            let database = try openPostgres(address)
            let row = try await database.read { transaction in
                try transaction.row(
                    "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
            }
            #expect(try row?.boolean(0) == true)
            #expect(try row?.text(1).hasPrefix("TLSv1.") == true)
            await database.close()
        }
        for (server, words, complaint) in [
            (encrypted, "sslrootcert=\(other.root)", "certificate verify failed"),
            (encrypted, "sslrootcert=/nowhere/root.pem", "does not exist"),
            (other, "sslrootcert=\(other.root)", "does not match host name"),
        ] {
            let error = #expect(throws: DatabaseError.self) {
                _ = try openPostgres(server.server.address(words: "sslmode=verify-full&\(words)"))
            }
            #expect(
                error?.message.contains(complaint) == true, "\(error?.debugDescription ?? "")")
        }
    }
}

/// A PostgreSQL server with TLS, and the root of its authority.
private final class EncryptedServer {
    static let canBeMade: Bool = {
        let result = try? ChildProcess.run("/usr/bin/env", ["openssl", "version"])
        return result?.status == 0
    }()

    let server: PostgresCluster
    let root: String

    /// - Parameter name: The name in the certificate.
    init(name: String) throws {
        server = try PostgresCluster(settings: [
            "ssl=on", "ssl_cert_file=server.pem", "ssl_key_file=server.key",
        ])
        let folder = "\(server.folder)/data"
        root = "\(folder)/root.pem"
        let request = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2",
        ]
        try server.run(
            "openssl",
            request + [
                "-subj", "/CN=root", "-keyout", "\(folder)/root.key", "-out", root,
            ])
        try server.run(
            "openssl",
            request + [
                "-subj", "/CN=server", "-addext", "subjectAltName=\(name)", "-CA", root, "-CAkey",
                "\(folder)/root.key", "-keyout", "\(folder)/server.key", "-out",
                "\(folder)/server.pem",
            ])
        try server.start()
    }
}

@Suite(.enabled(if: PostgresCluster.canBeMade))
struct PostgresIsAskedForItsPassword {
    @Test("A password that was changed is taken at the next connection")
    func changed() async throws {
        let server = try PostgresCluster()
        try server.start()
        let change = "ALTER ROLE app PASSWORD"
        try server.query(
            "CREATE ROLE app LOGIN", "\(change) 'first'",
            "GRANT CREATE ON SCHEMA public TO app")
        let password = SharedText("first")
        let database = try PostgresDatabase(
            address: server.address(role: "app"),
            options: PostgresOptions(random: SystemRandom(), scheduling: .inline) {
                password.text
            })
        try await database.prepare()
        try server.query(
            "\(change) 'second'",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'")
        await expectFailure(.unavailable) { try await database.addCounter("a", 1, place: 1) }
        password.set("second")
        try await database.addCounter("b", 1, place: 2)
        #expect(try await database.counterNames() == ["b"])
        await database.close()
    }
}

private final class SharedText: Sendable {
    private let value: Mutex<String>

    init(_ text: String) {
        value = Mutex(text)
    }

    var text: String { value.withLock { $0 } }

    func set(_ text: String) {
        value.withLock { $0 = text }
    }
}
