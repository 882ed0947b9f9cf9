// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilTestSupport
import Testing

@testable import CounterfoilDatabasePostgres

@Suite struct SumsAreIntegers {
    @Test("A sum of integers is an integer on every engine", arguments: DatabaseEngine.allCases)
    func sums(engine: DatabaseEngine) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            for numbers in [
                [0], [1], [9_999, 1], [10_000], [123_456_789, 987_654_321], [-1], [-10_000, -1],
                [Int64.max - 1, 1], [Int64.min + 1, -1], [1_000_000_000_000_000_000, 1],
            ] as [[Int64]] {
                let sum = try await database.write { transaction in
                    try transaction.execute("DELETE FROM samples")
                    for (place, number) in numbers.enumerated() {
                        try transaction.execute(
                            "INSERT INTO samples (name, number) VALUES ($1, $2)",
                            [.value("s\(place)"), .value(number)])
                    }
                    return try transaction.row("SELECT SUM(number) FROM samples")?.integer(0)
                }
                #expect(sum == numbers.reduce(0, +))
            }
        }
    }

    @Test(
        "A sum beyond 64 bits and a fraction are errors",
        arguments: [
            "SELECT SUM(n) FROM (VALUES (9223372036854775807), (1)) AS v (n)",
            "SELECT CAST(0.5 AS numeric)", "SELECT CAST(1234567.00001 AS numeric)",
            "SELECT CAST('NaN' AS numeric)", "SELECT CAST('1e40' AS numeric)", "SELECT now()",
        ] as [SQL])
    func fractions(query: SQL) async throws {
        guard TestPostgres.isThere else { return }
        try await withPostgres { database, _ in
            await expectFailure(.unexpectedValue) {
                _ = try await database.read { try $0.rows(query) }
            }
        }
    }
}

@Suite(.enabled(if: TestPostgres.isThere))
struct FailuresNameNoValues {
    @Test("What the log gets of a refused row or value quotes neither")
    func values() async throws {
        try await withPostgres { database, _ in
            try await database.addCounter("alice@example.com", 1, place: 1)
            let statements: [(SQL, [DatabaseValue], DatabaseError.Code, String)] = [
                (
                    insertCounter, [.text("alice@example.com"), .integer(1), .integer(2)],
                    .uniqueViolation, "constraint counters_"
                ),
                (
                    insertCounter, [.text("alice@example.com"), .null, .integer(2)],
                    .constraintViolation, "table counters"
                ),
                (
                    "SELECT CAST($1 AS bigint)", [.text("alice@example.com")],
                    .constraintViolation, "state 22P02"
                ),
            ]
            for (sql, values, code, words) in statements {
                let error = await #expect(throws: DatabaseError.self) {
                    try await database.write { try $0.execute(sql, values) }
                }
                #expect(error?.code == code)
                let shown = String(reflecting: error)
                #expect(shown.contains(words), "\(shown)")
                #expect(!shown.contains("alice"), "\(shown)")
            }
        }
    }
}

@Suite(.enabled(if: TestPostgres.isThere))
struct MigrationsTakeTheirTime {
    @Test("A statement has a limit of time, and none while the schema is brought up to date")
    func limit() async throws {
        try await withPostgres { database, _ in
            try await database.migrate(
                [
                    Migration(1, "tables", [.createTable(samples), .createTable(counters)]),
                    Migration(
                        2, "slow",
                        [
                            .statement(
                                """
                                CREATE TABLE limits AS SELECT current_setting('statement_timeout')
                                AS statements, current_setting('lock_timeout') AS locks
                                """)
                        ]),
                ], at: testTime)
            let seen = try await database.write { try $0.row("SELECT * FROM limits LIMIT 1") }
            #expect(seen?.values == [.text("0"), .text("10s")])
            let later = try await database.write {
                try $0.row("SELECT current_setting('statement_timeout')")
            }
            #expect(later?.values == [.text("30s")])
        }
    }
}

@Suite(.enabled(if: TestPostgres.isThere))
struct ParametersHaveTypes {
    @Test("A statement takes NULL and values of its parameters in any order of calls")
    func nulls() async throws {
        try await withPostgres { database, _ in
            let select: SQL = "SELECT $1 AS a, $2 AS b"
            for values in [
                [.null, .null], [.integer(1), .null], [.null, .text("x")],
                [.integer(2), .text("y")], [.null, .null], [.bytes([1]), .integer(3)],
                [.text(""), .bytes([])],
            ] as [[DatabaseValue]] {
                let row = try await database.read { try $0.row(select, values) }
                #expect(row?.values == values)
            }
        }
    }

