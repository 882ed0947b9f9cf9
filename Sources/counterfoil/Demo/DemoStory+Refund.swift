// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilHTTP
import CounterfoilSimulator

extension DemoStory {
    private static let spent: Int64 = 60

    /// A sale from its order to a refund and back, with a simulated App Store that sends notifications.
    func tellRefund() async throws {
        let carol = "carol-\(sales.now.millisecondsSinceEpoch)"
        var store = try DemoStore(sales: sales, client: client)

        narrator.step("Carol's game makes an order; she pays; the order's token says whose it is.")
        let order = try await client.send(
            .post, "/v1/orders",
            ["customer_id": .string(carol), "product_id": .string(DemoSales.coins)])
        let token = order["app_account_token"]?.string.flatMap { UniqueID($0) }
        let bought = try store.buy(token: token)
        try await store.tell()
        try await expectBalance(of: carol, DemoSales.coinsPerPack, debt: 0)
        let answer = try await client.purchase(try sales.signed(bought, for: carol))
        narrator.expect(
            answer.said("already_fulfilled", client: "finish"),
            "Apple's notification was faster than the app: \(answer)")

        narrator.step("Carol spends \(Self.spent) coins, then Apple gives her money back.")
        _ = try await client.send(
            .post, "/v1/customers/\(carol)/spend",
            ["unit": "coins", "amount": .integer(Self.spent), "reason": "a skin"])
        try store.refund(bought)
        try await store.tell()
        try await expectBalance(of: carol, 0, debt: Self.spent)

        narrator.step("Her next purchase pays the debt first.")
        _ = try store.buy(token: try await newToken(of: carol))
        try await store.tell()
        try await expectBalance(of: carol, DemoSales.coinsPerPack - Self.spent, debt: 0)

        narrator.step("Apple takes the refund back, and says so twice.")
        try store.reverseRefund(of: bought)
        try await store.tell(copies: 2)
        try await expectBalance(of: carol, 2 * DemoSales.coinsPerPack - Self.spent, debt: 0)
    }

    private func newToken(of customer: String) async throws -> UniqueID? {
        try await client.send(.post, "/v1/customers/\(customer)/tokens", [:])["token"]?.string
            .flatMap { UniqueID($0) }
    }

    private func expectBalance(of customer: String, _ amount: Int64, debt: Int64) async throws {
        let found = try await client.coins(of: customer)
        let owed = try await client.debt(of: customer)
        narrator.expect(
            found == amount && owed == debt,
            "\(customer) has \(found) coins and owes \(owed), expected \(amount) and \(debt)")
    }
}

/// The simulated App Store of the demo, a few minutes behind the machine's clock.
private struct DemoStore {
    private static let buyer = "carol@example.com"

    private let sales: DemoSales
    private let client: DemoClient
    private var store: SimulatedStore

    init(sales: DemoSales, client: DemoClient) throws {
        self.sales = sales
        self.client = client
        let catalog = try StoreCatalog(products: [
            StoreProduct(id: DemoSales.coins, kind: .consumable, priceMilli: 990)
        ])
        store = SimulatedStore(
            catalog: catalog,
            settings: StoreSettings(bundleID: DemoFolder.bundleID, environment: .production),
            now: sales.now - .seconds(300), random: SystemRandom())
        try store.createAccount(Self.buyer)
    }

    /// Buys a coin pack; StoreKit gets the token of the order or of the customer.
    mutating func buy(token: UniqueID?) throws -> SimulatedPurchase {
        try pass()
        var options = PurchaseOptions()
        options.appAccountToken = token
        guard let bought = try store.buy(DemoSales.coins, by: Self.buyer, options).transaction
        else { throw DemoClient.Failure(description: "the store sold nothing") }
        return bought
    }

    mutating func refund(_ purchase: SimulatedPurchase) throws {
        try pass()
        try store.refund(purchase.transactionID)
    }

    mutating func reverseRefund(of purchase: SimulatedPurchase) throws {
        try pass()
        try store.reverseRefund(purchase.transactionID)
    }

    /// Sends what the store has to tell, as Apple does.
    mutating func tell(copies: Int = 1) async throws {
        let authority = sales.authority
        for notification in store.takeNotifications() {
            let payload = try notification.payload { content throws(CryptoError) in
                try authority.sign(content)
            }
            let body: JSONValue = ["signedPayload": .string(try authority.sign(payload))]
            for _ in 0..<copies {
                _ = try await client.send(.post, "/apple/\(DemoFolder.app)/notifications", body)
            }
        }
    }

    /// Half a minute goes by.
    private mutating func pass() throws { try store.advance(to: store.now + .seconds(30)) }
}
