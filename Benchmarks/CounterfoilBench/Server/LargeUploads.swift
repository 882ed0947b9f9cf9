// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization

/// Clients of several networks that hand in one large receipt after the other until they are stopped.
final class LargeUploads: Sendable {
    static let connections = 8
    static let networks = 4

    /// The body of each, nearly all of it a receipt that nobody signed.
    static let byteCount = 8_000_000

    private let port: UInt16
    private let head: [UInt8]
    private let isStopping = Atomic(false)
    private let running = DispatchGroup()
    private let statuses = Mutex<[String: Int]>([:])

    init(to port: UInt16, secretKey: String) {
        self.port = port
        head = Array(
            """
            POST /v1/purchases HTTP/1.1\r
            Host: 127.0.0.1\r
            Authorization: Bearer \(secretKey)\r
            Content-Type: application/json\r
            Content-Length: \(Self.byteCount)\r
            \r

            """.utf8)
    }

    func start() {
        for number in 0..<Self.connections {
            running.enter()
            Thread.detachNewThread { [self] in
                upload(as: number)
                running.leave()
            }
        }
    }

    /// Ends them when each has its answer, and returns how often each status came.
    func stop() -> [String: Int] {
        isStopping.store(true, ordering: .relaxed)
        running.wait()
        return statuses.withLock { $0 }
    }

    private func upload(as number: Int) {
        var request = head + Self.body
        var descriptor: Int32 = -1
        var round = 0
        while !isStopping.load(ordering: .relaxed) {
            if descriptor < 0 { descriptor = connection(from: number % Self.networks) }
            guard descriptor >= 0 else { return }
            // Another receipt each time, as the server knows those that it has seen.
            round += 1
            let mark = Array(String(1_000_000 + round * Self.connections + number).utf8)
            let start = head.count + Self.opening.count
            request.replaceSubrange(start..<(start + mark.count), with: mark)
            let status = answer(to: request, on: descriptor)
            statuses.withLock { $0[status, default: 0] += 1 }
            if status != "200" {
                close(descriptor)
                descriptor = -1
            }
        }
        if descriptor >= 0 { close(descriptor) }
    }

    private static let opening = Array(#"{"customer_id":"player","receipt_data":""#.utf8)

    private static let body: [UInt8] = {
        let closing = Array(#""}"#.utf8)
        let room = byteCount - opening.count - closing.count
        let receipt = [UInt8](repeating: UInt8(ascii: "A"), count: room & ~3)
        let rest = [UInt8](repeating: UInt8(ascii: " "), count: room & 3)
        return opening + receipt + closing + rest
    }()

    private func connection(from network: Int) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = (UInt32(0x7F00_000A) + UInt32(network)).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        func call(_ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32) -> Bool {
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    function(descriptor, $0, size) == 0
                }
            }
        }
        let isBound = call(bind)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        if isBound, call(connect) { return descriptor }
        close(descriptor)
        return -1
    }

    /// The status, or why there is none; a refused body is sent to its end all the same.
    private func answer(to request: [UInt8], on descriptor: Int32) -> String {
        var rest = request[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, min($0.count, 256 << 10), Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { break }
            rest = rest.dropFirst(count)
        }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 12 else { return "cut" }
        return String(decoding: buffer[9..<12], as: UTF8.self)
    }
}
