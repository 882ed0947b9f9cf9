// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Events that cannot be as they should", .onEveryDatabase)
struct EventsThatCannotBeAsTheyShould {
    @Test("A purchase is delivered although what its customer has is too large for an event")
    func largeState() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("noads", "N1", .nonConsumable))
        try await shop.engine.database.write { transaction in
            let customer = try #require(
                try transaction.customerKey(Shop.app, try CustomerID("u1")))
            for number in 0..<9_000 {
                let name = String(repeating: "r", count: 50) + String(number)
                let start = TestAuthority.clock.now
                try transaction.save(
                    EntitlementPeriodRecord(
                        app: Shop.app, environment: .production, customer: customer,
                        entitlement: try EntitlementID(name), sale: "o:N1:0",
                        productID: try ProductID("noads"), transactionID: try TransactionID("N1"),
                        purchaseDate: start, quantity: 1, duration: nil, isRevoked: false,
                        startsAt: start, endsAt: nil))
            }
        }
        #expect(try await shop.submit(shop.purchase("coins100")).words == "fulfilled finish")
        #expect(try await shop.coins() == [100, 10])
        try await shop.engine.numberEvents()
        let events = try await shop.engine.events(of: Shop.app, after: 0, limit: 10)
        #expect(events.map { $0.json["state_omitted"]?.bool } == [nil, true])
        #expect(events.last?.json["state"] == nil)
        #expect(events.last?.json["data"]?["transaction_id"] == "T1")
        let repeated = try await shop.submit(shop.purchase("coins100"))
        #expect(repeated.words == "already_fulfilled finish")
    }
}

@Suite("Numbering the events of several apps")
struct NumberingOfSeveralApps {
    @Test("An app whose events cannot be numbered does not keep the next one waiting")
    func fairness() async throws {
        let shop = try await Shop(hasManyWriters: true)
        let apps = [Shop.app, try AppID("game2")]
        let refusal: SQL = """
            CREATE TRIGGER no_numbers BEFORE UPDATE ON events WHEN NEW.app = 'game'
            BEGIN SELECT RAISE(ABORT, 'not this app'); END
            """
        try await shop.engine.database.write { transaction in
            for (index, app) in apps.enumerated() {
                let id = UniqueID.derived(fromDigest: Array(repeating: UInt8(index), count: 16))
                try transaction.publish(
                    EventRecord(
                        eventID: id, app: app, environment: .production, customer: nil, epoch: id,
                        sequence: nil, type: "test", body: "{}",
                        createdAt: TestAuthority.clock.now))
            }
            try transaction.execute(refusal)
        }
        await #expect(throws: DatabaseError.self) { try await shop.engine.numberEvents() }
        #expect(try await shop.engine.events(of: apps[0], after: 0, limit: 10).isEmpty)
        #expect(try await shop.engine.events(of: apps[1], after: 0, limit: 10).count == 1)
    }
}
