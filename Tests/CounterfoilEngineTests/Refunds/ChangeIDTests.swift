// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

/// A game that holds its own units: it acts once on each event id, and can set what a sale stands at.
private struct Game {
    private var known: Set<String> = []
    private(set) var added: Int64 = 0
    private(set) var standing: Int64 = 0

    mutating func receive(_ events: [JSONValue]) {
        for event in events {
            guard let id = event["id"]?.string, known.insert(id).inserted,
                let type = event["type"]?.string,
                ["purchase.fulfilled", "grant.reversed", "grant.restored"].contains(type)
            else { continue }
            let amount = event["data"]?["goods"]?.array?.first?["amount"]?.int64 ?? 0
            added += amount
            standing = event["data"]?["remaining"]?.array?.first?["amount"]?.int64 ?? amount
        }
    }
}

@Suite("Changes are known outside by what they come to", .onEveryDatabase)
struct IDsOfChanges {
    private static let swords = Shop.catalogue.replacing(
        #"{ unit: "sword", amount: 1 }"#, with: #"{ unit: "sword", amount: 10 }"#)

    private enum Fact: Int, CaseIterable {
        case purchase, part, whole, reversal
    }

    private func tell(_ facts: [Fact], to shop: Shop) async throws -> [JSONValue] {
        let purchase = shop.purchase("sword1")
        for fact in facts {
            switch fact {
            case .purchase: try await shop.submit(purchase)
            case .part:
                try await shop.submit(shop.refunded(purchase, percentageMilli: 40_000))
            case .whole:
                try await shop.submit(
                    shop.refunded(purchase, at: shop.clock.now - .seconds(500)))
            case .reversal: try await shop.notify("REFUND_REVERSED", of: purchase)
            }
        }
        try await shop.engine.numberEvents()
        return try await shop.engine.events(of: Shop.app, after: 0, limit: 500).map(\.json)
    }

    @Test("After a restored backup the game learns nothing else under an id that it knows")
    func restoredBackup() async throws {
        let all = try await tell(Fact.allCases, to: try await Shop(catalogue: Self.swords))
        var game = Game()
        game.receive(all)
        #expect(game.added == 10)
        // The backup knew the purchase only; what is fetched anew tells the last states.
        for facts: [Fact] in [
            [.purchase, .whole, .reversal], [.purchase, .part, .whole, .reversal],
        ] {
            var again = game
            again.receive(try await tell(facts, to: try await Shop(catalogue: Self.swords)))
            #expect(again.added == 10, "\(facts)")
            #expect(again.standing == 10, "\(facts)")
        }
    }

    @Test("Whoever sets what remains is right even where a change was never told here")
    func remaining() async throws {
        let told = try await tell([.purchase, .part], to: try await Shop(catalogue: Self.swords))
        var game = Game()
        game.receive(told)
        #expect(game.standing == 6)
        // The backup knew the purchase only, and hears of the whole refund next.
        game.receive(
            try await tell([.purchase, .whole], to: try await Shop(catalogue: Self.swords)))
        #expect(game.standing == 0)
    }

    @Test("As often as Apple changes its mind, each change has an id of its own")
    func changesOfMind() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100")
        try await shop.submit(purchase)
        for round in 0..<3 {
            // One date, as if the first copies came again under later signatures.
            var copy = shop.refunded(purchase)
            let signed = shop.clock.now - .seconds(500) + .seconds(Int64(round) * 100)
            copy.signedDate = signed
            try await shop.submit(copy)
            try await shop.notify("REFUND_REVERSED", of: purchase, at: signed + .seconds(50))
        }
        #expect(
            try await shop.count(
                "SELECT COUNT(*) FROM (SELECT DISTINCT grant_id FROM grants) AS g") == 7)
        let causes = try await shop.engine.database.read { transaction in
            try transaction.rows("SELECT cause FROM refunds ORDER BY revision").map {
                try $0.text(0).split(separator: " ").first.map(String.init) ?? ""
            }
        }
        #expect(causes.allSatisfy { ["refund", "reversal"].contains($0) })
        try await shop.expectBalancedBooks()
    }
}
