// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilTestSupport
import Testing

@Suite struct StatementsDoWhatTheySay {
    @Test("Parameters go by number, in any order and more than once", arguments: Engine.allCases)
    func parameters(engine: Engine) async throws {
        try await engine.withDatabase { database in
            let row = try await database.read { transaction in
                try transaction.row(
                    "SELECT $2 AS b, $1 AS a, '$3' AS words, $2 AS again, $3 AS c",
                    [.value("one"), .value("two"), .value("three")])
            }
            let values = row?.values
            #expect(
                values == [.text("two"), .text("one"), .text("$3"), .text("two"), .text("three")])
        }
    }

    @Test("Too few or too many parameters are a defect", arguments: Engine.allCases, [0, 1, 3])
    func parameterCount(engine: Engine, count: Int) async throws {
        try await engine.withDatabase { database in
            await expectFailure(.statement) {
                _ = try await database.read { transaction in
                    try transaction.rows("SELECT $1, $2", Array(repeating: .value(1), count: count))
                }
            }
        }
    }

    @Test("A wrong statement is a defect with the text in the log only", arguments: Engine.allCases)
    func syntax(engine: Engine) async throws {
        try await engine.withDatabase { database in
            do {
                _ = try await database.read { try $0.rows("SELECT nothing FROM nowhere") }
                Issue.record("nothing was thrown")
            } catch let error as DatabaseError {
                #expect(error.code == .statement)
                #expect(!error.description.contains("nowhere"))
                #expect(error.debugDescription.contains("SELECT nothing FROM nowhere"))
            }
        }
    }

    @Test("Rows come in the order asked for, bytes deciding", arguments: Engine.allCases)
    func order(engine: Engine) async throws {
        let names = ["b", "B", "a", "ä", "Z", "10", "9", "_"]
        try await engine.withDatabase { database in
            try await database.prepare()
            try await database.write { transaction in
                for (place, name) in names.enumerated() {
                    try transaction.execute(
                        insertCounter, [.value(name), .value(0), .value(place)])
                }
            }
            #expect(try await database.counterNames() == ["10", "9", "B", "Z", "_", "a", "b", "ä"])
        }
    }

    @Test("A key that is taken is told from a rule that is broken", arguments: Engine.allCases)
    func violations(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            try await database.addCounter("a", 0, place: 1)
            await expectFailure(.uniqueViolation) {
                try await database.addCounter("a", 0, place: 2)
            }
            await expectFailure(.uniqueViolation) {
                try await database.addCounter("b", 0, place: 1)
            }
            await expectFailure(.constraintViolation) {
                try await database.addCounter("b", -1, place: 2)
            }
            await expectFailure(.constraintViolation) {
                try await database.addCounter(String(repeating: "é", count: 33), 0, place: 2)
            }
            await expectFailure(.constraintViolation) {
                try await database.write { transaction in
                    try transaction.execute(insertCounter, [.null, .value(0), .value(2)])
                }
            }
            #expect(try await database.counterNames() == ["a"])
        }
    }

    @Test("A conflict that the statement expects is no error", arguments: Engine.allCases)
    func conflict(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            let counts = try await database.write { transaction in
                try (0..<2).map { _ in
                    try transaction.change(
                        """
                        INSERT INTO counters (name, amount, place) VALUES ('a', 0, 0)
                        ON CONFLICT DO NOTHING
                        """)
                }
            }
            #expect(counts == [1, 0])
        }
    }

    @Test("Changed rows are counted and can be returned", arguments: Engine.allCases)
    func counts(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            for place in 0..<5 { try await database.addCounter("\(place)", place, place: place) }
            let (updated, returned, deleted) = try await database.write { transaction in
                (
                    try transaction.change(
                        "UPDATE counters SET amount = amount + 1 WHERE place >= $1", [.value(2)]),
                    try transaction.rows(
                        "UPDATE counters SET amount = 9 WHERE place = 0 RETURNING name, amount"),
                    try transaction.change("DELETE FROM counters WHERE place > 9")
                )
            }
            #expect(updated == 3)
            #expect(returned.map(\.values) == [[.text("0"), .integer(9)]])
            #expect(deleted == 0)
        }
    }

    @Test("Another number of rows than promised undoes the closure", arguments: Engine.allCases)
    func expectedRows(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            await expectFailure(.unexpectedRowCount) {
                try await database.write { transaction in
                    try transaction.execute(insertCounter, [.value("a"), .value(0), .value(0)])
                    try transaction.execute(
                        "UPDATE counters SET amount = 1 WHERE name = 'b'", [], expecting: .one)
                }
            }
            #expect(try await database.counterNames() == [])
        }
    }

    @Test("A query for one row refuses two", arguments: Engine.allCases)
    func oneRow(engine: Engine) async throws {
        try await engine.withDatabase { database in
            let none = try await database.read { try $0.row("SELECT 1 AS one WHERE 1 = 0") }
            #expect(none == nil)
            await expectFailure(.unexpectedRowCount) {
                _ = try await database.read { try $0.row("SELECT 1 AS one UNION ALL SELECT 2") }
            }
        }
    }

    @Test("A result without an end is refused", arguments: Engine.allCases)
    func tooManyRows(engine: Engine) async throws {
        try await engine.withDatabase { database in
            await expectFailure(.tooLarge) {
                _ = try await database.read { transaction in
                    try transaction.rows(
                        """
                        WITH RECURSIVE counted (n) AS (
                            SELECT 1 UNION ALL SELECT n + 1 FROM counted
                        ) SELECT n FROM counted
                        """)
                }
            }
        }
    }

    @Test("More statements than are kept prepared all work", arguments: Engine.allCases)
    func manyStatements(engine: Engine) async throws {
        try await engine.withDatabase { database in
            let one: SQL = "SELECT $1 AS one"
            let sum = try await database.read { transaction in
                try (0..<600).reduce(into: Int64(0)) { sum, number in
                    let joined = one + ""
                    sum += try transaction.row(joined, [.value(number)])?.integer(0) ?? 0
                }
            }
            #expect(sum == 600 * 599 / 2)
        }
    }
}
