// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

/// The real program under floods: it goes on answering, and takes no more memory than it says.
@Suite(.serialized) struct AFloodedServerGoesOn {
    /// What each open connection may take, with its buffer and a first part of a body.
    private static let kilobytesPerConnection = 32 + 64 + 8

    /// What bodies together may take, with what their handlers make of one of them.
    private static let sharedKilobytes = (64 + 64) << 10

    /// What may be kept for later floods when all connections are gone.
    private static let keptKilobytes = 48 << 10

    @Test(
        "A flood ends with as much memory as it began, also when it comes again",
        arguments: Flood.allCases)
    func memory(flood: Flood) async throws {
        let server = try await ServerUnderTest(limits: "{ connections: 2000 }")
        try server.start()
        try await onThread {
            try Self.answer(server)
            let files = try server.openFiles()
            let before = try server.anonymousMemory()
            var peak = 0
            var after: [Int] = []
            for _ in 0..<2 {
                try flood.run(against: server) {
                    try Self.answer(server)
                    peak = max(peak, try server.anonymousMemory())
                }
                try Self.becomesQuiet(server, files, before + Self.keptKilobytes)
                after.append(try server.anonymousMemory())
            }
            note("\(flood): RssAnon \(before) KB before, \(peak) at its height, \(after) after")
            #expect(peak <= before + 1_000 * Self.kilobytesPerConnection + Self.sharedKilobytes)
            #expect((after.last ?? 0) <= before + Self.keptKilobytes)
        }
        #expect(server.stop() == 0, "\(server.output)")
    }

    @Test("Ten thousand idle connections keep nobody out")
    func idle() async throws {
        let server = try await ServerUnderTest(limits: "{ connections: 10100 }")
        try server.start()
        try await onThread {
            try Self.answer(server)
            let files = try server.openFiles()
            let before = try server.anonymousMemory()
            let attacker = Attacker(port: try server.runningPort())
            try attacker.openMany(10_000) { socket in
                guard attacker.sockets.count.isMultiple(of: 2) else { return }
                attacker.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", on: socket)
                _ = attacker.read(until: "\r\n\r\n", on: socket)
            }
            try Self.answer(server)
            let count = attacker.sockets.count
            let during = try server.anonymousMemory()
            attacker.closeAll()
            try Self.becomesQuiet(server, files, before + Self.keptKilobytes)
            let after = try server.anonymousMemory()
            note("\(count) idle connections: RssAnon \(before) KB, \(during), \(after)")
            #expect(count >= 1_000)
            #expect(during <= before + count * 40)
            #expect(after <= before + Self.keptKilobytes)
        }
        #expect(server.stop() == 0, "\(server.output)")
    }

    private static func answer(_ server: ServerUnderTest) throws {
        let answer = try HTTPConnection(port: server.runningPort()).send("GET", "/healthz")
        #expect(answer.status == 200)
    }

    /// Waits until the server has closed what its clients closed, and has given its memory back.
    private static func becomesQuiet(
        _ server: ServerUnderTest, _ files: Int, _ kilobytes: Int
    ) throws {
        for _ in 0..<30_000 {
            try answer(server)
            // A few readers of the database may have opened theirs since.
            if try server.openFiles() < files + 20, try server.anonymousMemory() <= kilobytes {
                return
            }
        }
        throw Attacker.Failure(
            description: """
                \(try server.openFiles()) files and \(try server.anonymousMemory()) KB stay, after \
                \(files) files and \(kilobytes) KB at most
                """)
    }
}
