// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import CounterfoilHTTPClient
import CounterfoilTestSupport
import Foundation
import Glibc
import Testing

/// A TLS server with a certificate of its own, made by the `openssl` program.
private final class TLSServer {
    static let program = ["/usr/bin/openssl", "/usr/local/bin/openssl"]
        .first(where: FileManager.default.isExecutableFile(atPath:))

    let certificateFile: String
    let port: Int
    private let folder: URL
    private let process: ChildProcess

    /// - Parameters:
    ///   - name: The subject alternative name in the certificate.
    ///   - version: The option that limits the server to a version of TLS.
    init(name: String = "IP:127.0.0.1", version: String? = nil) throws {
        let program = try #require(Self.program)
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("counterfoil-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificateFile = folder.appendingPathComponent("certificate").path
        let key = folder.appendingPathComponent("key").path
        _ = try ChildProcess.run(
            program,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", "/CN=test", "-addext", "subjectAltName=\(name)", "-days", "2", "-keyout",
                key, "-out", certificateFile,
            ])
        process = try ChildProcess(
            program,
            ["s_server", "-accept", "127.0.0.1:0", "-cert", certificateFile, "-key", key, "-www"]
                + (version.map { [$0, "-cipher", "DEFAULT@SECLEVEL=0"] } ?? []))
        port = try process.firstLine { line in
            line.hasPrefix("ACCEPT ") ? line.split(separator: ":").last.flatMap { Int($0) } : nil
        }
    }

    deinit {
        // A thread of the pool masks softer signals, and its children inherit that.
        process.signal(SIGKILL)
        process.wait()
        try? FileManager.default.removeItem(at: folder)
    }
}

@Suite(
    "Verification of servers", .enabled(if: TLSServer.program != nil, "needs openssl"), .serialized)
struct Verification {
    private func code(
        _ server: TLSServer, _ authorities: HTTPClientConfiguration.Authorities
    ) async throws -> HTTPTransportError.Code? {
        var configuration = HTTPClientConfiguration()
        configuration.authorities = authorities
        let client = try HTTPClient(configuration: configuration)
        let error = await client.failure(of: .get, "https://127.0.0.1:\(server.port)/")
        await client.close(gracePeriod: .zero)
        if let error { #expect(!error.wasSent) }
        return error?.code
    }

    @Test("A server is believed for a given authority, from a file or a text, and for no other")
    func authorities() async throws {
        let server = try TLSServer()
        let pem = try String(contentsOfFile: server.certificateFile, encoding: .utf8)
        #expect(try await code(server, .file(server.certificateFile)) == nil)
        #expect(try await code(server, .pem(pem)) == nil)
        #expect(try await code(server, .system) == .tls)
        let other = try TLSServer()
        #expect(try await code(server, .file(other.certificateFile)) == .tls)
    }

    @Test("A believed certificate of another host is refused")
    func otherHost() async throws {
        let server = try TLSServer(name: "IP:127.0.0.2")
        #expect(try await code(server, .file(server.certificateFile)) == .tls)
    }

    @Test("Versions before TLS 1.2 are refused")
    func oldVersion() async throws {
        let server = try TLSServer(version: "-tls1_1")
        #expect(try await code(server, .file(server.certificateFile)) == .tls)
    }

    @Test("Authorities that cannot be read are no authorities")
    func unreadable() async throws {
        let server = try TLSServer()
        #expect(try await code(server, .file("/nowhere/authorities")) == .system)
        #expect(try await code(server, .pem("no certificate")) == .system)
    }
}
