// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore

extension Database {
    /// Brings the schema to the last of the migrations, in one transaction: all or nothing.
    ///
    /// What was applied is recorded in `schema_migrations`; a repeat changes nothing. Several servers
    /// may start at once: one does it, the others wait and find it done.
    ///
    /// - Throws: ``DatabaseError`` with `schemaNewer` when the database knows migrations that this
    ///   program does not, `schemaChanged` when one that was applied reads differently today.
    package func migrate(_ migrations: [Migration], at now: Instant) async throws {
        for (index, migration) in migrations.enumerated() {
            precondition(migration.number == index + 1, "migrations count from 1 without gaps")
        }
        let dialect = self.dialect
        try await write { transaction in
            if let lock = dialect.schemaLock { _ = try transaction.rows(lock) }
            for statement in dialect.creation(of: schemaMigrations, ifMissing: true) {
                try transaction.execute(statement)
            }
        }
        // A transaction of its own, so that what it sees begins after the lock.
        try await write { transaction in
            try transaction.liftTimeLimit()
            if let lock = dialect.lock(of: schemaMigrations) { try transaction.execute(lock) }
            let applied = try appliedMigrations(in: transaction)
            try check(applied, against: migrations, dialect)
            for migration in migrations.dropFirst(applied.count) {
                try apply(migration, in: transaction, dialect, at: now)
            }
        }
    }
}

extension Database {
    /// Sees to it that the schema is exactly that of the migrations, and changes nothing.
    ///
    /// - Throws: ``DatabaseError`` as ``migrate(_:at:)``, and with `schemaOlder` when migrations are
    ///   missing.
    package func checkSchema(_ migrations: [Migration]) async throws {
        let dialect = self.dialect
        let applied: [AppliedMigration]
        do {
            applied = try await read { try appliedMigrations(in: $0) }
        } catch let error as DatabaseError where error.code == .statement {
            throw DatabaseError(
                .schemaOlder, "the database holds no books yet", details: error.debugDescription)
        }
        try check(applied, against: migrations, dialect)
        guard applied.count == migrations.count else {
            throw DatabaseError(
                .schemaOlder,
                "the database has schema \(applied.count); this version needs \(migrations.count), "
                    + "and starting its server makes it")
        }
    }
}

private struct AppliedMigration {
    let number: Int
    let name: String
    let checksum: Int64
}

private let schemaMigrations = Table(
    "schema_migrations",
    columns: [
        .integer("number"),
        .text("name", maximum: DatabaseLimits.migrationNameBytes),
        .integer("checksum"),
        .instant("applied_at"),
    ],
    primaryKey: ["number"])

private func appliedMigrations(in transaction: any ReadTransaction) throws -> [AppliedMigration] {
    try transaction.rows(
        "SELECT number, name, checksum FROM schema_migrations ORDER BY number"
    ).map { row in
        AppliedMigration(
            number: try row.get("number"), name: try row.get("name"),
            checksum: try row.get("checksum"))
    }
}

private func check(
    _ applied: [AppliedMigration], against migrations: [Migration], _ dialect: Dialect
) throws(DatabaseError) {
    if let last = applied.last, last.number > migrations.count {
        throw DatabaseError(
            .schemaNewer,
            "the database has schema \(last.number) (\(last.name)), made by a later version; "
                + "this version knows up to \(migrations.count)")
    }
    for (old, migration) in zip(applied, migrations)
    where old.number != migration.number || old.checksum != migration.checksum(in: dialect) {
        throw DatabaseError(
            .schemaChanged,
            "migration \(migration.number) (\(migration.name)) was applied in another form "
                + "as \(old.number) (\(old.name))")
    }
}

private func apply(
    _ migration: Migration, in transaction: any WriteTransaction, _ dialect: Dialect,
    at now: Instant
) throws(DatabaseError) {
    for statement in migration.statements(in: dialect) {
        try transaction.execute(statement)
    }
    try transaction.execute(
        """
        INSERT INTO schema_migrations (number, name, checksum, applied_at)
        VALUES ($1, $2, $3, $4)
        """,
        [
            .value(migration.number), .value(migration.name),
            .value(migration.checksum(in: dialect)), .value(now),
        ], expecting: .one)
}
