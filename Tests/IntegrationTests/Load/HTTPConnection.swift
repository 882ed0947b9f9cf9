// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// One blocking HTTP/1.1 connection to the server under test, kept alive between requests.
final class HTTPConnection {
    struct Broken: Error, CustomStringConvertible {
        let description: String

        /// - Parameter call: What failed, for the reason that the system gives now.
        fileprivate init(_ call: String) {
            description = "\(call): \(String(cString: strerror(errno)))"
        }
    }

    struct Answer {
        let status: Int
        let headers: [String: String]
        let body: [UInt8]
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    /// Connects to the port on this machine.
    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Broken("socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, length)
            }
        }
        // The end of this object closes the socket, also now.
        guard status == 0 else { throw Broken("connect") }
        // A server that hangs fails the test instead of hanging it.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    }

    deinit {
        close(descriptor)
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Throws: ``Broken`` when the server went away before the whole answer was here.
    func send(
        _ method: String, _ target: String, headers: [String: String] = [:], body: [UInt8] = []
    ) throws -> Answer {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
        try write(Array("\(head)\r\n".utf8) + body)
        return try readAnswer()
    }

    private func write(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Broken("send") }
            sent += count
        }
    }

    private func readAnswer() throws -> Answer {
        let separator = Array("\r\n\r\n".utf8)
        var end = received.firstRange(of: separator)
        while end == nil {
            try readMore()
            end = received.firstRange(of: separator)
        }
        guard let end else { throw Broken("no head") }
        var lines = String(decoding: received[..<end.lowerBound], as: UTF8.self)
            .components(separatedBy: "\r\n")
        let statusLine = lines.removeFirst().split(separator: " ")
        guard statusLine.count >= 2, let status = Int(statusLine[1]) else {
            throw Broken("status line \(statusLine)")
        }
        var headers: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { throw Broken("field \(line)") }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        received.removeSubrange(..<end.upperBound)
        while received.count < length { try readMore() }
        let body = Array(received.prefix(length))
        received.removeFirst(length)
        return Answer(status: status, headers: headers, body: body)
    }

    private func readMore() throws {
        var buffer = [UInt8](repeating: 0, count: 16384)
        var count = recv(descriptor, &buffer, buffer.count, 0)
        while count < 0, errno == EINTR { count = recv(descriptor, &buffer, buffer.count, 0) }
        guard count > 0 else {
            if count == 0 { errno = 0 }
            throw Broken("recv after \(received.count) bytes")
        }
        received += buffer.prefix(count)
    }
}
