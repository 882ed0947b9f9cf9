// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore
import CounterfoilCrypto
package import CounterfoilDatabase
import CounterfoilDatabasePostgres
import CounterfoilDatabaseSQLite

/// The engines that keep the contract: the one place that says on which of them tests run.
package enum DatabaseEngine: Sendable {
    case sqlite

    /// In the call itself, one closure after the other.
    case sqliteInline
    case postgres
    case postgresSerializable

    /// In the call itself, on one connection.
    case postgresInline

    /// Whether several servers can share a database of the engine.
    package var isShared: Bool {
        switch self {
        case .sqlite, .sqliteInline: false
        case .postgres, .postgresSerializable, .postgresInline: true
        }
    }

    /// Opens the database that lies in the folder, or makes it.
    ///
    /// - Parameter clock: What it takes for its own clock; nil is the system's.
    package func open(
        in folder: TemporaryFolder, clock: (any WallClock)? = nil
    ) async throws -> any Database {
        switch self {
        case .sqlite:
            try SQLiteDatabase(
                path: folder.file("books.db"), options: SQLiteOptions(clock: clock))
        case .sqliteInline:
            try SQLiteDatabase(
                path: folder.file("books.db"),
                options: SQLiteOptions(scheduling: .inline, clock: clock))
        case .postgres, .postgresSerializable, .postgresInline:
            try PostgresDatabase(
                address: try await TestPostgres.address(of: folder), options: postgresOptions(clock)
            )
        }
    }

    private func postgresOptions(_ clock: (any WallClock)?) -> PostgresOptions {
        var options = PostgresOptions(
            random: SystemRandom(),
            scheduling: self == .postgresInline ? .inline : .threads(writers: 3),
            isolation: self == .postgresSerializable ? .serializable : .readCommitted,
            allowsWeakDurability: true)
        options.clock = clock
        return options
    }

    /// Opens a new, empty database, hands it to the body and closes it.
    package func withDatabase(_ body: (any Database) async throws -> Void) async throws {
        guard isShared else { return try await openedAndClosed(body) }
        try await TestPostgres.turnstile.pass { try await openedAndClosed(body) }
    }

    private func openedAndClosed(_ body: (any Database) async throws -> Void) async throws {
        let folder = TemporaryFolder()
        let database = try await open(in: folder)
        do {
            try await body(database)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }
}

extension DatabaseEngine: CaseIterable {
    /// All engines, for the contract itself; without a server, those that need none.
    package static let allCases: [DatabaseEngine] =
        TestPostgres.isThere
        ? [.sqlite, .sqliteInline, .postgres, .postgresSerializable, .postgresInline]
        : [.sqlite, .sqliteInline]

    /// One of each kind, for tests of what stands above the contract.
    package static let kinds: [DatabaseEngine] =
        TestPostgres.isThere ? [.sqliteInline, .postgresInline] : [.sqliteInline]

    /// The engines on which several servers can share a database.
    package static let shared: [DatabaseEngine] =
        TestPostgres.isThere ? [.postgres, .postgresSerializable] : []
}
