// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Two servers and one disputed purchase")
struct TwoServersAndOneDisputedPurchase {
    @Test(
        "Field case 46: of many who prove it at the same time one has it, the others are on record",
        arguments: DatabaseEngine.shared, OwnershipPolicy.Answer.allCases)
    func atOnce(
        on databaseEngine: DatabaseEngine, answer: OwnershipPolicy.Answer
    ) async throws {
        let folder = TemporaryFolder()
        let databases = [
            try await databaseEngine.open(in: folder), try await databaseEngine.open(in: folder),
        ]
        let shop = try await Shop(
            ownership: OwnershipPolicy(nonConsumable: answer), on: databases[0])
        let engines = [shop.engine, try await shop.anotherServer(on: databases[1])]
        let count = 6
        let consumable = shop.purchase("coins100", "C1")
        let lasting = shop.purchase("starter", "T1", .nonConsumable)
        let fulfilled = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<count {
                for purchase in [consumable, lasting] {
                    group.addTask {
                        try await shop.submit(
                            purchase, by: "u\(number)", to: engines[number % 2]
                        ).words
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 == "fulfilled finish" ? 1 : 0 }
        }
        #expect(fulfilled == 2)
        let coins = try await shop.count("SELECT SUM(balance) FROM accounts")
        #expect(coins == 610)
        let holders = try await shop.count("SELECT COUNT(*) FROM entitlement_periods")
        #expect(holders == (answer == .share ? Int64(count) : 1))
        let disputes = try await shop.count(
            "SELECT COUNT(*) FROM conflicts WHERE product_id = 'coins100'")
        #expect(disputes == Int64(count - 1))
        let moved = try await shop.count("SELECT COUNT(*) FROM ownership_transfers")
        #expect(moved == (answer == .transfer ? Int64(count - 1) : 0))
        for engine in engines { try await engine.numberEvents() }
        try await shop.expectBalancedBooks()
        for database in databases { await database.close() }
    }
}
