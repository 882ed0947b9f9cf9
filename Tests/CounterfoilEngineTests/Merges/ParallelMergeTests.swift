// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Two servers that merge customers")
struct TwoServersThatMergeCustomers {
    @Test(
        "Purchases and orders that come in while their customer is merged reach the target",
        arguments: DatabaseEngine.shared)
    func purchases(on databaseEngine: DatabaseEngine) async throws {
        let folder = TemporaryFolder()
        let databases = [
            try await databaseEngine.open(in: folder), try await databaseEngine.open(in: folder),
        ]
        let shop = try await Shop(on: databases[0])
        let other = try await shop.anotherServer(on: databases[1])
        let count = 12
        for number in 0..<count {
            try await shop.submit(shop.purchase("coins100", "A\(number)"), by: "guest\(number)")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    try await Self.patiently {
                        try await shop.merge("guest\(number)", into: "known\(number)", at: other)
                    }
                }
                group.addTask {
                    try await Self.patiently {
                        try await shop.submit(
                            shop.purchase("coins100", "B\(number)"), by: "guest\(number)")
                    }
                }
                group.addTask {
                    try await Self.patiently {
                        try await shop.order(by: "guest\(number)", hoursAgo: 0)
                    }
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<count {
            #expect(try await shop.coins("known\(number)") == [200, 20])
        }
        // An order comes before the merge and moves, or is the target's at once.
        let left = try await shop.count(
            """
            SELECT COUNT(*) FROM orders o JOIN customers c ON c.customer_key = o.customer_key
            WHERE c.merged_into IS NOT NULL
            """)
        #expect(left == 0)
        for engine in [shop.engine, other] { try await engine.numberEvents() }
        try await shop.expectBalancedBooks()
        for database in databases { await database.close() }
    }

    @Test(
        "Two who merge two customers into each other at the same time make no circle",
        arguments: DatabaseEngine.shared)
    func circle(on databaseEngine: DatabaseEngine) async throws {
        let folder = TemporaryFolder()
        let databases = [
            try await databaseEngine.open(in: folder), try await databaseEngine.open(in: folder),
        ]
        let shop = try await Shop(on: databases[0])
        let other = try await shop.anotherServer(on: databases[1])
        for (number, customer) in ["a", "b"].enumerated() {
            try await shop.submit(shop.purchase("coins100", "C\(number)"), by: customer)
        }
        let merged = try await withThrowingTaskGroup(of: Bool.self) { group in
            for (engine, pair) in zip([shop.engine, other], [("a", "b"), ("b", "a")]) {
                group.addTask {
                    do {
                        try await Self.patiently {
                            try await shop.merge(pair.0, into: pair.1, at: engine)
                        }
                        return true
                    } catch MergeRefusal.sameCustomer {
                        return false
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(merged == 1)
        #expect(try await shop.coins("a") == [200, 20])
        #expect(try await shop.coins("b") == [200, 20])
        for engine in [shop.engine, other] { try await engine.numberEvents() }
        try await shop.expectBalancedBooks()
        for database in databases { await database.close() }
    }

    /// As a client does that is told to come again.
    private static func patiently<Result>(_ body: () async throws -> Result) async throws {
        for _ in 0..<50 {
            do {
                _ = try await body()
                return
            } catch let error as DatabaseError where error.code == .busy { continue }
        }
        _ = try await body()
    }
}
