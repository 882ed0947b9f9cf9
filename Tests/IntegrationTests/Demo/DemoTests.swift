// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Glibc
import Testing

@Suite("The demo")
struct Demo {
    @Test("Its story comes out right, in new books and again in the same ones")
    func story() throws {
        let folder = TemporaryFolder()
        let port = try freePort()
        for _ in 0..<2 {
            let (status, output) = try ChildProcess.run(
                Installation.program,
                ["demo", "--exit", "--folder", folder.file("var"), "--port", "\(port)"])
            #expect(status == 0, "\(output)")
            #expect(output.contains("Every step came out right."))
            #expect(!output.contains("NOT"), "\(output)")
        }
    }

    /// A port that nobody listens on at the moment.
    private func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isBound)
        return UInt16(bigEndian: address.sin_port)
    }
}
