// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("P3: a token that is registered late", .onEveryDatabase)
struct TokenRegisteredLate {
    private enum Step: String {
        case buy, refund, register
    }

    /// What everybody has, and what waits, after the steps in this order.
    private func state(after steps: [Step], of product: String) async throws -> [String] {
        let shop = try await Shop()
        let token = UniqueID.random(SeededRandom(seed: 11))
        var purchase = shop.purchase(
            product, "T1", product == "coins100" ? .consumable : .nonConsumable)
        purchase.appAccountToken = token
        var refunded = purchase
        refunded.revocation = .init(date: shop.clock.now - .seconds(100))
        refunded.signedDate = shop.clock.now - .seconds(90)
        for step in steps {
            switch step {
            case .buy: try await shop.submit(purchase, by: "u2")
            case .refund: try await shop.submit(refunded, by: "u2")
            case .register:
                _ = try await shop.engine.registerToken(
                    token, for: CustomerID("u1"), to: shop.policy)
            }
            try await shop.engine.runDueJobs()
        }
        try await shop.expectBalancedBooks()
        let parked = try await shop.count(
            "SELECT COUNT(*) FROM transactions WHERE parked_reason IS NOT NULL")
        let owned = try await shop.count(
            "SELECT COUNT(*) FROM transactions WHERE customer_key IS NOT NULL")
        let (mine, theirs) = (try await shop.coins("u1"), try await shop.coins("u2"))
        let rights = try await shop.rights("u1")
        // Asking again settles again, so it comes last.
        let answer = try await shop.submit(purchase, by: "u2").words
        return ["\(mine) \(theirs) \(rights)", "parked: \(parked)", "owned: \(owned)", answer]
    }

    @Test(
        "Registered after the refund or before, a purchase that nobody had gives the same",
        arguments: ["coins100", "starter"])
    func refunded(product: String) async throws {
        let expected = try await state(after: [.register, .refund, .buy], of: product)
        for steps: [Step] in [
            [.refund, .register, .buy], [.refund, .buy, .register], [.buy, .refund, .register],
        ] {
            let found = try await state(after: steps, of: product)
            #expect(found == expected, "\(steps.map(\.rawValue))")
        }
    }
}