    @Test("A statement that fails is prepared again, and others of its round trip too")
    func preparedAgain() async throws {
        try await withPostgres { database, _ in
            let later: SQL = "SELECT COUNT(*) FROM later"
            for _ in 0..<3 {
                await expectFailure(.statement) {
                    _ = try await database.write { transaction in
                        try transaction.execute(later)
                        return try transaction.rows("SELECT name FROM counters")
                    }
                }
            }
            try await database.write { try $0.execute("CREATE TABLE later (n bigint)") }
            let count = try await database.write { try $0.row(later)?.integer(0) }
            #expect(count == 0)
            let names = try await database.write { try $0.rows("SELECT name FROM counters") }
            #expect(names.isEmpty)
        }
    }

    @Test("More statements than one round trip takes are all run, and the first bad one tells")
    func manyCommands() async throws {
        try await withPostgres { database, _ in
            try await database.write { transaction in
                for place in 0..<500 {
                    try transaction.execute(
                        insertCounter, [.value("n\(place)"), .value(0), .value(place)],
                        expecting: .one)
                }
            }
            #expect(try await database.counterNames().count == 500)
            await expectFailure(.uniqueViolation) {
                try await database.write { transaction in
                    for place in 500..<1000 {
                        try transaction.execute(
                            insertCounter, [.value("n\(place)"), .value(0), .value(place % 700)])
                    }
                }
            }
            #expect(try await database.counterNames().count == 500)
        }
    }

    @Test("A value beyond the limit is refused before it is sent")
    func tooLarge() async throws {
        try await withPostgres { database, _ in
            let bytes = [UInt8](repeating: 0, count: DatabaseLimits.valueBytes + 1)
            await expectFailure(.tooLarge) {
                _ = try await database.read { try $0.rows("SELECT $1", [.bytes(bytes)]) }
            }
            let names = try await database.counterNames()
            #expect(names.isEmpty)
        }
    }

    @Test(
        "What the server reports becomes one of our codes",
        arguments: [
            ("23505", .uniqueViolation), ("23503", .constraintViolation),
            ("23514", .constraintViolation), ("22003", .constraintViolation),
            ("25006", .readOnly), ("42501", .readOnly), ("42601", .statement), ("53100", .full),
            ("53200", .unavailable), ("53300", .busy), ("54000", .tooLarge), ("55P03", .busy),
            ("57014", .busy), ("58030", .unavailable), ("XX001", .corrupt),
        ] as [(String, DatabaseError.Code)])
    func codes(state: String, code: DatabaseError.Code) async throws {
        try await withPostgres { database, _ in
            let counter = RunCounter()
            await expectFailure(code) {
                try await database.write { transaction in
                    _ = counter.next()
                    try transaction.execute(raiser)
                    _ = try transaction.rows("SELECT pg_temp.raise($1)", [.value(state)])
                }
            }
            #expect(counter.runs == 1)
            let names = try await database.counterNames()
            #expect(names.isEmpty)
        }
    }

    @Test("A closure runs again while others are first, and is kept once")
    func conflicts() async throws {
        try await withPostgres { database, _ in
            let counter = RunCounter()
            try await database.write { transaction in
                try transaction.execute(raiser)
                try transaction.execute(insertCounter, [.value("a"), .value(1), .value(1)])
                let state = ["40001", "40P01", "40003"][safe: counter.next() - 1]
                if let state {
                    _ = try transaction.rows("SELECT pg_temp.raise($1)", [.value(state)])
                }
            }
            #expect(counter.runs == 4)
            #expect(try await database.counterNames() == ["a"])
        }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? {
        indices.contains(index) ? self[index] : nil
    }
}

/// Makes a function that fails with any SQLSTATE.
private let raiser: SQL = """
    CREATE OR REPLACE FUNCTION pg_temp.raise(state text) RETURNS void LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''told to'' USING ERRCODE = state; END'
    """

@Suite struct StatementTextsAreRead {
    @Test(
        "Parameters are counted outside of quotes",
        arguments: [
            ("SELECT 1", 0), ("SELECT $1", 1), ("SELECT $2, $1, $2", 2), ("SELECT '$3', $1", 1),
            ("SELECT \"$3\" FROM t WHERE a = $1", 1), ("SELECT '''$2', $1", 1),
            ("VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)", 10),
        ])
    func counts(text: String, count: Int) throws {
        #expect(try StatementText(text).parameterCount == count)
    }

    @Test(
        "Gaps and zero are defects",
        arguments: ["SELECT $2", "SELECT $0", "SELECT $1, $3", "SELECT $"])
    func gaps(text: String) {
        #expect(throws: DatabaseError.self) { _ = try StatementText(text) }
    }
}
