// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilSimulator

/// The purchases of one run; their ids are new in each run, so the books of earlier ones stay.
struct DemoSales: Sendable {
    static let coins = "com.example.demo.coins100"
    static let coinsPerPack: Int64 = 110

    let authority: Authority
    let now: Instant

    /// A coin pack bought a minute ago.
    func coins(_ number: Int) -> SimulatedPurchase {
        var purchase = SimulatedPurchase(
            environment: .production, bundleID: DemoFolder.bundleID,
            transactionID: "\(now.millisecondsSinceEpoch)\(1000 + number)", productID: Self.coins,
            kind: .consumable, purchaseDate: now - .seconds(60))
        purchase.price = Money(amountMilli: 990, currency: "USD")
        return purchase
    }

    /// The body that hands in a purchase as a signed transaction.
    func signed(_ purchase: SimulatedPurchase, for customer: String) throws -> JSONValue {
        [
            "customer_id": .string(customer),
            "signed_transaction": .string(try authority.signedTransaction(purchase)),
        ]
    }

    /// The body that hands in a receipt.
    ///
    /// - Parameter age: How old the receipt is, in seconds; another age gives other bytes.
    func receipt(
        of purchases: [SimulatedPurchase], for customer: String, claiming: String, age: Int64
    ) throws -> JSONValue {
        let receipt = SimulatedReceipt(
            bundleID: DemoFolder.bundleID, environment: .production,
            creationDate: now - .seconds(age), purchases: purchases)
        let bytes = try authority.appReceipt(receipt)
        return [
            "customer_id": .string(customer), "transaction_id": .string(claiming),
            "receipt_data": .string(Base64.encode(bytes, .standard)),
        ]
    }
}
