// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization

/// A relay before the tests' PostgreSQL server that can cut connections at the worst moment.
package final class PostgresProxy: Sendable {
    package enum Cut: Sendable {
        case none

        /// The next COMMIT does not reach the server.
        case beforeCommit

        /// The next COMMIT reaches the server, and its reply does not come back.
        case afterCommit
    }

    /// Two sockets, and the threads that carry bytes between them.
    private final class Relay: Sendable {
        let client: Int32
        let server: Int32
        let isMuted = Atomic(false)
        private let running = Mutex(2)

        init(client: Int32, server: Int32) {
            self.client = client
            self.server = server
        }

        func cut() {
            running.withLock { if $0 > 0 { shutDown() } }
        }

        /// The last of the two threads closes the sockets, so that no number is used again too early.
        func end() {
            running.withLock { count in
                shutDown()
                count -= 1
                guard count == 0 else { return }
                close(client)
                close(server)
            }
        }

        private func shutDown() {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    private struct State {
        var cut = Cut.none
        var isRefusing = false
        var relays: [Relay] = []
    }

    /// The address by which the relay is reached instead of the server.
    package let address: String
    private let serverPort: UInt16
    private let listener: Int32
    private let state = Mutex(State())

    /// - Parameter address: The server's, as a URI with a port of the loopback interface.
    package init(to address: String) throws {
        let pieces = address.split(separator: "@127.0.0.1:")
        guard pieces.count == 2, let port = UInt16(pieces[1].prefix { $0.isNumber }) else {
            throw Failure(description: "the server's address has no port to relay to")
        }
        serverPort = port
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let ownPort = QuietPort.find()
        self.address =
            "\(pieces[0])@127.0.0.1:\(ownPort)\(pieces[1].drop { $0.isNumber })"
        guard Self.withLoopback(ownPort, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
        else { throw Failure(description: "the relay cannot listen on port \(ownPort)") }
        Thread.detachNewThread { [self] in accept() }
    }

    private struct Failure: Error {
        let description: String
    }

    private static func withLoopback(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Cuts one connection at its next COMMIT.
    package func cutNext(_ cut: Cut) {
        state.withLock { $0.cut = cut }
    }

    /// Cuts all connections and, while it refuses, every new one: the server is away.
    package func setRefusing(_ isRefusing: Bool) {
        let relays = state.withLock { state in
            state.isRefusing = isRefusing
            return isRefusing ? state.relays : []
        }
        for relay in relays { relay.cut() }
    }

    /// Ends the relay and all its connections.
    package func stop() {
        setRefusing(true)
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else {
                if errno == EINTR { continue }
                close(listener)
                return
            }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let isRefusing = state.withLock { $0.isRefusing }
            guard !isRefusing, Self.withLoopback(serverPort, { connect(server, $0, $1) }) == 0
            else {
                close(client)
                close(server)
                continue
            }
            let relay = Relay(client: client, server: server)
            state.withLock { $0.relays.append(relay) }
            Thread.detachNewThread { [self] in carryRequests(relay) }
            Thread.detachNewThread { [self] in carryReplies(relay) }
        }
    }

    private func carryRequests(_ relay: Relay) {
        carry(from: relay.client, to: relay.server) { bytes in
            guard Self.holdsCommit(bytes) else { return true }
            let cut = state.withLock { state in
                defer { state.cut = .none }
                return state.cut
            }
            if case .afterCommit = cut {
                relay.isMuted.store(true, ordering: .sequentiallyConsistent)
            }
            if case .beforeCommit = cut { return false }
            return true
        }
        relay.end()
    }

    /// The server has committed when it answers; that is when a muted connection is cut.
    private func carryReplies(_ relay: Relay) {
        carry(from: relay.server, to: relay.client) { _ in
            !relay.isMuted.load(ordering: .sequentiallyConsistent)
        }
        relay.end()
    }

    private func carry(
        from source: Int32, to destination: Int32, while mayPass: (ArraySlice<UInt8>) -> Bool
    ) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(source, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0, mayPass(buffer[..<count]) else { return }
            var sent = 0
            while sent < count {
                let written = buffer[sent..<count].withUnsafeBytes {
                    send(destination, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { return }
                sent += written
            }
        }
    }

    private static func holdsCommit(_ bytes: ArraySlice<UInt8>) -> Bool {
        let word = Array("COMMIT\0".utf8)
        return bytes.indices.dropLast(word.count - 1).contains { start in
            bytes[start] == word[0] && bytes[start..<(start + word.count)].elementsEqual(word)
        }
    }
}
