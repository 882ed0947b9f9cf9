// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// Many raw connections to a server, held by one thread that blocks.
final class Attacker {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let port: UInt16
    private(set) var sockets: [Int32] = []

    init(port: UInt16) {
        self.port = port
    }

    deinit { closeAll() }

    /// Opens a connection and keeps it; nil when this process may open no more files.
    @discardableResult
    func open() throws -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        if descriptor < 0, errno == EMFILE { return nil }
        guard descriptor >= 0 else { throw Failure(description: "no socket: \(errno)") }
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw Failure(description: "no connection: \(errno)")
        }
        sockets.append(descriptor)
        return descriptor
    }

    /// Closes one connection; with unsent or unread bytes the other end sees a reset.
    func close(_ descriptor: Int32, resetting: Bool = false) {
        if resetting {
            var linger = linger(l_onoff: 1, l_linger: 0)
            let size = socklen_t(MemoryLayout<Glibc.linger>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, size)
        }
        Glibc.close(descriptor)
        sockets.removeAll { $0 == descriptor }
    }

    func closeAll() {
        for descriptor in sockets { Glibc.close(descriptor) }
        sockets = []
    }

    /// Sends all bytes; false if the server ended the connection first.
    @discardableResult
    func send(_ bytes: [UInt8], on descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func send(_ text: String, on descriptor: Int32) -> Bool {
        send(Array(text.utf8), on: descriptor)
    }

    /// Sends what fits at once; the number of bytes that did.
    func sendWithoutWaiting(_ bytes: [UInt8], on descriptor: Int32) -> Int {
        bytes.withUnsafeBytes {
            max(
                0,
                Glibc.send(
                    descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            )
        }
    }

    /// Reads until the text contains `end`, or to the end of the connection.
    func read(until end: String?, on descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
            if let end, String(decoding: bytes, as: UTF8.self).contains(end) { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads so many bytes and throws them away; what was read before the connection ended.
    func skip(_ count: Int, on descriptor: Int32) -> Int {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var skipped = 0
        while skipped < count {
            let read = recv(descriptor, &buffer, min(buffer.count, count - skipped), 0)
            guard read > 0 else { break }
            skipped += read
        }
        return skipped
    }
}

/// Says at once what was measured, so that a test that hangs leaves it.
func note(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}
