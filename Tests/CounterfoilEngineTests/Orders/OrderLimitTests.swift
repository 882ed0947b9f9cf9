// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Hints and the limits of orders", .onEveryDatabase)
struct HintsAndLimitsOfOrders {
    @Test("A hint opens no order beyond those that one customer may have open")
    func reopening() async throws {
        let shop = try await Shop()
        let limit = Limits.openOrdersPerCustomer
        var first: [MadeOrder] = []
        for _ in 0..<limit { first.append(try await shop.order(hoursAgo: 0)) }
        for order in first { try await shop.hint(.abandoned(.userCancelled), of: order.id) }
        for _ in 1..<limit { _ = try await shop.order(hoursAgo: 0) }
        // There is room for one.
        #expect(try await shop.hint(.pending, of: first[0].id)?.record.state == .pending)
        await #expect(throws: OrderRefusal.tooMany(limit: limit)) {
            try await shop.hint(.pending, of: first[1].id)
        }
        #expect(try await shop.state(of: first[1]) == .cancelled)
        // One that is open already may wait for an approval.
        let other = try #require(
            try await shop.view()?.openOrders.first { $0.record.state == .open })
        #expect(
            try await shop.hint(.pending, of: other.record.orderID)?.record.state == .pending)
        #expect(try await shop.view()?.openOrders.count == Int(limit))
        // A payment revives whatever it names.
        try await shop.submit(shop.payment(of: first[1]))
        #expect(try await shop.state(of: first[1]) == .fulfilled)
    }

    @Test("Taken back and said again, a hint does not make an order wait for longer")
    func renewal() async throws {
        let shop = try await Shop()
        let order = try await shop.order(hoursAgo: 0)
        let made = shop.clock.now
        let latest = made + shop.policy.orders.openFor + shop.policy.orders.pendingFor
        var ends: [Instant] = []
        for _ in 0..<9 {
            shop.clock.advance(by: .seconds(86_400))
            try await shop.hint(.abandoned(.other), of: order.id)
            let view = try #require(try await shop.hint(.pending, of: order.id))
            if view.record.state == .pending { ends.append(view.record.openUntil) }
        }
        #expect(ends.count == 7, "seven days and one, and then never again")
        #expect(ends.allSatisfy { $0 <= latest })
        #expect(try await shop.state(of: order) == .cancelled)
        try await shop.submit(shop.payment(of: order))
        #expect(try await shop.state(of: order) == .fulfilled)
    }
}
