// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// One way of wearing a server down. Each ends with all its connections closed.
enum Flood: String, CaseIterable, CustomStringConvertible {
    case unfinishedHeads = "a thousand heads that do not end"
    case unfinishedBodies = "a thousand bodies that do not end"
    case largeBodies = "64 bodies of 8 MB at once"
    case cutUploads = "a thousand uploads that are cut"
    case pipelines = "pipelines whose answers nobody reads"
    case slowReaders = "a thousand answers that nobody reads"
    case halfClosed = "a thousand peers that close half"
    case garbage = "a thousand connections of random bytes"
    case connections = "three thousand connections, each for one request"

    private static let connectionCount = 1_000

    /// The bytes of every body here, as a receipt.
    private static let largeByteCount = 8_000_000

    var description: String { rawValue }

    /// Runs the flood; `during` is called while it is at its height.
    func run(
        against server: ServerUnderTest, during: () throws -> Void
    ) throws {
        let attacker = Attacker(port: try server.runningPort())
        switch self {
        case .unfinishedHeads: try Self.sendHeads(attacker)
        case .unfinishedBodies: try Self.sendBodies(attacker)
        case .largeBodies: return try Self.sendLargeBodies(to: server, attacker, during)
        case .cutUploads: try Self.cutUploads(attacker)
        case .pipelines:
            let requests = Array(String(repeating: Self.get, count: 1_000).utf8)
            try attacker.openMany(8) { socket in
                while attacker.sendWithoutWaiting(requests, on: socket) == requests.count {}
            }
        case .slowReaders:
            try attacker.openMany(Self.connectionCount) {
                attacker.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", on: $0)
            }
        case .halfClosed: try Self.closeHalf(attacker)
        case .garbage: try Self.sendGarbage(attacker)
        case .connections:
            for _ in 0..<(3 * Self.connectionCount) {
                guard let socket = try attacker.open() else { break }
                attacker.send(Self.get, on: socket)
                _ = attacker.read(until: "\r\n\r\n", on: socket)
                attacker.close(socket)
            }
        }
        try during()
        attacker.closeAll()
    }

    private static func sendHeads(_ attacker: Attacker) throws {
        try attacker.openMany(connectionCount) {
            attacker.send("GET / HTTP/1.1\r\nHost: a\r\nX: ", on: $0)
        }
        // Each a little further: nobody may be served, nobody may cost more.
        for socket in attacker.sockets {
            attacker.send(String(repeating: "y", count: 8_000), on: socket)
        }
    }

    private static func sendBodies(_ attacker: Attacker) throws {
        let part = [UInt8](repeating: 0x41, count: 60_000)
        try attacker.openMany(connectionCount) {
            attacker.send(post(8_000_000), on: $0)
            attacker.send(part, on: $0)
        }
    }

    private static func cutUploads(_ attacker: Attacker) throws {
        let part = [UInt8](repeating: 0x41, count: 100_000)
        for _ in 0..<connectionCount {
            guard let socket = try attacker.open() else { break }
            attacker.send(post(1_000_000), on: socket)
            attacker.send(part, on: socket)
            attacker.close(socket, resetting: true)
        }
    }

    private static func closeHalf(_ attacker: Attacker) throws {
        try attacker.openMany(connectionCount) { socket in
            let isWhole = attacker.sockets.count.isMultiple(of: 2)
            attacker.send(isWhole ? get : "POST / HTTP/1.1\r\nHos", on: socket)
            shutdown(socket, Int32(SHUT_WR))
            guard isWhole else { return }
            let answer = attacker.read(until: "\r\n\r\n", on: socket)
            guard answer.hasPrefix("HTTP/1.1 200 ") else {
                throw Attacker.Failure(description: "a half-closed peer got: \(answer)")
            }
        }
    }

    private static func sendGarbage(_ attacker: Attacker) throws {
        var state: UInt64 = 0x2545_F491_4F6C_DD1D
        try attacker.openMany(connectionCount) { socket in
            var bytes: [UInt8] = []
            for _ in 0..<512 {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                bytes.append(UInt8(truncatingIfNeeded: state))
            }
            attacker.send(bytes + Array("\r\n\r\n".utf8), on: socket)
        }
    }

    private static let get = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func post(_ byteCount: Int) -> String {
        "POST /v1/purchases HTTP/1.1\r\nHost: a\r\nContent-Length: \(byteCount)\r\n\r\n"
    }

    /// Every body is a purchase with a receipt that must be read to its end to be refused.
    private static func sendLargeBodies(
        to server: ServerUnderTest, _ attacker: Attacker, _ during: () throws -> Void
    ) throws {
        let request = server.largeRequest(byteCount: largeByteCount)
        var left: [Int32: Int] = [:]
        try attacker.openMany(64) { left[$0] = 0 }
        var isFirst = true
        while !left.isEmpty {
            var polled = left.keys.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
            guard poll(&polled, nfds_t(polled.count), 60_000) > 0 else {
                throw Attacker.Failure(description: "nobody reads the bodies")
            }
            for entry in polled where entry.revents != 0 {
                let sent = left[entry.fd] ?? 0
                let part = Array(request[sent..<min(sent + 256 << 10, request.count)])
                let more = attacker.sendWithoutWaiting(part, on: entry.fd)
                // A refusal ends the sending; its answer is counted below.
                left[entry.fd] = more > 0 && sent + more < request.count ? sent + more : nil
            }
            if isFirst { try during() }
            isFirst = false
        }
        try during()
        var statuses: [String: Int] = [:]
        for socket in attacker.sockets {
            let answer = attacker.read(until: "\r\n\r\n", on: socket)
            statuses[String(answer.prefix(12).suffix(3)), default: 0] += 1
        }
        note("large bodies: \(statuses)")
        attacker.closeAll()
    }
}

extension Attacker {
    /// Opens so many connections, or as many as this process may, and uses each.
    func openMany(_ count: Int, _ use: (Int32) throws -> Void) throws {
        for _ in 0..<count {
            guard let socket = try open() else { return }
            try use(socket)
        }
    }
}
