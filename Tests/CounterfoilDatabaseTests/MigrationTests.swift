// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilTestSupport
import Testing

@Suite struct SchemasOnlyMoveForward {
    private let first = Migration(1, "counters", [.createTable(counters)])
    private let second = Migration(
        2, "notes",
        [
            .addColumn(.text("note", maximum: 20).nullable, to: "counters"),
            .createIndex(.init(["note", "place"], where: "note IS NOT NULL"), on: "counters"),
            .statement("UPDATE counters SET note = name"),
        ])

    @Test(
        "A fresh database gets all of it, a second run changes nothing", arguments: Engine.allCases)
    func twice(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.migrate([first, second], at: testTime)
            let later = testTime + .seconds(60)
            try await database.migrate([first, second], at: later)
            let applied = try await database.read { transaction in
                try transaction.rows(
                    "SELECT number, name, applied_at FROM schema_migrations ORDER BY number"
                ).map(\.values)
            }
            #expect(
                applied == [
                    [.integer(1), .text("counters"), .value(testTime)],
                    [.integer(2), .text("notes"), .value(testTime)],
                ])
        }
    }

    @Test("An old database is brought up to date with its rows", arguments: Engine.allCases)
    func upgrade(engine: Engine) async throws {
        let folder = TemporaryFolder()
        let old = try await engine.open(in: folder)
        try await old.migrate([first], at: testTime)
        try await old.addCounter("a", 1, place: 1)
        await old.close()
        let new = try await engine.open(in: folder)
        try await new.migrate([first, second], at: testTime)
        let note = try await new.read { try $0.row("SELECT note FROM counters")?.text(0) }
        #expect(note == "a")
        await new.close()
    }

    @Test("A newer schema is refused and left alone", arguments: Engine.allCases)
    func newer(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.migrate([first, second], at: testTime)
            await expectFailure(.schemaNewer) { try await database.migrate([first], at: testTime) }
            try await database.migrate([first, second], at: testTime)
        }
    }

    @Test("A migration that was edited after it was applied is refused", arguments: Engine.allCases)
    func changed(engine: Engine) async throws {
        let edited = Migration(1, "counters", [.createTable(counters), .statement("SELECT 1")])
        try await engine.withDatabase { database in
            try await database.migrate([first], at: testTime)
            await expectFailure(.schemaChanged) {
                try await database.migrate([edited, second], at: testTime)
            }
        }
    }

    @Test("A migration that fails leaves the schema as it was", arguments: Engine.allCases)
    func failing(engine: Engine) async throws {
        let broken = Migration(
            2, "broken",
            [.createTable(samples), .statement("INSERT INTO nowhere (a) VALUES (1)")])
        try await engine.withDatabase { database in
            try await database.migrate([first], at: testTime)
            await expectFailure(.statement) {
                try await database.migrate([first, broken], at: testTime)
            }
            await expectFailure(.statement) {
                _ = try await database.read { try $0.rows("SELECT name FROM samples") }
            }
            try await database.migrate([first, second], at: testTime)
        }
    }
}
