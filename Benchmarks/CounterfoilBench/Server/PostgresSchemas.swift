// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilDatabasePostgres
import CounterfoilStore

/// Databases on one PostgreSQL server: each is a schema of its own.
struct PostgresSchemas {
    private static let makeMaker: SQL = """
        CREATE OR REPLACE FUNCTION pg_temp.make_schema(name text) RETURNS void LANGUAGE plpgsql AS
        'BEGIN EXECUTE format(''CREATE SCHEMA IF NOT EXISTS %I'', name); END'
        """

    private let server: String

    init(address: String) throws {
        server = address
    }

    /// The address of a database, which is made if it is not there.
    func address(of name: String) throws -> String {
        let server = server
        try waiting {
            let database = try Self.open(server)
            try await database.write { transaction in
                try transaction.execute(Self.makeMaker)
                _ = try transaction.rows("SELECT pg_temp.make_schema($1)", [.value(name)])
            }
            await database.close()
        }
        return server + (server.contains("?") ? "&" : "?") + "options=-csearch_path%3D\(name)"
    }

    /// The member `database` of a configuration.
    func configuration(of name: String) throws -> JSONValue {
        ["postgres": .string(try address(of: name))]
    }

    /// Opens a database so that it does everything in the call.
    func open(_ name: String) throws -> PostgresDatabase {
        try Self.open(try address(of: name))
    }

    private static func open(_ address: String) throws -> PostgresDatabase {
        try PostgresDatabase(
            address: address,
            options: PostgresOptions(random: SystemRandom(), scheduling: .inline))
    }

    /// Makes a database with the keys of another one.
    func copyKeys(of name: String, to copy: String, at now: Instant) throws {
        let source = try open(name)
        let target = try open(copy)
        try waiting {
            try await target.migrate(Schema.migrations, at: now)
            let rows = try await source.read { transaction in
                try transaction.rows(
                    "SELECT key_digest, key_id, app, kind, label, created_at FROM api_keys")
            }
            try await target.write { transaction in
                for row in rows {
                    try transaction.execute(
                        """
                        INSERT INTO api_keys (key_digest, key_id, app, kind, label, created_at)
                        VALUES ($1, $2, $3, $4, $5, $6)
                        """, row.values, expecting: .one)
                }
            }
            await source.close()
            await target.close()
        }
    }

    /// What the tables of a database and their indexes take.
    func byteCount(of name: String) throws -> Int64 {
        try number(
            """
            SELECT CAST(SUM(pg_total_relation_size(oid)) AS BIGINT) FROM pg_class
            WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
            """, in: name)
    }

    /// How many bytes the server has ever written to its log.
    func logByteCount() throws -> Int64 {
        try number(
            "SELECT CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS BIGINT)", in: "empty")
    }

    private func number(_ sql: SQL, in name: String) throws -> Int64 {
        let database = try open(name)
        return try waiting {
            let number = try await database.read { try $0.row(sql)?.integer(0) }
            await database.close()
            return number ?? 0
        }
    }
}
