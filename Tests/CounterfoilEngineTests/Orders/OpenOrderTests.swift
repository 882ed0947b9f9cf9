// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("A payment without a token finds its order", .onEveryDatabase)
struct PaymentsWithoutToken {
    @Test("Field case 47: it pays the oldest order that was open when it was made: 000-28")
    func oldest() async throws {
        let shop = try await Shop()
        let orders = [
            try await shop.order(hoursAgo: 5), try await shop.order(hoursAgo: 4),
            try await shop.order("sword1", hoursAgo: 6),
            try await shop.order(by: "u2", hoursAgo: 6),
        ]
        try await shop.submit(shop.purchase("coins100", "T1"))
        #expect(try await states(of: orders, shop) == [.fulfilled, .open, .open, .open])
        try await shop.submit(shop.purchase("coins100", "T2"))
        #expect(try await states(of: orders, shop) == [.fulfilled, .fulfilled, .open, .open])
        let third = try await shop.submit(shop.purchase("coins100", "T3"))
        #expect(third.words == "fulfilled finish")
        #expect(third.entries.first?.order == .null)
        try await shop.expectBalancedBooks()
    }

    private func states(of orders: [MadeOrder], _ shop: Shop) async throws -> [OrderState?] {
        var states: [OrderState?] = []
        for order in orders { states.append(try await shop.state(of: order)) }
        return states
    }

    @Test("An order that was made behind the purchase, or had lapsed before it, is not the one")
    func otherTimes() async throws {
        let shop = try await Shop()
        let orders = [try await shop.order(hoursAgo: 0), try await shop.order(hoursAgo: 30)]
        try await shop.submit(shop.purchase("coins100"))
        #expect(try await states(of: orders, shop) == [.open, .open])
        #expect(try await shop.coins() == [100, 10])
    }

    @Test("The order that the client names comes before older ones, if it is its own and unpaid")
    func named() async throws {
        let shop = try await Shop()
        let orders = [
            try await shop.order(hoursAgo: 5), try await shop.order(hoursAgo: 4),
            try await shop.order(by: "u2", hoursAgo: 6),
        ]
        try await shop.submit(shop.purchase("coins100", "T1"), for: orders[1].namedByID)
        #expect(try await states(of: orders, shop) == [.open, .fulfilled, .open])
        // A client that keeps one id and sends it with every transaction: requirement 004-17.
        try await shop.submit(shop.purchase("coins100", "T2"), for: orders[1].namedByID)
        #expect(try await states(of: orders, shop) == [.fulfilled, .fulfilled, .open])
        let foreign = try await shop.submit(
            shop.purchase("coins100", "T3"), for: orders[2].namedByID)
        #expect(foreign.words == "fulfilled finish")
        #expect(foreign.detail == OrderNote.otherCustomer.rawValue)
        #expect(try await states(of: orders, shop) == [.fulfilled, .fulfilled, .open])
        #expect(try await shop.coins("u1") == [300, 30])
    }

    @Test("A wrong, unknown or unreadable order does no harm: 004-17")
    func wrong() async throws {
        let shop = try await Shop()
        let unknown = UniqueID.random(SeededRandom(seed: 5))
        for (number, id) in [unknown, nil].enumerated() {
            let outcome = try await shop.submit(
                shop.purchase("coins100", "T\(number)"),
                for: NamedOrder(orderID: id, ticket: "cft_nonsense"))
            #expect(outcome.words == "fulfilled finish")
            #expect(outcome.detail == OrderNote.unknownOrder.rawValue)
            let kept = try await shop.engine.submission(outcome.submissionID, of: Shop.app)
            #expect(kept?.record.claimedOrderID == id)
        }
        #expect(try await shop.coins() == [200, 20])
    }

