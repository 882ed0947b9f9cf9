// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilTestSupport
import Testing

typealias Engine = DatabaseEngine

/// The time at which the tests' migrations run.
let testTime = Instant(secondsSinceEpoch: 1_800_000_000)

/// A table with a column of each kind.
let samples = Table(
    "samples",
    columns: [
        .text("name", maximum: 2 << 20), .integer("number").nullable,
        .text("words", maximum: 2 << 20).nullable,
        .bytes("data", maximum: 2 << 20).nullable, .boolean("flag").nullable,
        .instant("moment").nullable,
        .uniqueID("token").nullable,
    ],
    primaryKey: ["name"])

/// A table that counts, with a second key and a rule.
let counters = Table(
    "counters",
    columns: [.text("name", maximum: 64), .integer("amount"), .integer("place")],
    primaryKey: ["name"], uniqueKeys: [["place"]], checks: ["amount >= 0"])

extension Database {
    /// Makes the tests' tables.
    func prepare() async throws {
        try await migrate(
            [Migration(1, "tables", [.createTable(samples), .createTable(counters)])], at: testTime)
    }

    func addCounter(_ name: String, _ amount: Int, place: Int) async throws {
        try await write { transaction in
            try transaction.execute(insertCounter, [.value(name), .value(amount), .value(place)])
        }
    }

    func counterNames() async throws -> [String] {
        try await read { transaction in
            try transaction.rows("SELECT name FROM counters ORDER BY name").map { try $0.text(0) }
        }
    }
}

let insertCounter: SQL = "INSERT INTO counters (name, amount, place) VALUES ($1, $2, $3)"

/// An error of the tests' own, for closures that give up.
struct Refusal: Error, Equatable {}

/// Says what is skipped without a server, and forbids it where CI runs.
@Suite struct PostgresIsThere {
    @Test("The tests have a PostgreSQL server, or say that they have none")
    func server() throws {
        try TestPostgres.require()
    }
}

/// Expects the body to fail with the code.
func expectFailure(
    _ code: DatabaseError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("nothing was thrown, expected \(code)", sourceLocation: sourceLocation)
    } catch let error as DatabaseError {
        #expect(error.code == code, "\(error.debugDescription)", sourceLocation: sourceLocation)
    } catch {
        Issue.record("expected \(code), got \(error)", sourceLocation: sourceLocation)
    }
}
