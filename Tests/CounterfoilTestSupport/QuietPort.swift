// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Ports of this machine that nobody listens on.
public enum QuietPort {
    /// Below the range from which the system serves those who ask for any port, so that no test
    /// that runs beside takes the port before it is used.
    private static let range: ClosedRange<UInt16> = 10_000...31_999

    /// A port that is free at the moment; each call draws another.
    public static func find() -> UInt16 {
        for _ in 0..<1000 {
            let port = UInt16.random(in: range)
            if isFree(port) { return port }
        }
        preconditionFailure("a machine has a free port below the system's own range")
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
