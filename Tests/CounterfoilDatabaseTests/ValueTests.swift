// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilTestSupport
import Testing

@Suite struct ValuesComeBackAsTheyWere {
    @Test(
        "Integers keep all 64 bits",
        arguments: Engine.allCases, [Int64.min, -1, 0, 1, (1 << 53) + 1, Int64.max] as [Int64])
    func integers(engine: Engine, number: Int64) async throws {
        try await expectRoundTrip(engine, column: "number", .integer(number))
    }

    @Test(
        "Text keeps every byte",
        arguments: Engine.allCases,
        [
            "", "a", "'; DROP TABLE samples; --", "$1", "e\u{301}", "\u{e9}", "水🪙\u{10FFFF}",
            "line\nline",
        ])
    func text(engine: Engine, words: String) async throws {
        try await expectRoundTrip(engine, column: "words", .text(words))
    }

    @Test(
        "Bytes keep zeros and may be empty",
        arguments: Engine.allCases, [[], [0], [0, 0, 255], Array(0...255)] as [[UInt8]])
    func bytes(engine: Engine, data: [UInt8]) async throws {
        try await expectRoundTrip(engine, column: "data", .bytes(data))
    }

    @Test("A megabyte of text and of bytes comes back", arguments: Engine.allCases)
    func large(engine: Engine) async throws {
        let words = String(repeating: "0123456789abcde水", count: 1 << 16)
        try await expectRoundTrip(engine, column: "words", .text(words))
        let data = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try await expectRoundTrip(engine, column: "data", .bytes(data))
    }

    @Test(
        "NULL is neither zero nor empty", arguments: Engine.allCases,
        ["number", "words", "data", "flag", "moment", "token"])
    func null(engine: Engine, column: String) async throws {
        try await expectRoundTrip(engine, column: column, .null)
    }

    @Test("Types of the program come back as they went in", arguments: Engine.allCases)
    func convertible(engine: Engine) async throws {
        let token = try #require(UniqueID("0F2C5E0A-6D1B-4A7E-8C3D-9E8F7A6B5C4D"))
        let moment = Instant(millisecondsSinceEpoch: -1)
        let product = try ProductID("com.example.coins")
        try await engine.withDatabase { database in
            try await database.prepare()
            let row = try await database.write { transaction in
                try transaction.execute(
                    """
                    INSERT INTO samples (name, number, words, flag, moment, token)
                    VALUES ($1, $2, $3, $4, $5, $6)
                    """,
                    [
                        .value("a"), .value(nil as Int?), .value(product), .value(true),
                        .value(moment), .value(token),
                    ], expecting: .one)
                return try transaction.row(
                    "SELECT name, number, words, flag, moment, token FROM samples")
            }
            let stored = try #require(row)
            #expect(try stored.text("name") == "a")
            #expect(try stored.optionalInteger("number") == nil)
            #expect(try stored.identifier("words", as: ProductID.self) == product)
            #expect(try stored.boolean("flag"))
            #expect(try stored.instant("moment") == moment)
            #expect(try stored.uniqueID(5) == token)
        }
    }

    @Test("A column that is missing or of another type is an error", arguments: Engine.allCases)
    func mistakes(engine: Engine) async throws {
        try await engine.withDatabase { database in
            let row = try #require(
                try await database.read {
                    try $0.row("SELECT 7 AS number, 'x' AS words, NULL AS absent")
                })
            await expectFailure(.unexpectedValue) { _ = try row.text("number") }
            await expectFailure(.unexpectedValue) { _ = try row.boolean("number") }
            await expectFailure(.unexpectedValue) { _ = try row.uniqueID("words") }
            await expectFailure(.unexpectedValue) { _ = try row.integer("absent") }
            await expectFailure(.unexpectedValue) { _ = try row.integer("elsewhere") }
            await expectFailure(.unexpectedValue) { _ = try row.integer(3) }
        }
    }

    /// Stores the value in the column and reads it from the same and from another transaction.
    private func expectRoundTrip(
        _ engine: Engine, column: String, _ value: DatabaseValue
    ) async throws {
        let statements: [String: (insert: SQL, select: SQL)] = [
            "number": (
                "INSERT INTO samples (name, number) VALUES ($1, $2)", "SELECT number FROM samples"
            ),
            "words": (
                "INSERT INTO samples (name, words) VALUES ($1, $2)", "SELECT words FROM samples"
            ),
            "data": (
                "INSERT INTO samples (name, data) VALUES ($1, $2)", "SELECT data FROM samples"
            ),
            "flag": (
                "INSERT INTO samples (name, flag) VALUES ($1, $2)", "SELECT flag FROM samples"
            ),
            "moment": (
                "INSERT INTO samples (name, moment) VALUES ($1, $2)", "SELECT moment FROM samples"
            ),
            "token": (
                "INSERT INTO samples (name, token) VALUES ($1, $2)", "SELECT token FROM samples"
            ),
        ]
        let (insert, select) = try #require(statements[column])
        try await engine.withDatabase { database in
            try await database.prepare()
            let own = try await database.write { transaction in
                try transaction.execute(insert, [.value("a"), value], expecting: .one)
                return try transaction.row(select)?.value(0)
            }
            let committed = try await database.read { try $0.row(select)?.value(0) }
            #expect(own == value)
            #expect(committed == value)
        }
    }
}
