// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilSimulator

/// A story that shows what the server promises, told against a running one.
struct DemoStory: Sendable {
    let client: DemoClient
    let sales: DemoSales
    let narrator: Narrator

    /// The player of this run.
    var alice: String { "alice-\(sales.now.millisecondsSinceEpoch)" }

    func tellDeliveries() async throws {
        narrator.step("Alice buys 100 coins; the app hands in what StoreKit signed.")
        let purchase = sales.coins(0)
        let body = try sales.signed(purchase, for: alice)
        let first = try await client.purchase(body)
        narrator.expect(first.said("fulfilled", client: "finish"), "answer: \(first)")

        narrator.step("The same again, 50 times in parallel: a nervous app, a bad network.")
        let repeats = try await client.purchases(Array(repeating: body, count: 50))
        let known = repeats.count { $0.said("already_fulfilled", client: "finish") }
        narrator.expect(known == 50, "\(known) of 50 answers: already_fulfilled, finish")
        try await expectCoins(of: alice, DemoSales.coinsPerPack)

        narrator.step("The same sale in other bytes: two receipts of different age.")
        for age in [20, 10] as [Int64] {
            let receipt = try sales.receipt(
                of: [purchase], for: alice, claiming: purchase.transactionID, age: age)
            let answer = try await client.purchase(receipt)
            narrator.expect(answer.said("already_fulfilled", client: "finish"), "answer: \(answer)")
        }
        try await expectCoins(of: alice, DemoSales.coinsPerPack)
    }

    func tellRefusals() async throws {
        narrator.step("What is not proven is refused with its reason, and kept.")
        let mallory = "mallory-\(sales.now.millisecondsSinceEpoch)"
        let genuine = try sales.signed(sales.coins(1), for: mallory)
        let forged = try await client.purchase(Self.forge(genuine))
        narrator.expect(
            forged.said("rejected", "bad_signature", client: "keep"), "a forged one: \(forged)")
        var other = sales.coins(1)
        other.bundleID = "com.example.another"
        let foreign = try await client.purchase(try sales.signed(other, for: mallory))
        narrator.expect(
            foreign.said("rejected", "other_bundle", client: "keep"), "another app's: \(foreign)")
        let empty = try await client.purchase(
            try sales.receipt(
                of: [], for: mallory, claiming: sales.coins(1).transactionID, age: 5))
        narrator.expect(
            empty.said("pending", "not_in_evidence", client: "keep"), "an empty receipt: \(empty)")
        try await expectCoins(of: mallory, 0)
    }

    /// The transaction with one character of its payload changed.
    private static func forge(_ body: JSONValue) -> JSONValue {
        var token = Array((body["signed_transaction"]?.string ?? "").utf8)
        let dots = token.indices.filter { token[$0] == UInt8(ascii: ".") }
        if dots.count == 2 {
            let place = dots[0] + (dots[1] - dots[0]) / 2
            token[place] = token[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        }
        return [
            "customer_id": body["customer_id"] ?? .null,
            "signed_transaction": .string(String(decoding: token, as: UTF8.self)),
        ]
    }

    func expectCoins(of customer: String, _ amount: Int64) async throws {
        let found = try await client.coins(of: customer)
        narrator.expect(found == amount, "\(customer) has \(found) coins, expected \(amount)")
    }
}
