// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import Glibc
import Synchronization

/// A server that answers each connection as a script says, byte for byte.
package final class RawServer: Sendable {
    package typealias Script = @Sendable (RawConnection) -> Void

    private struct State {
        var sockets: Set<Int32> = []
        var mostSockets = 0
        var isStopped = false
    }

    package let port: UInt16
    private let listener: Int32
    private let script: Script
    private let state = Mutex(State())
    private let accepted = Atomic(0)

    /// The connections that were taken so far.
    package var connectionCount: Int { accepted.load(ordering: .relaxed) }

    /// The most connections that were open at once.
    package var mostConnections: Int { state.withLock { $0.mostSockets } }

    package init(_ script: @escaping Script) throws {
        (listener, port) = try Self.listen()
        self.script = script
        _ = try SystemThread.start { [self] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { break }
                serve(socket)
            }
            close(listener)
        }
    }

    private static func listen() throws -> (Int32, UInt16) {
        struct NoSocket: Error {}
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && Glibc.listen(listener, 512) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { throw NoSocket() }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private func serve(_ socket: Int32) {
        let number = accepted.add(1, ordering: .relaxed).newValue
        let isStopped = state.withLock { state in
            state.sockets.insert(socket)
            state.mostSockets = max(state.mostSockets, state.sockets.count)
            return state.isStopped
        }
        if isStopped { shutdown(socket, Int32(SHUT_RDWR)) }
        let thread = try? SystemThread.start { [self] in
            script(RawConnection(socket: socket, number: number))
            state.withLock { _ = $0.sockets.remove(socket) }
            close(socket)
        }
        precondition(thread != nil, "the system has a thread left")
    }

    /// Takes no more connections and ends the open ones.
    package func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        state.withLock { state in
            state.isStopped = true
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }
}

/// One connection of the server, on a thread of its own.
package struct RawConnection: Sendable {
    package let socket: Int32

    /// 1 for the server's first connection.
    package let number: Int

    /// Reads one request with its body; nil when the client went away.
    package func readRequest() -> String? {
        var bytes: [UInt8] = []
        var end: Int?
        while true {
            if end == nil,
                let head = String(decoding: bytes, as: UTF8.self)
                    .firstRange(of: "\r\n\r\n")
            {
                let text = String(decoding: bytes, as: UTF8.self)[..<head.upperBound]
                let length = text.lowercased().split(separator: "\r\n")
                    .first { $0.hasPrefix("content-length: ") }
                    .flatMap { Int($0.dropFirst(16)) }
                end = text.utf8.count + (length ?? 0)
            }
            if let end, bytes.count >= end { return String(decoding: bytes, as: UTF8.self) }
            guard let more = read() else { return nil }
            bytes += more
        }
    }

    private func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(socket, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Sends all of the text; false if the client went away first.
    @discardableResult
    package func send(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends an answer of a known length.
    @discardableResult
    package func answer(_ body: String, status: String = "200 OK", headers: String = "") -> Bool {
        send("HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// Waits until the client closes.
    package func awaitClose() {
        while read() != nil {}
    }
}
