// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilServer
import CounterfoilSimulator
import Glibc

/// The demo's files: a simulated store's authority, a catalogue, a configuration and a key.
///
/// They are made where they are missing, so the second run finds the books of the first.
struct DemoFolder: Sendable {
    static let app = "demo"
    static let bundleID = "com.example.demo"

    let path: String
    let authority: Authority

    var configuration: String { "\(path)/counterfoil.json" }
    var serverLog: String { "\(path)/server.log" }
    var acknowledgements: String { "\(path)/acknowledged.log" }
    var samplePurchase: String { "\(path)/purchase.json" }

    /// What StoreKit signed of that purchase, alone.
    var sampleTransaction: String { "\(path)/transaction.jws" }
    var signedDataRoot: String { "\(path)/authority/\(Authority.rootFileNames[0])" }
    private var catalogue: String { "\(path)/catalog.json" }

    init(_ path: String, port: UInt16, clock: any WallClock) throws {
        self.path = path
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw InputError(name: path, errno: errno)
        }
        let folder = "\(path)/authority"
        if InputFile.isFolder(folder) {
            authority = try Authority(folder: folder)
        } else {
            authority = try Authority(clock: clock, random: SystemRandom())
            try authority.save(to: folder)
        }
        try OutputFile.write(Self.catalogueText, to: catalogue)
        try OutputFile.write(Self.configurationText(port: port), to: configuration)
    }

    private static let catalogueText = """
        // What the demo sells.
        {
          units: [{ id: "coins", kind: "currency", held_by: "counterfoil" }],
          products: [
            {
              id: "com.example.demo.coins100", type: "consumable",
              prices: { USA: { amount_milli: 990, currency: "USD" } },
              goods: [{ unit: "coins", amount: 100, bonus: 10 }],
            },
            {
              id: "com.example.demo.noads", type: "non_consumable",
              prices: { USA: { amount_milli: 2990, currency: "USD" } },
              goods: [{ entitlement: "no_ads" }],
            },
          ],
        }

        """

    private static func configurationText(port: UInt16) -> String {
        let roots = Authority.rootFileNames.map { "\"authority/\($0)\"" }.joined(separator: ", ")
        return """
            // The demo's server. Its only app is simulated: it trusts these roots and never Apple's.
            {
              listen: { address: "127.0.0.1", port: \(port) },
              database: { sqlite: "counterfoil.db" },
              apps: [
                {
                  id: "\(app)",
                  bundle_id: "\(bundleID)",
                  simulated: true,
                  roots: [\(roots)],
                  catalogue: "catalog.json",
                  deliver_from: { Production: "2020-01-01T00:00:00Z" },
                },
              ],
            }

            """
    }
}

/// Writes files of our own; nobody but the user may read them.
enum OutputFile {
    static func write(_ text: String, to path: String) throws(InputError) {
        try put(Array(text.utf8), to: path, flags: O_WRONLY | O_CREAT | O_TRUNC)
    }

    /// Adds a line to a file and returns once it is on disk.
    static func append(_ line: String, to path: String) throws(InputError) {
        try put(Array("\(line)\n".utf8), to: path, flags: O_WRONLY | O_CREAT | O_APPEND)
    }

    private static func put(_ bytes: [UInt8], to path: String, flags: Int32) throws(InputError) {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw InputError(name: path, errno: errno) }
        defer { close(descriptor) }
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count,
            fdatasync(descriptor) == 0
        else { throw InputError(name: path, errno: errno) }
    }
}

extension DemoFolder {
    /// A key for this run; those of earlier runs are revoked, so that only one is about.
    func makeKey(clock: any WallClock) async throws -> String {
        let app = try AppID(Self.app)
        let file = try ConfigurationFile(path: configuration)
        return try await KeyRing.with(
            file.configuration, clock: clock, random: SystemRandom(),
            readSecret: { try InputFile.secret(of: $0) }
        ) { keys in
            try await keys.revokeAll(of: app)
            return try await keys.create(for: app, label: "demo").text
        }
    }
}