    @Test("Two payments at the same time do not pay one order, while another is open")
    func together() async throws {
        let shop = try await Shop()
        let orders = [try await shop.order(hoursAgo: 5), try await shop.order(hoursAgo: 4)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2 {
                group.addTask {
                    try await shop.submit(shop.purchase("coins100", "T\(number)"))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await states(of: orders, shop) == [.fulfilled, .fulfilled])
        try await shop.expectBalancedBooks()
    }

    @Test(
        "Other entries of a receipt pay the open orders of whoever hands it in, and nobody else's")
    func otherEntries() async throws {
        let shop = try await Shop()
        let order = try await shop.order()
        let purchases = ["T1", "T2", "T3"].map { shop.purchase("coins100", $0) }
        try await shop.submitReceipt(of: purchases, claiming: "T1", createdAt: nil)
        try await shop.engine.runDueJobs()
        // The claimed one took the order; the others have no owner.
        #expect(try await shop.coins() == [100, 10])
        let late = try await shop.order(by: "u2", hoursAgo: 2)
        try await shop.submitReceipt(of: purchases, by: "u2", claiming: "T1")
        try await shop.engine.runDueJobs()
        #expect(try await shop.state(of: order) == .fulfilled)
        #expect(try await shop.state(of: late) == .fulfilled)
        #expect(try await shop.coins("u2") == [100, 10])
        let entry = try await shop.engine.transaction(
            TransactionID("T2"), of: Shop.app, in: .production)
        #expect(entry?.record.ownerSource == "order")
        #expect(entry?.owner?.rawValue == "u2")
        let other = try await shop.engine.transaction(
            TransactionID("T3"), of: Shop.app, in: .production)
        #expect(other?.record.parking?.reason == "no_owner")
        try await shop.expectBalancedBooks()
    }

    @Test("With one token per customer, orders are found by product and time")
    func customerTokens() async throws {
        let shop = try await Shop(orders: OrderPolicy(tokenScope: .customer))
        let orders = [
            try await shop.order(hoursAgo: 5), try await shop.order("sword1", hoursAgo: 4),
        ]
        #expect(orders[0].token == orders[1].token)
        let other = try await shop.order(by: "u2")
        #expect(other.token != orders[0].token)
        try await shop.submit(shop.payment(of: orders[1], "T1", "sword1"), by: "u3")
        #expect(try await states(of: orders, shop) == [.open, .fulfilled])
        #expect(try await shop.state(of: other) == .open)
    }
}

@Suite("The ticket of an order", .onEveryDatabase)
struct TheTicketOfAnOrder {
    @Test("Without a token the ticket says whose it is, whoever is logged in: 000-30")
    func ticketBinds() async throws {
        let shop = try await Shop()
        let order = try await shop.order(by: "u1")
        let outcome = try await shop.submit(shop.purchase("coins100"), by: "u2", for: order.named)
        #expect(outcome.words == "rejected owned_by_another_customer finish")
        #expect(try await shop.coins("u1") == [100, 10])
        #expect(try await shop.state(of: order) == .fulfilled)
        let record = try await shop.engine.transaction(
            TransactionID("T1"), of: Shop.app, in: .production)?.record
        #expect(record?.ownerSource == "ticket")
    }

    @Test("A ticket counts for its own order only")
    func otherOrder() async throws {
        let shop = try await Shop()
        let order = try await shop.order(by: "u1")
        let own = try await shop.order(by: "u2")
        for (number, ticket) in [own.ticket, "", order.ticket + "x"].enumerated() {
            let outcome = try await shop.submit(
                shop.purchase("coins100", "T\(number)"), by: "u2",
                for: NamedOrder(orderID: order.id, ticket: ticket))
            #expect(outcome.words == "fulfilled finish", "as without a ticket")
        }
        #expect(try await shop.coins("u1") == [0, 0])
        #expect(try await shop.coins("u2") == [300, 30])
        #expect(try await shop.state(of: order) == .open)
        #expect(try await shop.state(of: own) == .fulfilled, "it was open when the first was paid")
        try await shop.expectBalancedBooks()
    }

    @Test("A ticket does not count for another product")
    func otherProduct() async throws {
        let shop = try await Shop()
        let order = try await shop.order("sword1", by: "u1")
        let outcome = try await shop.submit(shop.purchase("coins100"), by: "u2", for: order.named)
        #expect(outcome.words == "fulfilled finish")
        #expect(outcome.detail == OrderNote.otherProduct.rawValue)
        #expect(try await shop.coins("u2") == [100, 10])
        #expect(try await shop.state(of: order) == .open)
    }

    @Test("A signed token decides against a ticket, and an unknown one is not replaced by it")
    func tokenFirst() async throws {
        let shop = try await Shop()
        let order = try await shop.order(by: "u1")
        let other = try await shop.order(by: "u2")
        let outcome = try await shop.submit(shop.payment(of: order), by: "u2", for: other.named)
        #expect(outcome.words == "rejected owned_by_another_customer finish")
        #expect(outcome.detail == OrderNote.otherOrder.rawValue)
        #expect(try await shop.coins("u1") == [100, 10])
        var unknown = shop.purchase("coins100", "T2")
        unknown.appAccountToken = UniqueID.random(SeededRandom(seed: 6))
        #expect(
            try await shop.submit(unknown, by: "u2", for: other.named).words
                == "parked unknown_token keep")
        #expect(try await shop.state(of: other) == .open)
    }

    @Test(
        "It is stored as a digest only, and its 256 bits are drawn or follow from the caller's secret"
    )
    func digest() async throws {
        let shop = try await Shop()
        let orders = [try await shop.order(), try await shop.order()]
        #expect(orders[0].ticket != orders[1].ticket)
        #expect(orders[0].ticket.utf8.count == 47)
        #expect(orders[0].view.record.ticketDigest == OrderTicket(text: orders[0].ticket).digest)
        let derived = ["a", "b", "a"].map { OrderTicket(of: orders[0].id, secret: $0).text }
        #expect(derived[0] == derived[2])
        #expect(derived[0] != derived[1])
        #expect(derived[0] != OrderTicket(of: orders[1].id, secret: "a").text)
    }
}
