// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabaseSQLite
import CounterfoilStore
import CounterfoilTestSupport

@testable import CounterfoilDatabase

/// The books as one SQLite file, which is what their checker reads.
enum BooksFile {
    /// The file of a server that has stopped, copied from PostgreSQL where its books are there.
    static func path(of server: ServerUnderTest, on engine: DatabaseEngine) async throws -> String {
        guard engine.isShared else { return server.database }
        let database = try await engine.open(in: server.folder)
        try await copy(database, of: AppID(ServerUnderTest.app), to: server.database)
        await database.close()
        return server.database
    }

    /// Copies every row into a new file.
    static func copy(_ database: any Database, of app: AppID, to path: String) async throws {
        // The last events may still wait for the server that numbers them at its start.
        while try await database.write({ try $0.numberEvents(app, limit: 500) }) > 0 {}
        let tables = Migration.tables(after: Schema.migrations)
        let books = try await database.read { transaction in
            try tables.map { try transaction.rows($0.allRows).map(\.values) }
        }
        let file = try SQLiteDatabase(path: path)
        try await file.migrate(Schema.migrations, at: Instant(secondsSinceEpoch: 1_800_000_000))
        try await file.write { transaction in
            for (table, rows) in zip(tables, books) {
                for values in rows {
                    try transaction.execute(insertion(into: table), values, expecting: .one)
                }
            }
        }
        await file.close()
    }

    private static func insertion(into table: Table) -> SQL {
        let places = (1...table.columns.count).map { "$\($0)" }.joined(separator: ", ")
        let columns = table.columns.map(\.name).joined(separator: ", ")
        return SQL(generated: "INSERT INTO \(table.name) (\(columns)) VALUES (\(places))")
    }
}
