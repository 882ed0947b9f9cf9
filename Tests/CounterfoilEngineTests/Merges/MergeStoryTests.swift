// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Merges among everything else", .onEveryDatabase)
struct MergesAmongEverythingElse {
    @Test(
        "P4 holds after every step, and no merge makes or loses a unit", arguments: UInt64(1)...4)
    func story(seed: UInt64) async throws {
        var story = try await MergeStory(seed: seed)
        for step in 0..<60 {
            try await story.play(step)
            try await story.shop.expectBalancedWallets("after step \(step) of \(seed)")
        }
        try await story.shop.expectBalancedBooks()
        #expect(story.doneMerges > 2)
    }
}

/// A story of three customers that follows from a seed.
private struct MergeStory {
    let shop: Shop
    private var random: SeededRandom
    private let customers = ["a", "b", "c"]
    private var purchases: [(purchase: SimulatedPurchase, buyer: String)] = []
    private var credited: [(transaction: String, customer: String)] = []
    private var holds: [(id: UniqueID, customer: String)] = []
    private var merges: [MergeView] = []

    /// How many merges were not refused.
    private(set) var doneMerges = 0

    init(seed: UInt64) async throws {
        shop = try await Shop()
        random = SeededRandom(seed: seed)
        for customer in customers { try await buy("first-\(customer)", by: customer) }
    }

    mutating func play(_ step: Int) async throws {
        shop.clock.advance(by: .seconds(10))
        let customer = pick(customers) ?? "a"
        switch Int.random(in: 0..<17, using: &random) {
        case 0, 1: try await buy("P\(step)", by: customer)
        case 2: try await spend(by: customer)
        case 3, 4: try await refund()
        case 5: try await reverse()
        case 6, 7: try await reserve(by: customer)
        case 8: try await decide()
        case 9:
            try await shop.credit(60, for: "F\(step)", to: customer)
            credited.append(("F\(step)", customer))
        case 10:
            if let next = pick(credited) { try await buy(next.transaction, by: next.customer) }
        case 11, 12: try await merge(customer)
        case 13, 14: try await undo()
        default: try await mergeAndUndo(customer)
        }
    }

    // MARK: Steps

    private mutating func buy(_ transaction: String, by customer: String) async throws {
        let purchase = shop.purchase("coins100", transaction)
        try await shop.submit(purchase, by: customer)
        purchases.append((purchase, customer))
    }

    private mutating func spend(by customer: String) async throws {
        let amount = Int64.random(in: 1...90, using: &random)
        try await operate(.spend(try UnitID("coins"), amount), by: customer)
    }

    private mutating func refund() async throws {
        guard let next = pick(purchases) else { return }
        try await shop.submit(
            shop.refunded(next.purchase, at: shop.clock.now - .seconds(20)), by: next.buyer)
    }

    private mutating func reverse() async throws {
        guard let next = pick(purchases) else { return }
        try await shop.notify("REFUND_REVERSED", of: next.purchase, at: shop.clock.now)
    }

    private mutating func reserve(by customer: String) async throws {
        let amount = Int64.random(in: 1...60, using: &random)
        let change = try await operate(
            .reserve(try UnitID("coins"), amount, for: .seconds(3600)), by: customer)
        if let hold = change?.hold { holds.append((hold.holdID, customer)) }
    }

    private mutating func decide() async throws {
        guard let place = holds.indices.randomElement(using: &random) else { return }
        let hold = holds.remove(at: place)
        let isPosted = Bool.random(using: &random)
        try await operate(
            isPosted ? .post(hold: hold.id, amount: 1) : .void(hold: hold.id), by: hold.customer)
    }

    @discardableResult
    private func operate(
        _ action: WalletOperation.Action, by customer: String
    ) async throws -> WalletChange? {
        let operation = shop.engine.walletOperation(
            action, on: try CustomerID(customer), in: .production, reason: nil, reference: nil,
            under: shop.policy)
        do {
            return try await shop.engine.database.write { try operation.run(in: $0) }
        } catch is WalletRefusal {
            return nil
        }
    }

    private mutating func merge(_ customer: String) async throws {
        let before = try await total()
        do {
            let merge = try await shop.merge(customer, into: pick(customers) ?? "a")
            merges.append(merge)
            doneMerges += 1
        } catch is MergeRefusal {}
        #expect(try await total() == before)
    }

    private mutating func undo() async throws {
        guard let merge = pick(merges) else { return }
        let before = try await total()
        do {
            _ = try await shop.undo(merge)
            merges.removeAll { $0.merge.mergeID == merge.merge.mergeID }
        } catch is MergeRefusal {}
        #expect(try await total() == before)
    }

    /// What nobody touched in between is as it was, with all that is set aside.
    private mutating func mergeAndUndo(_ customer: String) async throws {
        let before = try await standing()
        do {
            let merge = try await shop.merge(customer, into: pick(customers) ?? "a")
            guard !merges.contains(where: { $0.merge.mergeID == merge.merge.mergeID }) else {
                return
            }
            _ = try await shop.undo(merge)
            doneMerges += 1
        } catch is MergeRefusal {}
        #expect(try await standing() == before)
    }

    // MARK: Books

    private mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.randomElement(using: &random)
    }

    /// What all customers have together, less what they owe.
    private func total() async throws -> Int64 {
        try await shop.count("SELECT SUM(balance) FROM accounts")
    }

    private func standing() async throws -> [String] {
        try await shop.engine.database.read { transaction in
            try transaction.rows(
                """
                SELECT customer_key, kind, balance FROM accounts
                WHERE balance IS NOT NULL AND balance <> 0 ORDER BY customer_key, kind
                """
            ).map { "\(try $0.uniqueID(0)) \(try $0.text(1)) \(try $0.integer(2))" }
                + (try transaction.rows(
                    "SELECT hold_id, customer_key FROM holds WHERE state = 'open' ORDER BY hold_id"
                ).map { "\(try $0.uniqueID(0)) \(try $0.uniqueID(1))" })
        }
    }
}
