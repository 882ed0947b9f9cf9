// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A client that sends exactly the bytes it is told to.
///
/// Its calls block, so each runs on a thread of its own and on no pool that the server needs.
final class RawClient: Sendable {
    struct Failure: Error {
        let call: String
        let code: Int32
    }

    private let socket: Int32

    /// - Parameter source: The address to connect from; all of 127/8 are this machine.
    init(port: UInt16, from source: String = "127.0.0.1") throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(
            socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(source)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0 else { throw Failure(call: "bind", code: errno) }
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure(call: "connect", code: errno) }
    }

    deinit { close(socket) }

    /// Tells the other end that nothing more comes, and goes on reading.
    func stopSending() { shutdown(socket, Int32(SHUT_WR)) }

    private func onThread<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            let body = Unmanaged.passRetained(Body { continuation.resume(returning: work()) })
            var thread = pthread_t()
            let status = pthread_create(
                &thread, nil,
                { argument in
                    guard let argument else { return nil }
                    pthread_detach(pthread_self())
                    Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, body.toOpaque())
            precondition(status == 0, "the system has a thread left")
        }
    }

    private final class Body {
        let run: () -> Void

        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// Sends all bytes; false if the other end went away first.
    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool {
        await onThread { [socket] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    @discardableResult
    func send(_ text: String) async -> Bool {
        await send(Array(text.utf8))
    }

    /// Waits until the system of the other end has all that was sent, read or not.
    func arrival() async {
        await onThread { [socket] in
            var count: Int32 = 0
            while ioctl(socket, UInt(TIOCOUTQ), &count) == 0, count > 0 { sched_yield() }
        }
    }

    /// Reads until the text contains `end`, or to the end where it is nil.
    func read(until end: String? = nil) async -> String {
        await onThread { [socket] in
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = recv(socket, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                bytes += buffer[..<count]
                if let end, String(decoding: bytes, as: UTF8.self).contains(end) { break }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Whether the other end closes without another byte.
    func isClosedByServer() async -> Bool {
        await onThread { [socket] in
            var byte: UInt8 = 0
            let count = recv(socket, &byte, 1, 0)
            return count == 0 || count < 0 && errno == ECONNRESET
        }
    }
}
