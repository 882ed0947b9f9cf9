// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilTestSupport
import Testing

@Suite struct SchemasAreCheckedWithoutAChange {
    private let first = Migration(1, "samples", [.createTable(samples)])
    private let second = Migration(2, "counters", [.createTable(counters)])

    @Test("The schema of these very migrations passes", arguments: DatabaseEngine.allCases)
    func same(engine: DatabaseEngine) async throws {
        try await engine.withDatabase { database in
            try await database.migrate([first, second], at: testTime)
            try await database.checkSchema([first, second])
        }
    }

    @Test("An empty database has no schema, and gets none", arguments: DatabaseEngine.allCases)
    func empty(engine: DatabaseEngine) async throws {
        try await engine.withDatabase { database in
            await expectFailure(.schemaOlder) { try await database.checkSchema([first]) }
            await expectFailure(.schemaOlder) { try await database.checkSchema([first]) }
        }
    }

    @Test("An older and a newer schema are told apart", arguments: DatabaseEngine.allCases)
    func otherVersions(engine: DatabaseEngine) async throws {
        try await engine.withDatabase { database in
            try await database.migrate([first], at: testTime)
            await expectFailure(.schemaOlder) { try await database.checkSchema([first, second]) }
            try await database.migrate([first, second], at: testTime)
            await expectFailure(.schemaNewer) { try await database.checkSchema([first]) }
        }
    }
}
