// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
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

    /// A PostgreSQL server for the databases, each a schema; nil for SQLite files.
    let postgres: PostgresSchemas?

    /// - Parameter address: An empty PostgreSQL database.
    init(postgres address: String? = nil) throws {
        postgres = try address.map(PostgresSchemas.init)
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

    /// The path of an SQLite database of that name, which need not exist.
    func database(_ name: String) -> String { "\(folder)/\(name).db" }

    /// Writes a configuration with that database and any free port; its path.
    func configuration(database name: String) throws -> String {
        let path = "\(folder)/\(name).json"
        let value: JSONValue = [
            "listen": ["address": "127.0.0.1", "port": 0],
            "database": try postgres?.configuration(of: name)
                ?? ["sqlite": .string("\(name).db")],
            "webhooks": ["allow_addresses": ["127.0.0.1"], "allow_http": ["127.0.0.1"]],
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

    /// Makes a key of the app in a database, which is brought up to date for it; its text.
    func makeSecretKey(database name: String) throws -> String {
        let configuration = try readConfiguration(database: name)
        guard let app = configuration.apps.first else { throw BenchmarkFailure("no app") }
        let clock = FixedClock(now)
        return try waiting {
            try await KeyRing.with(
                configuration, clock: clock, random: SystemRandom(), readSecret: TextFile.bytes
            ) { ring in
                try await ring.create(for: app.id, label: "").text
            }
        }
    }

    /// Copies a database that nobody has open and that holds keys only.
    func copyDatabase(_ name: String, to copy: String) throws {
        if let postgres { return try postgres.copyKeys(of: name, to: copy, at: now) }
        try TextFile.write(TextFile.bytes(database(name)), to: database(copy))
    }

    /// How large a database is, without its log.
    func databaseByteCount(_ name: String) throws -> Int64 {
        if let postgres { return try postgres.byteCount(of: name) }
        var status = stat()
        guard stat(database(name), &status) == 0 else {
            throw BenchmarkFailure("there is no database \(name)")
        }
        return Int64(status.st_size)
    }

    /// The number that a query of one database results in.
    func number(_ sql: SQL, in name: String) throws -> Int64 {
        let configuration = try readConfiguration(database: name)
        return try waiting {
            let database = try configuration.database.open(
                random: SystemRandom(), readSecret: TextFile.bytes)
            let number = try await database.read { try $0.row(sql)?.integer(0) }
            await database.close()
            return number ?? 0
        }
    }

    /// Starts the server on that database.
    func server(database name: String) throws -> ServerProcess {
        try ServerProcess(
            program: program, configuration: try configuration(database: name))
    }
}
