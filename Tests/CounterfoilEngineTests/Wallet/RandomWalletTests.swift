// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Whatever happens to a wallet, in whatever order", .onEveryDatabase)
struct WhateverHappensToAWallet {
    @Test(
        "The books balance after each step, and the customer has what a sum of the story says",
        arguments: [1, 2, 3, 4] as [UInt64])
    func story(seed: UInt64) async throws {
        let orders = ConsumptionOrder.allCases
        let policy = WalletPolicy(
            order: orders[Int(seed) % orders.count], purchasesPayDebt: seed != 4)
        var story = try await Story(seed: seed, WalletBooks(policy))
        for _ in 0..<60 {
            let step = try await story.step()
            try await story.check(step)
        }
    }
}

/// A random story of one wallet, told by one number: what the customer has and what is held, less what
/// is owed.
private struct Story {
    private let books: WalletBooks
    private var random: SplitMix
    private var worth: Int64 = 0
    private var sales: [(key: String, paid: Int64, bonus: Int64)] = []

    /// Refunds that stand, and what was written off of the debt of each.
    private var refunds: [(key: String, revision: Int64, amount: Int64)] = []
    private var holds: [HoldRecord] = []
    private var writtenOff: Int64 = 0
    private var number: Int64 = 0

    init(seed: UInt64, _ books: WalletBooks) {
        random = SplitMix(state: seed)
        self.books = books
    }

    mutating func step() async throws -> String {
        number += 1
        books.shop.clock.advance(by: .seconds(1))
        switch random.next(10) {
        case 0, 1: return try await issue()
        case 2, 3: return try await spend()
        case 4: return try await reserve()
        case 5: return try await close()
        case 6, 7: return try await refund()
        case 8: return try await reverse()
        default: return try await settleDebt()
        }
    }

    func check(_ step: String) async throws {
        let balances = try await books.balances()
        let sum = balances.reduce(0, +)
        #expect(sum == worth, "step \(number): \(step), \(balances)")
        try await books.shop.expectBalancedWallets(step)
    }

    private mutating func issue() async throws -> String {
        let sale = (key: "t:S\(number)", paid: random.next(80), bonus: 1 + random.next(20))
        try await books.issue(sale.key, paid: sale.paid, bonus: sale.bonus)
        sales.append(sale)
        worth += sale.paid + sale.bonus
        return "issue \(sale)"
    }

    private mutating func spend() async throws -> String {
        let amount = 1 + random.next(90)
        do {
            try await books.spend(amount)
            worth -= amount
            return "spend \(amount)"
        } catch WalletRefusal.insufficientBalance {
            return "refused \(amount)"
        }
    }

    private mutating func reserve() async throws -> String {
        let amount = 1 + random.next(50)
        do {
            holds.append(try await books.reserve(amount))
            return "reserve \(amount)"
        } catch WalletRefusal.insufficientBalance {
            return "refused \(amount)"
        }
    }

    private mutating func close() async throws -> String {
        guard !holds.isEmpty else { return "no hold" }
        let hold = holds.remove(at: Int(random.next(Int64(holds.count))))
        let amount = random.next(hold.amount + 1)
        let before = try await written()
        try await books.change {
            _ = try amount == 0 ? $0.void(hold) : $0.post(hold, amount: amount)
        }
        worth -= amount + before - (try await written())
        return "post \(amount) of \(hold.amount)"
    }

    private mutating func refund() async throws -> String {
        guard !sales.isEmpty else { return "no sale" }
        let sale = sales.remove(at: Int(random.next(Int64(sales.count))))
        _ = try await books.takeBack(
            sale.key, paid: sale.paid, bonus: sale.bonus, revision: number)
        refunds.append((sale.key, number, sale.paid + sale.bonus))
        worth -= sale.paid + sale.bonus
        return "refund \(sale)"
    }

    private mutating func reverse() async throws -> String {
        guard !refunds.isEmpty else { return "no refund" }
        let refund = refunds.remove(at: Int(random.next(Int64(refunds.count))))
        let before = try await written()
        try await books.reverse(refund.key, revision: refund.revision)
        // What was written off of its debt is no longer.
        worth += refund.amount - (before - (try await written()))
        return "reverse \(refund)"
    }

    private mutating func settleDebt() async throws -> String {
        let (id, limit) = (books.shop.engine.freshID(), 1 + random.next(40))
        if random.next(2) == 0 {
            let before = try await written()
            try await books.change { wallet in
                try wallet.setOffDebt(
                    WalletBooks.coins, since: .init(sequence: 0, at: Shop.openingDay),
                    for: WalletAct(.debtPayment, .operation(id)))
            }
            // What was written off is owed again and paid.
            worth -= before - (try await written())
            return "pay debt"
        }
        let written = try await books.change { wallet in
            try wallet.writeOff(
                WalletBooks.coins, upTo: limit, for: WalletAct(.writeOff, .operation(id)))
        }
        worth += written
        return "write \(written) off"
    }

    private func written() async throws -> Int64 {
        -(try await books.shop.count(
            """
            SELECT CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) FROM entries e
            JOIN accounts a ON a.account_id = e.account_id WHERE a.kind = 'written_off'
            """))
    }
}

/// A small generator whose every number follows from its seed.
private struct SplitMix {
    var state: UInt64

    /// A number from 0 up to, not including, the limit.
    mutating func next(_ limit: Int64) -> Int64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int64((mixed ^ (mixed >> 31)) % UInt64(limit))
    }
}

@Suite("Two servers that spend from one wallet")
struct TwoServersSpend {
    @Test("They never spend more than there is", arguments: DatabaseEngine.shared)
    func parallel(engine: DatabaseEngine) async throws {
        try await DatabaseEngine.$current.withValue(engine) {
            let folder = TemporaryFolder()
            let clock = ManualClock()
            let shop = try await Shop(clock: clock, in: folder)
            let books = try await WalletBooks(in: shop)
            try await books.issue("t:T1", paid: 100, bonus: 7)
            let other = try await shop.anotherServer(on: engine.open(in: folder, clock: clock))
            let spent = try await withThrowingTaskGroup(of: Int64.self) { group in
                for number in 0..<24 {
                    group.addTask {
                        do {
                            try await books.spend(10, on: number % 2 == 0 ? nil : other)
                            return 10
                        } catch WalletRefusal.insufficientBalance {
                            return 0
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(spent == 100)
            #expect(try await books.balances().reduce(0, +) == 7)
            try await shop.expectBalancedWallets("after all")
            await other.database.close()
            await shop.engine.database.close()
        }
    }
}
