// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("How long a client is asked to wait", .onEveryDatabase)
struct HowLongAClientWaits {
    @Test("Each customer's own refusals count, not those of others")
    func perCustomer() async throws {
        let shop = try await Shop()
        let junk = Submission.Proof.signedTransaction("a.b.c")
        for _ in 0..<3 { try await shop.submit(junk, by: "u1") }
        #expect(try await shop.submit(junk, by: "u1").retryAfter == .seconds(480))
        #expect(try await shop.submit(junk, by: "u2").retryAfter == .seconds(60))
    }

    @Test("What went well before does not lengthen the pause")
    func successes() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100")
        let receipt = SimulatedReceipt(
            bundleID: Shop.bundleID, environment: .production,
            creationDate: shop.clock.now - .seconds(60), purchases: [purchase])
        let proof = Submission.Proof.receipt(
            Base64.encode(try TestAuthority.shared.appReceipt(receipt), .standard))
        for _ in 0..<4 { try await shop.submit(proof, claiming: "T1") }
        let missing = try await shop.submit(proof, claiming: "T2")
        #expect(missing.words == "pending not_in_evidence keep")
        #expect(missing.retryAfter == .seconds(5))
        #expect(try await shop.submit(proof, claiming: "T2").retryAfter == .seconds(10))
    }

    @Test("Where the mistake may be ours, nobody stays away for longer than an hour")
    func suspect() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("coins100")
        purchase.bundleID = "com.example.another"
        let token = try TestAuthority.shared.signedTransaction(purchase)
        var last: Duration?
        for _ in 0..<10 {
            let outcome = try await shop.submit(.signedTransaction(token))
            #expect(outcome.isSuspectConfiguration)
            last = outcome.retryAfter
        }
        #expect(last == .seconds(3600))
    }

    @Test("A claim of another transaction than the signed one is named as that")
    func otherTransaction() async throws {
        let shop = try await Shop()
        let outcome = try await shop.submit(shop.purchase("coins100"), claiming: "T9")
        #expect(outcome.words == "pending other_transaction keep")
        #expect(outcome.detail == "the signed transaction is T1, transaction_id names T9")
        #expect(try await shop.coins() == [0, 0])
    }
}
