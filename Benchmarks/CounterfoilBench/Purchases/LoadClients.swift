// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Clients that keep their connections and send one request after the other, all in one thread.
final class LoadClients {
    /// One request and its answer, in seconds of the monotonic clock.
    struct Exchange {
        /// Which of the requests it was.
        let request: Int
        let sentAt: Double
        let answeredAt: Double

        var seconds: Double { answeredAt - sentAt }
    }

    private struct Client {
        let descriptor: Int32
        var request = 0
        var sentAt = 0.0
        var received: [UInt8] = []
    }

    private var clients: [Client] = []
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    init(_ count: Int, port: UInt16) throws {
        for _ in 0..<count { clients.append(Client(descriptor: try Self.connected(to: port))) }
    }

    deinit {
        for client in clients { close(client.descriptor) }
    }

    /// Sends the requests, each client the next one that is left when it has its answer.
    ///
    /// - Returns: The exchanges, in the order of their ends.
    /// - Throws: ``BenchmarkFailure`` for an answer that the closure does not accept.
    func send(
        _ requests: ArraySlice<[UInt8]>, accepting isGood: (_ answer: [UInt8]) throws -> Bool
    ) throws -> [Exchange] {
        var rest = requests
        var exchanges: [Exchange] = []
        exchanges.reserveCapacity(requests.count)
        for index in clients.indices { try sendNext(of: &rest, on: index) }
        while exchanges.count < requests.count {
            for index in try readable() {
                guard let answer = try receive(on: index) else { continue }
                exchanges.append(
                    Exchange(
                        request: clients[index].request - requests.startIndex,
                        sentAt: clients[index].sentAt,
                        answeredAt: Clock.seconds(CLOCK_MONOTONIC)))
                guard try isGood(answer) else {
                    throw BenchmarkFailure(
                        "an answer was wrong:\n\(String(decoding: answer, as: UTF8.self))")
                }
                try sendNext(of: &rest, on: index)
            }
        }
        return exchanges
    }

    private static func connected(to port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
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
            throw BenchmarkFailure("no connection to port \(port)")
        }
        return descriptor
    }

    private func sendNext(of rest: inout ArraySlice<[UInt8]>, on index: Int) throws {
        clients[index].request = rest.startIndex
        guard let request = rest.popFirst() else { return }
        clients[index].sentAt = Clock.seconds(CLOCK_MONOTONIC)
        var unsent = request[...]
        while !unsent.isEmpty {
            let count = unsent.withUnsafeBytes {
                Glibc.send(
                    clients[index].descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw BenchmarkFailure("the server closed a connection") }
            unsent = unsent.dropFirst(count)
        }
    }

    /// The clients that have something to read; a server that says nothing for long has failed.
    private func readable() throws -> [Int] {
        var waiting = clients.map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        guard poll(&waiting, nfds_t(waiting.count), 60_000) > 0 else {
            throw BenchmarkFailure("the server did not answer for a minute")
        }
        return waiting.indices.filter { waiting[$0].revents != 0 }
    }

    /// The whole answer once it is there.
    private func receive(on index: Int) throws -> [UInt8]? {
        let count = recv(clients[index].descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw BenchmarkFailure("the server closed a connection") }
        clients[index].received += buffer[..<count]
        let received = clients[index].received
        guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self).lowercased()
        let length = head.split(separator: "\r\n")
            .first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).filter { $0 != " " }) }
        guard let length else { throw BenchmarkFailure("an answer has no length:\n\(head)") }
        guard received.count >= end.upperBound + length else { return nil }
        clients[index].received = []
        return received
    }
}
