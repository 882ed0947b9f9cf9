// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("A claim on a purchase", .onEveryDatabase)
struct ClaimOnAPurchase {
    @Test("It may name the original where the receipt holds one transaction of it: 002-17")
    func original() async throws {
        let shop = try await Shop()
        let copies = ["T2", "T3"].map { id in
            var copy = shop.purchase("noads", id, .nonConsumable)
            copy.originalTransactionID = "T1"
            return copy
        }
        let both = try await shop.submitReceipt(of: copies, claiming: "T1")
        #expect(both.words == "pending not_in_evidence keep")
        let one = try await shop.submitReceipt(of: [copies[0]], claiming: "T1")
        #expect(one.words == "fulfilled finish")
        #expect(one.transactionID?.rawValue == "T2")
        #expect(try await shop.rights() == ["no_ads"])
        try await shop.expectBalancedBooks()
    }

    @Test("Of fifty customers who make it at the same time one has the purchase: field case 46")
    func manyCustomers() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100")
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<50 {
                group.addTask { try await shop.submit(purchase, by: "u\(number)").words }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        let stranger = "rejected owned_by_another_customer finish"
        #expect(answers == ["fulfilled finish": 1, stranger: 49])
        let paid = try await shop.count(
            "SELECT CAST(COALESCE(SUM(balance), 0) AS BIGINT) FROM accounts")
        #expect(paid == 110)
        try await shop.expectBalancedBooks()
    }
}
