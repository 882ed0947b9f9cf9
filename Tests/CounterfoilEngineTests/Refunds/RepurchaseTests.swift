// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

/// One thing that the store tells of an original whose purchases begin at a moment.
private enum Word: Hashable, Sendable {
    /// A copy of a transaction as it was bought at a second.
    case bought(String, Int64)

    /// A copy that tells a refund at a second, signed a second later.
    case refunded(String, Int64)

    /// A notification that a refund was undone.
    case reversed(String, Int64)
}

extension Shop {
    private var start: Instant { clock.now - .seconds(10_000) }

    /// Tells the engine, as the customer's app or the store would.
    fileprivate func tell(_ word: Word, of words: [Word], product: String) async throws {
        switch word {
        case .bought(let id, let second):
            try await submit(copy(id, words, product, signed: second))
        case .refunded(let id, let second):
            var copy = copy(id, words, product, signed: second + 1)
            copy.revocation = .init(date: start + .seconds(second), type: "REFUND_FULL")
            try await submit(copy)
        case .reversed(let id, let second):
            try await notify(
                "REFUND_REVERSED", of: copy(id, words, product, signed: second),
                at: start + .seconds(second))
        }
    }

    private func copy(
        _ id: String, _ words: [Word], _ product: String, signed: Int64
    ) -> SimulatedPurchase {
        var purchase = purchase(product, id, .nonConsumable)
        for case .bought(id, let second) in words {
            purchase.purchaseDate = start + .seconds(second)
        }
        purchase.originalTransactionID = "A"
        purchase.originalPurchaseDate = start
        purchase.signedDate = start + .seconds(signed)
        return purchase
    }

    /// What the customer has in the end: units, debt, and the rights that stand with their beginning in
    /// seconds.
    fileprivate func state() async throws -> String {
        let start = start
        let rights = try await engine.database.read { transaction in
            try transaction.rows(
                """
                SELECT entitlement, purchase_date, starts_at FROM entitlement_periods
                WHERE is_revoked = 0 ORDER BY purchase_date, entitlement
                """
            ).map { row in
                let seconds = try [1, 2].map { place in
                    try row.instant(.position(place)).since(start).wholeMilliseconds / 1000
                }
                return "\(try row.text(0)) \(seconds)"
            }
        }
        return "\(try await purse()) \(rights)"
    }
}

@Suite("P3: a non-consumable that is bought, refunded, bought again and restored", .onEveryDatabase)
struct BoughtAgain {
    private struct Story: Sendable {
        let name: String
        let words: [Word]
        let state: String
    }

