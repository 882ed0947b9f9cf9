// SPDX-License-Identifier: Apache-2.0
package import CounterfoilDatabase

extension Dialect {
    /// PostgreSQL's spelling; text compares byte by byte whatever the database's own collation is.
    package static let postgres = Dialect(
        integerType: "bigint", textType: "text COLLATE \"C\"", bytesType: "bytea",
        textByteCount: { "octet_length(\($0))" },
        bytesByteCount: { "octet_length(\($0))" },
        tableOptions: { _ in "" },
        // Advisory locks are the database's; the schema's name keeps two installations in one apart.
        schemaLock: """
            SELECT pg_advisory_xact_lock(
                hashtextextended('counterfoil.schema.' || current_schema(), 0))
            """,
        tableLock: { "LOCK TABLE \($0) IN EXCLUSIVE MODE" })
}
