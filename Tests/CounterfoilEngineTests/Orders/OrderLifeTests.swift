// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("An order that is not paid at once", .onEveryDatabase)
struct AnOrderThatIsNotPaidAtOnce {
    private func hint(_ hint: OrderHint, _ order: MadeOrder, _ shop: Shop) async throws {
        #expect(try await shop.hint(hint, of: order.id) != nil)
    }

    @Test(
        "A late payment revives it after cancel, failure and expiry, days later: 001-11",
        arguments: ["cancelled", "failed", "lapsed", "pending"])
    func revival(_ fate: String) async throws {
        let shop = try await Shop()
        let order = try await shop.order()
        switch fate {
        case "cancelled": try await hint(.abandoned(.userCancelled), order, shop)
        case "failed": try await hint(.abandoned(.failed), order, shop)
        case "pending": try await hint(.pending, order, shop)
        default: break
        }
        shop.clock.set(to: shop.clock.now + .seconds(9 * 86_400))
        try await shop.engine.lapseOrders()
        let before = try await shop.state(of: order)
        #expect(before == (["cancelled", "failed"].contains(fate) ? .cancelled : .lapsed))
        #expect(try await shop.submit(shop.payment(of: order)).words == "fulfilled finish")
        #expect(try await shop.state(of: order) == .fulfilled)
        #expect(try await shop.coins() == [100, 10])
        // What is said or runs out afterwards changes nothing.
        try await hint(.abandoned(.failed), order, shop)
        try await hint(.pending, order, shop)
        shop.clock.set(to: shop.clock.now + .seconds(90 * 86_400))
        #expect(try await shop.engine.lapseOrders() == 0)
        #expect(try await shop.state(of: order) == .fulfilled)
        try await shop.expectBalancedBooks()
    }

    @Test("It lapses when its time has run out, once, and says so")
    func lapses() async throws {
        let shop = try await Shop()
        let order = try await shop.order(hoursAgo: 0)
        #expect(try await shop.view()?.openOrders.map(\.record.orderID) == [order.id])
        shop.clock.set(to: shop.clock.now + .seconds(24 * 3600))
        #expect(try await shop.engine.lapseOrders() == 0)
        shop.clock.set(to: shop.clock.now + .seconds(1))
        #expect(try await shop.view()?.openOrders.isEmpty == true, "before anybody looked at it")
        #expect(try await shop.engine.lapseOrders() == 1)
        #expect(try await shop.engine.lapseOrders() == 0)
        #expect(try await shop.state(of: order) == .lapsed)
        let told = try await shop.events(.orderChanged)
        #expect(told.map { $0["state"] } == ["lapsed"])
        #expect(told.first?["previous_state"] == "open")
        try await shop.expectBalancedBooks()
    }

    @Test("Two servers let it lapse once")
    func lapsesOnce() async throws {
        let shop = try await Shop()
        for _ in 0..<5 { _ = try await shop.order(hoursAgo: 48) }
        let other = try await shop.anotherServer()
        let engine = shop.engine
        let lapsed = try await withThrowingTaskGroup(of: Int.self) { group in
            for server in [engine, other] { group.addTask { try await server.lapseOrders() } }
            return try await group.reduce(0, +)
        }
        #expect(lapsed == 5)
        #expect(try await shop.events(.orderChanged).count == 5)
        try await shop.expectBalancedBooks()
    }

    @Test("Ask to Buy keeps it open for longer; saying so again does not")
    func askToBuy() async throws {
        let shop = try await Shop()
        let order = try await shop.order(hoursAgo: 0)
        try await hint(.pending, order, shop)
        shop.clock.set(to: shop.clock.now + .seconds(6 * 86_400))
        try await hint(.pending, order, shop)
        #expect(try await shop.engine.lapseOrders() == 0)
        #expect(try await shop.view()?.openOrders.first?.record.state == .pending)
        var approved = shop.purchase("coins100")
        approved.purchaseDate = shop.clock.now - .seconds(60)
        try await shop.submit(approved)
        #expect(try await shop.state(of: order) == .fulfilled)
        #expect(try await shop.events(.orderChanged).map { $0["state"] } == ["pending"])
    }

    @Test("A cancel is a hint that can be taken back, with the first reason kept")
    func cancelled() async throws {
        let shop = try await Shop()
        let order = try await shop.order()
        try await hint(.abandoned(.userCancelled), order, shop)
        try await hint(.abandoned(.failed), order, shop)
        var record = try await shop.engine.order(order.id, of: Shop.app)?.record
        #expect(record?.closedReason == "user_cancelled")
        #expect(record?.revision == 1)
        try await hint(.pending, order, shop)
        record = try await shop.engine.order(order.id, of: Shop.app)?.record
        #expect(record?.state == .pending)
        #expect(record?.closedReason == nil)
        let unknown = UniqueID.random(SeededRandom(seed: 8))
        #expect(try await shop.hint(.pending, of: unknown) == nil)
        #expect(
            try await shop.events(.orderChanged).map { $0["state"] } == ["cancelled", "pending"])
    }

    @Test("A customer has at most so many open orders, and what is refused makes no customer")
    func limits() async throws {
        let shop = try await Shop()
        for _ in 0..<Limits.openOrdersPerCustomer { _ = try await shop.order(hoursAgo: 0) }
        await #expect(throws: OrderRefusal.tooMany(limit: Limits.openOrdersPerCustomer)) {
            try await shop.order(hoursAgo: 0)
        }
        await #expect(throws: OrderRefusal.unknownProduct) {
            try await shop.order("nothing", by: "u9")
        }
        #expect(try await shop.view("u9") == nil)
        shop.clock.set(to: shop.clock.now + .seconds(25 * 3600))
        try await shop.engine.lapseOrders()
        _ = try await shop.order(hoursAgo: 0)
    }
}