    private static let stories: [Story] = [
        Story(
            name: "bought again between the refund and its reversal: two sales",
            words: [
                .bought("A", 0), .refunded("A", 100), .bought("B", 200), .reversed("A", 300),
            ],
            state: #"[1000, 0, 0] ["founder [0, 0]", "founder [200, 200]"]"#),
        Story(
            name: "restored after the reversal: one sale",
            words: [
                .bought("A", 0), .refunded("A", 100), .reversed("A", 300), .bought("B", 400),
            ],
            state: #"[500, 0, 0] ["founder [0, 0]"]"#),
        Story(
            name: "bought again after the refund and restored: the right begins with the purchase",
            words: [
                .bought("A", 0), .refunded("A", 100), .bought("B", 200), .bought("C", 300),
            ],
            state: #"[500, 0, 0] ["founder [200, 200]"]"#),
        Story(
            name: "the second one is refunded, the first is reversed",
            words: [
                .bought("A", 0), .refunded("A", 100), .bought("B", 200), .refunded("B", 250),
                .reversed("A", 300),
            ],
            state: #"[500, 0, 0] ["founder [0, 0]"]"#),
    ]

    @Test("All orders end in one state", arguments: stories.indices)
    func allOrders(_ index: Int) async throws {
        let story = Self.stories[index]
        for order in Self.orders(of: story.words) {
            let shop = try await Shop()
            for word in order {
                try await shop.tell(word, of: story.words, product: "starter")
                try await shop.engine.runDueJobs()
            }
            #expect(try await shop.state() == story.state, "\(story.name): \(order)")
            #expect(try await shop.count("SELECT COUNT(*) FROM jobs") == 0)
            try await shop.expectBalancedBooks()
        }
    }

    @Test("The reversal that is heard last takes back what the restore was given, in one step")
    func missedReversal() async throws {
        let shop = try await Shop()
        let words = Self.stories[1].words
        for index in [0, 1, 3] {
            try await shop.tell(words[index], of: words, product: "starter")
            try await shop.engine.runDueJobs()
        }
        // Nobody knows better than that it was bought again.
        #expect(try await shop.purse() == [500, 0, 0])
        try await shop.tell(words[2], of: words, product: "starter")
        #expect(try await shop.state() == Self.stories[1].state)
        try await shop.expectBalancedBooks()
        try await shop.engine.runDueJobs()
        #expect(try await shop.state() == Self.stories[1].state)
        let reversed = try await shop.events("grant.reversed")
        #expect(reversed.count == 2)
        #expect(reversed.last?["data"]?["revocation"] == .null)
        #expect(reversed.last?["data"]?["suggests_ban"]?.bool == false)
        try await shop.expectBalancedBooks()
    }

    @Test("Random stories end in one state in any order", arguments: 0..<6)
    func random(_ seed: UInt64) async throws {
        let random = SeededRandom(seed: seed)
        func number(_ below: Int64) -> Int64 {
            Int64(UniqueID.random(random).bytes[9]) * 251 % below
        }
        var words: [Word] = [.bought("A", 0)]
        var time: Int64 = 100
        for id in ["A", "B", "C"] {
            if id != "A" { words.append(.bought(id, time)) }
            for _ in 0..<2 where number(3) > 0 {
                words.append(.refunded(id, time + 50 + number(400)))
                if number(3) > 0 { words.append(.reversed(id, time + 500 + number(400))) }
                time += 300
            }
            time += 100
        }
        var states: Set<String> = []
        for _ in 0..<4 {
            let shop = try await Shop()
            for word in words {
                try await shop.tell(word, of: words, product: "starter")
                try await shop.engine.runDueJobs()
            }
            states.insert(try await shop.state())
            try await shop.expectBalancedBooks()
            for index in words.indices.reversed() {
                words.swapAt(index, Int(number(Int64(index) + 1)))
            }
        }
        #expect(states.count == 1, "\(words): \(states)")
    }

    @Test("Of many refunded restores none hides the purchase that the goods were given for")
    func manyRestores() async throws {
        let shop = try await Shop()
        var last = shop.purchase("starter", "Z", .nonConsumable)
        last.originalTransactionID = "A"
        last.originalPurchaseDate = last.purchaseDate - .seconds(9_000)
        try await shop.submit(last)
        // As if so many restores had come before it, each with the refund's date.
        let refund = shop.clock.now - .seconds(600)
        let template = try #require(
            try await shop.engine.transaction(
                try TransactionID("Z"), of: Shop.app, in: .production)?.record)
        try await shop.engine.database.write { transaction in
            for index in 0..<1_200 {
                var identity = template.identity
                identity.value.purchaseDate =
                    identity.value.purchaseDate - .seconds(Int64(2_000 - index))
                var restore = TransactionRecord(
                    app: template.app, environment: template.environment,
                    transactionID: try TransactionID("R\(index)"), identity: identity,
                    createdAt: template.createdAt)
                if index > 0 {
                    restore.revocation = Sourced(.init(date: refund), from: identity.source)
                    restore.refundHistory.addRefund(
                        at: refund, signed: identity.source.signedDate)
                }
                restore.owner = template.owner
                restore.sale = template.sale
                try transaction.save(restore)
            }
        }
        var first = last
        first.transactionID = "R0"
        first.purchaseDate = last.purchaseDate - .seconds(2_000)
        try await shop.submit(shop.refunded(first))
        #expect(try await shop.purse() == [0, 0, 0])
        #expect(try await shop.rights().isEmpty)
        #expect(try await shop.count("SELECT COUNT(*) FROM jobs") == 1)
        let statements = WatchedDatabase(shop.engine.database)
        let server = try await shop.anotherServer(on: statements)
        try await server.runDueJobs()
        // Only what may be settled otherwise is settled.
        #expect(statements.writeCount < 100)
        try await shop.expectBalancedBooks()
    }

    private static func orders(of words: [Word]) -> [[Word]] {
        guard words.count > 1 else { return [words] }
        return words.indices.flatMap { index in
            var rest = words
            let first = rest.remove(at: index)
            return orders(of: rest).map { [first] + $0 }
        }
    }
}
