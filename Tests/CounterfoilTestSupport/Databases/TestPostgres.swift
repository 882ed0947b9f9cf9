// SPDX-License-Identifier: Apache-2.0
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilDatabasePostgres
import Foundation

/// The PostgreSQL server of the tests, which `Scripts/test` starts and takes away with all that they
/// left in it; `COUNTERFOIL_TEST_POSTGRES` holds its address as a URI.
package enum TestPostgres {
    /// The address of a superuser's connection; nil where there is no server.
    package static let address: String? = {
        let value = ProcessInfo.processInfo.environment["COUNTERFOIL_TEST_POSTGRES"]
        return value == "" ? nil : value
    }()

    package static var isThere: Bool { address != nil }

    /// Keeps the tests of one process within the connections of the server.
    static let turnstile = Turnstile(places: 6)

    /// Waits for a place among those who use the server.
    package static func withPlace(_ body: () async throws -> Void) async throws {
        try await turnstile.pass(body)
    }

    /// Tells whether there is a server; where there is none, says that its tests are skipped.
    ///
    /// - Throws: ``Absent`` if the environment says `CI=true`: there, skipping would hide half of
    ///   the contract.
    @discardableResult
    package static func require() throws -> Bool {
        guard address == nil else { return true }
        guard ProcessInfo.processInfo.environment["CI"] != "true" else { throw Absent() }
        print("PostgreSQL: all tests skipped, COUNTERFOIL_TEST_POSTGRES names no server")
        return false
    }

    package struct Absent: Error, CustomStringConvertible {
        package var description: String { "COUNTERFOIL_TEST_POSTGRES names no server" }
    }

    /// The address of a database of the folder's own: a schema that is made at the first call and
    /// found again at later ones.
    package static func address(of folder: TemporaryFolder) async throws -> String {
        let schema = schemaName(of: folder)
        let keeper = try keeper.get()
        try await keeper.write { transaction in
            try transaction.execute(makeMaker)
            _ = try transaction.rows("SELECT pg_temp.make_schema($1)", [.value(schema)])
        }
        return try address(adding: "options=-csearch_path%3D\(schema)")
    }

    /// The server's address with a word more.
    package static func address(adding word: String) throws -> String {
        guard let address else { throw Absent() }
        return address + (address.contains("?") ? "&" : "?") + word
    }

    private static func schemaName(of folder: TemporaryFolder) -> String {
        let name = folder.path.split(separator: "/").last ?? ""
        return "t_" + name.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    /// The connection by which schemas are made.
    private static let keeper = Result {
        guard let address else { throw Absent() }
        return try PostgresDatabase(
            address: address,
            options: PostgresOptions(
                random: SystemRandom(), scheduling: .inline, allowsWeakDurability: true))
    }

    /// Names of schemas cannot be parameters of a statement; those of a function can.
    private static let makeMaker: SQL = """
        CREATE OR REPLACE FUNCTION pg_temp.make_schema(name text) RETURNS void LANGUAGE plpgsql AS
        'BEGIN EXECUTE format(''CREATE SCHEMA IF NOT EXISTS %I'', name); END'
        """
}
