// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilServer
import CounterfoilSimulator
import Foundation
import Glibc

/// A temporary folder with a configuration, a catalogue and roots; it goes with the instance.
final class Installation {
    static let app = "game"
    static let productID = "com.example.game.coins100"

    let authority: Authority
    let now: Instant
    let program: String
    private let folder: String

    init() throws {
        now = Instant(
            millisecondsSinceEpoch: Int64(Clock.seconds(CLOCK_REALTIME) * 1_000))
        authority = try Authority(clock: FixedClock(now), random: SystemRandom())
        program = try Self.programBesideThisOne()
        let parent = FileManager.default.temporaryDirectory.path
        var template = Array("\(parent)/counterfoil-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchmarkFailure("no temporary folder") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try TextFile.write(ConfigurationTemplate.catalogue.utf8, to: "\(folder)/catalog.json")
        for (index, root) in authority.rootCertificatesPEM.enumerated() {
            try TextFile.write(root.utf8, to: "\(folder)/root\(index).pem")
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A release build of the server lies where this program does.
    private static func programBesideThisOne() throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: own).deletingLastPathComponent()
            .appendingPathComponent("counterfoil").path
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw BenchmarkFailure("\(program) is not there: swift build -c release makes it")
        }
        return program
    }

    /// The path of a database of that name, which need not exist.
    func database(_ name: String) -> String { "\(folder)/\(name).db" }

    /// Writes a configuration with that database and any free port; its path.
    func configuration(database name: String) throws -> String {
        let path = "\(folder)/\(name).json"
        let value: JSONValue = [
            "listen": ["address": "127.0.0.1", "port": 0],
            "database": ["sqlite": .string("\(name).db")],
            "apps": [
                [
                    "id": .string(Self.app), "bundle_id": .string(Material.bundleID),
                    "simulated": true, "roots": ["root0.pem", "root1.pem"],
                    "catalogue": "catalog.json",
                    "deliver_from": ["Production": .string((now - .seconds(86_400)).rfc3339)],
                ]
            ],
        ]
        try TextFile.write(value.utf8, to: path)
        return path
    }

    /// The configuration as the server reads it.
    func readConfiguration(database name: String) throws -> ServerConfiguration {
        let path = try configuration(database: name)
        return try ServerConfiguration(reading: TextFile.bytes(path), name: path)
            .resolved(in: folder)
    }

    /// Copies a database that nobody has open.
    func copyDatabase(_ name: String, to copy: String) throws {
        try TextFile.write(TextFile.bytes(database(name)), to: database(copy))
    }

    /// How large the file of a database is, without its log.
    func databaseByteCount(_ name: String) throws -> Int64 {
        var status = stat()
        guard stat(database(name), &status) == 0 else {
            throw BenchmarkFailure("there is no database \(name)")
        }
        return Int64(status.st_size)
    }

    /// Starts the server on that database.
    func server(database name: String) throws -> ServerProcess {
        try ServerProcess(
            program: program, configuration: try configuration(database: name))
    }
}
