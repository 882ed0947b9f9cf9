// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

/// P1 rests on keys of the database, not on the care of whoever writes.
@Suite(.onEveryDatabase) struct TheSchemaKeepsThingsUnique {
    static let repetitions: [(thing: String, statement: SQL)] = [
        (
            "an identity of two sales",
            """
            INSERT INTO sale_keys (app, environment, identity, sale)
            SELECT app, environment, identity, 'another' FROM sale_keys LIMIT 1
            """
        ),
        ("a sale", "INSERT INTO sales SELECT * FROM sales LIMIT 1"),
        ("a grant", "INSERT INTO grants SELECT * FROM grants LIMIT 1"),
        ("a transfer", "INSERT INTO transfers SELECT * FROM transfers LIMIT 1"),
        ("an entry", "INSERT INTO entries SELECT * FROM entries LIMIT 1"),
        ("a lot", "INSERT INTO lots SELECT * FROM lots LIMIT 1"),
        ("a transaction", "INSERT INTO transactions SELECT * FROM transactions LIMIT 1"),
        ("an event", "INSERT INTO events SELECT * FROM events LIMIT 1"),
    ]

    @Test("The database refuses it a second time", arguments: repetitions.indices)
    func refusal(index: Int) async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100"))
        let (thing, statement) = Self.repetitions[index]
        let failure = await #expect(throws: DatabaseError.self, "\(thing)") {
            try await shop.engine.database.write { try $0.execute(statement) }
        }
        #expect(failure?.code == .uniqueViolation, "\(thing)")
    }
}
