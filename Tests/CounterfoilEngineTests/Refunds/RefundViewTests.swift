// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("What became of a sale's units", .onEveryDatabase)
struct WhatBecameOfUnits {
    @Test("A transaction shows what was used, what was refunded and what is left")
    func lots() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("coins100")
        purchase.price = Money(amountMilli: 1000, currency: "USD")
        try await shop.submit(purchase)
        try await shop.spend(40)
        try await shop.submit(shop.refunded(purchase, percentageMilli: 50_000))
        let view = try #require(
            try await shop.engine.transaction(
                try TransactionID("T1"), of: Shop.app, in: .production))
        // The bonus went first, so 30 of the paid part were used. The refund wants 50 and 5; the bonus
        // is gone, and the paid lot stands in for it.
        let paid = try #require(view.lots.first { $0.kind == .paid })
        #expect([paid.amount, paid.remaining, paid.refunded, paid.consumed] == [100, 15, 55, 30])
        let bonus = try #require(view.lots.first { $0.kind == .bonus })
        #expect([bonus.amount, bonus.remaining, bonus.refunded, bonus.consumed] == [10, 0, 0, 10])
        let change = try #require(view.changes.first)
        #expect(view.changes.count == 1)
        #expect(change.refund.price == Money(amountMilli: -500, currency: "USD"))
        #expect(change.grant.grant.revision == 1)
        #expect(change.grant.grant.state == .due)
    }
}
