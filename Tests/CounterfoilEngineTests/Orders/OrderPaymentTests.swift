// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("An order is paid", .onEveryDatabase)
struct AnOrderIsPaid {
    private static let context = #"{"server":"s7","role":12}"#

    @Test(
        "Its token binds the payment, and its context is on grant, event and answer: 004-01, 003-38"
    )
    func tokenBinds() async throws {
        let shop = try await Shop()
        let order = try await shop.order(context: Self.context)
        let outcome = try await shop.submit(shop.payment(of: order))
        #expect(outcome.words == "fulfilled finish")
        #expect(outcome.entries.first?.order["context"]?["server"] == "s7")
        #expect(try await shop.state(of: order) == .fulfilled)
        let view = try #require(try await shop.engine.order(order.id, of: Shop.app))
        #expect(view.transactions.map(\.rawValue) == ["T1"])
        #expect(try await shop.grantedOrders().map { $0["context"]?["role"] } == [12])
        let told = try await shop.events(.purchaseFulfilled).first?["order"]
        #expect(told?["order_id"]?.string == order.id.description)
        #expect(told?["state"] == "fulfilled")
        #expect(told?["context"]?["server"] == "s7")
        #expect(try await shop.events(.orderChanged).isEmpty, "one purchase is one event")
        #expect(try await shop.submit(shop.payment(of: order)).words == "already_fulfilled finish")
        try await shop.expectBalancedBooks()
    }

    @Test("Goods go to the order's customer, whoever is logged in when it is paid: 000-30")
    func accountSwitched() async throws {
        let shop = try await Shop()
        let order = try await shop.order(by: "u1", context: Self.context)
        let outcome = try await shop.submit(shop.payment(of: order), by: "u2")
        #expect(outcome.words == "rejected owned_by_another_customer finish")
        #expect(outcome.entries.first?.order == .null, "a stranger learns nothing of the order")
        #expect(try await shop.coins("u1") == [100, 10])
        #expect(try await shop.coins("u2") == [0, 0])
        #expect(try await shop.state(of: order) == .fulfilled)
    }

    @Test("A second payment on one order delivers too, and the same payment again does not")
    func secondPayment() async throws {
        let shop = try await Shop()
        let order = try await shop.order()
        for id in ["T1", "T2", "T1"] { try await shop.submit(shop.payment(of: order, id)) }
        #expect(try await shop.coins() == [200, 20])
        let view = try #require(try await shop.engine.order(order.id, of: Shop.app))
        #expect(view.transactions.map(\.rawValue) == ["T1", "T2"])
        #expect(view.record.paidBy?.rawValue == "T1")
        try await shop.expectBalancedBooks()
    }

    private static let dearer = Shop.catalogue.replacing("amount: 100", with: "amount: 7")
    private static let empty = #"{ units: [], products: [] }"#

