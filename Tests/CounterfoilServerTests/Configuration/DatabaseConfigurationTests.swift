// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilDatabasePostgres
import CounterfoilServer
import Testing

/// Reads a configuration whose member `database` is the text.
private func read(_ database: String) throws(ConfigurationError) -> DatabaseConfiguration {
    let text = """
        { "database": \(database),
          "apps": [{ "id": "game", "bundle_id": "b", "app_apple_id": 1, "catalogue": "c.json",
            "deliver_from": { "Production": "2026-01-01T00:00:00Z" } }] }
        """
    return try ServerConfiguration(reading: Array(text.utf8), name: "c.json")
        .resolved(in: "/etc/counterfoil").database
}

struct ADatabaseIsConfigured {
    private func postgres(_ database: String) throws -> PostgresConfiguration? {
        guard case .postgres(let configuration) = try read(database) else { return nil }
        return configuration
    }

    @Test(
        "A file is named shortly or by its engine, relative to the configuration",
        arguments: [#""books.db""#, #"{ "sqlite": "books.db" }"#])
    func file(database: String) throws {
        #expect(try read(database) == .sqlite(path: "/etc/counterfoil/books.db"))
    }

    @Test(
        "A server is named shortly or by its engine",
        arguments: [
            #""postgres://u@h/d""#, #"{ "postgres": "postgres://u@h/d" }"#,
        ])
    func server(database: String) throws {
        let configuration = try #require(try postgres(database))
        #expect(configuration == PostgresConfiguration(address: "postgres://u@h/d"))
        #expect(configuration.connections == 8)
        #expect(configuration.isolation == .readCommitted)
        #expect(!configuration.allowsWeakDurability)
    }

    @Test("Everything about a server can be set")
    func everything() throws {
        let configuration = try #require(
            try postgres(
                """
                { "postgres": "postgresql://h/d", "password_file": "secret", "connections": 16,
                  "isolation": "serializable", "allow_weak_durability": true }
                """))
        #expect(configuration.address == "postgresql://h/d")
        #expect(configuration.passwordPath == "/etc/counterfoil/secret")
        #expect(configuration.connections == 16)
        #expect(configuration.isolation == .serializable)
        #expect(configuration.allowsWeakDurability)
    }

    @Test(
        "A fault is named, and no address is shown",
        arguments: [
            (#""""#, "database is neither a path nor a postgres:// address"),
            (#""mysql://secret@h/d""#, "database is neither a path nor a postgres:// address"),
            (#"{ "postgres": "secret" }"#, "database.postgres is no address such as"),
            (#"{ "postgres": 7 }"#, "database.postgres is no address such as"),
            (#"{ "postgres": "postgres://h/d", "sqlite": "a" }"#, "stands beside postgres"),
            (#"{ "postgres": "postgres://h/d", "connections": 0 }"#, "database.connections is 0"),
            (#"{ "postgres": "postgres://h/d", "isolation": "none" }"#, "database.isolation is"),
            (#"{ "sqlite": "a", "connections": 8 }"#, "database.connections is unknown here"),
            ("7", "database is a number where an object is expected"),
        ])
    func fault(database: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { _ = try read(database) }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
        #expect(error?.description.contains("secret") == false)
    }

    @Test(
        "A password file that holds none stops the start by name",
        arguments: ["", "\n", "a\u{0}b", String(repeating: "x", count: 2000)])
    func password(text: String) throws {
        let configuration = try read(
            #"{ "postgres": "postgres://127.0.0.1:1/d", "password_file": "/secret" }"#)
        let error = #expect(throws: DatabaseError.self) {
            _ = try configuration.open(random: SystemRandom()) { path in
                #expect(path == "/secret")
                return Array(text.utf8)
            }
        }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains("/secret does not hold a password") == true)
    }
}