    @Test("An order keeps the goods of the day when it was made, also when the product is gone")
    func frozenGoods() async throws {
        let shop = try await Shop()
        let orders = [try await shop.order(), try await shop.order()]
        let changed = try await shop.reopened(catalogue: Self.dearer)
        try await changed.submit(changed.payment(of: orders[0], "T1"))
        #expect(try await changed.coins() == [100, 10])
        let grant = try await changed.engine.grants(
            of: Shop.app, in: .production, state: .due, after: nil, limit: 1
        ).first?.grant
        #expect(grant?.catalogueVersion == shop.policy.catalogue.version)
        // An old offer is not kept for ever by its token: a further payment gets what is sold today.
        try await changed.submit(changed.payment(of: orders[0], "T2"))
        #expect(try await changed.coins() == [107, 20])
        let sold = try await changed.reopened(catalogue: Self.empty)
        #expect(
            try await sold.submit(sold.payment(of: orders[1], "T3")).words == "fulfilled finish")
        #expect(try await sold.coins() == [207, 30])
        try await sold.expectBalancedBooks()
    }

    @Test("Apple's signed quantity multiplies, whatever the order says")
    func quantity() async throws {
        let shop = try await Shop()
        let order = try await shop.order(quantity: 2)
        #expect(order.view.goods.array?.first?["amount"] == 200)
        var purchase = shop.payment(of: order)
        purchase.quantity = 3
        try await shop.submit(purchase)
        #expect(try await shop.coins() == [300, 30])
    }

    @Test("If another product was signed, the order's goods do not count, its customer does")
    func otherProduct() async throws {
        let shop = try await Shop()
        let order = try await shop.order("coins100", context: Self.context)
        let outcome = try await shop.submit(
            shop.payment(of: order, "T1", "sword1"), by: "u1", for: order.named)
        #expect(outcome.words == "fulfilled finish")
        #expect(outcome.detail == OrderNote.otherProduct.rawValue)
        #expect(outcome.entries.first?.order == .null)
        #expect(try await shop.coins() == [0, 0])
        #expect(try await shop.grantedOrders() == [.null])
        #expect(try await shop.state(of: order) == .open)
    }

    @Test("A payment that must wait makes the order paid, and fulfilled when its cause goes")
    func parked() async throws {
        let shop = try await Shop()
        let order = try await shop.order()
        var purchase = shop.payment(of: order, "T1", "coins100")
        purchase.kind = .nonConsumable
        #expect(try await shop.submit(purchase).words == "parked type_mismatch finish")
        #expect(try await shop.state(of: order) == .paid)
        let told = try await shop.events(.purchaseParked).first?["order"]
        #expect(told?["state"] == "paid")
    }

    @Test("A refunded payment makes the order refunded, and another one keeps it fulfilled")
    func refunded() async throws {
        let shop = try await Shop()
        let order = try await shop.order()
        let first = shop.payment(of: order, "T1")
        try await shop.submit(first)
        try await shop.submit(refund(of: first, shop))
        #expect(try await shop.state(of: order) == .refunded)
        let told = try #require(try await shop.events(.orderChanged).first)
        #expect(told["previous_state"] == "fulfilled")
        #expect(told["state"] == "refunded")
        try await shop.submit(shop.payment(of: order, "T2"))
        #expect(try await shop.state(of: order) == .fulfilled)
        try await shop.submit(refund(of: first, shop))
        #expect(try await shop.state(of: order) == .fulfilled)
        try await shop.expectBalancedBooks()
    }

    private func refund(of purchase: SimulatedPurchase, _ shop: Shop) -> SimulatedPurchase {
        var refunded = purchase
        refunded.revocation = .init(date: shop.clock.now - .seconds(60))
        refunded.signedDate = shop.clock.now - .seconds(50)
        return refunded
    }

    @Test("The first payment says where the order was paid, and production beats the sandbox")
    func environment() async throws {
        let shop = try await Shop()
        let order = try await shop.order()
        var test = shop.payment(of: order, "S1")
        test.environment = .sandbox
        try await shop.submit(test)
        var record = try await shop.engine.order(order.id, of: Shop.app)?.record
        #expect(record?.environment == .sandbox)
        #expect(record?.state == .fulfilled)
        #expect(try await shop.coins() == [0, 0], "the sandbox never reaches production's books")
        var waiting = shop.payment(of: order, "T1")
        waiting.kind = .nonConsumable
        try await shop.submit(waiting)
        record = try await shop.engine.order(order.id, of: Shop.app)?.record
        #expect(record?.environment == .production)
        #expect(record?.paidBy?.rawValue == "T1")
        #expect(record?.state == .paid)
        test.transactionID = "S2"
        try await shop.submit(test)
        #expect(try await shop.state(of: order) == .paid)
        try await shop.expectBalancedBooks()
    }

    @Test("Field case 54: without an order, by an offer code or a promotion, it settles as ever")
    func withoutOrder() async throws {
        let shop = try await Shop()
        let outcome = try await shop.submit(shop.purchase("coins100"))
        #expect(outcome.words == "fulfilled finish")
        #expect(outcome.entries.first?.order == .null)
        #expect(try await shop.grantedOrders() == [.null])
    }

    @Test(
        "Field case 54: a code's free purchase that Apple tells first waits for whoever reports it",
        arguments: ["ONE_TIME_CHARGE", "OFFER_REDEEMED"])
    func toldFirst(type: String) async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("coins100")
        purchase.price = Money(amountMilli: 0, currency: "USD")
        let told = try await shop.notify(type, of: purchase)
        #expect(told.words == "parked no_owner keep")
        shop.clock.advance(by: .seconds(3 * 86_400))
        #expect(try await shop.submit(purchase).words == "fulfilled finish")
        #expect(try await shop.coins() == [100, 10])
        let event = try #require(try await shop.events(.purchaseFulfilled).first)
        #expect(event["price"]?["amount_milli"] == 0)
        try await shop.expectBalancedBooks()
    }

    @Test("Fifty copies of one payment at the same time pay the order once")
    func together() async throws {
        let shop = try await Shop()
        let order = try await shop.order()
        let payment = shop.payment(of: order)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try await shop.submit(payment) } }
            try await group.waitForAll()
        }
        #expect(try await shop.coins() == [100, 10])
        #expect(try await shop.engine.order(order.id, of: Shop.app)?.record.revision == 1)
        try await shop.expectBalancedBooks()
    }

    private static let tampering: [SQL] = [
        "UPDATE orders SET state = 'open' WHERE state = 'fulfilled'",
        "UPDATE orders SET state = 'paid' WHERE state = 'open'",
        "UPDATE orders SET paid_by = 'T9' WHERE state = 'fulfilled'",
        "UPDATE orders SET paid_by = NULL",
        "UPDATE transactions SET order_id = NULL",
    ]

    @Test("A rebuild sees what was done to an order by hand", arguments: tampering)
    func tampered(_ statement: SQL) async throws {
        let shop = try await Shop()
        let order = try await shop.order()
        _ = try await shop.order()
        try await shop.submit(shop.payment(of: order))
        try await shop.expectBalancedBooks()
        try await shop.engine.database.write { try $0.execute(statement) }
        let report = try await Rebuild(shop.engine.database).run()
        #expect(report.differences.map(\.table).contains("orders"))
    }
}
