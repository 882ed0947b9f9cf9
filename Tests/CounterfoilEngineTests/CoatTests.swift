// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

/// One genuine receipt can be dressed in any number of ways, each of them other bytes.
@Suite("Genuine evidence that tells nothing new cannot fill the disk", .onEveryDatabase)
struct EvidenceWithoutNews {
    /// Another receipt of the same second with the same purchases.
    private func coat(
        _ number: Int, of purchases: [SimulatedPurchase], size: Int = 4096
    ) throws -> Submission.Proof {
        var receipt = SimulatedReceipt(
            bundleID: Shop.bundleID, environment: .production,
            creationDate: TestAuthority.clock.now - .seconds(60), purchases: purchases)
        let filler = Array("\(number)".utf8) + Array(repeating: 0x20, count: size)
        receipt.additionalAttributes = [ReceiptAttribute(type: 9_999, value: filler)]
        return .receipt(Base64.encode(try TestAuthority.shared.appReceipt(receipt), .standard))
    }

    private func spendQuota(in shop: Shop) async throws {
        let day = shop.clock.now.millisecondsSinceEpoch / 86_400_000
        try await shop.engine.database.write { transaction in
            _ = try transaction.countRefusedBytes(
                Shop.app, day: day, address: "127.0.0.1", Limits.refusedEvidencePerAddressAndDay)
        }
    }

    private func partCount(in shop: Shop) async throws -> Int64 {
        try await shop.count("SELECT COUNT(*) FROM evidence WHERE encoding = 1")
    }

    private func countedBytes(in shop: Shop) async throws -> Int64 {
        try await shop.count(
            "SELECT COALESCE(SUM(byte_count), 0) FROM refused_evidence_usage WHERE address = ''")
    }

    /// A shop that knows T1, which is u1's, and T2, which is nobody's yet.
    private func shop(knowing purchases: [SimulatedPurchase]) async throws -> Shop {
        let shop = try await Shop()
        #expect(
            try await shop.submit(try coat(0, of: purchases), claiming: "T1").words
                == "fulfilled finish")
        try await shop.engine.runDueJobs()
        return shop
    }

    private let purchases = ["T1", "T2"].map { id in
        SimulatedPurchase(
            environment: .production, bundleID: Shop.bundleID, transactionID: id,
            productID: "coins100", kind: .consumable,
            purchaseDate: TestAuthority.clock.now - .seconds(3600))
    }

    @Test("It counts, news and repetitions of the same bytes do not", arguments: [4096, 100_000])
    func counting(size: Int) async throws {
        let shop = try await shop(knowing: purchases)
        #expect(try await countedBytes(in: shop) == 0)
        let coat = try coat(1, of: purchases, size: size)
        for _ in 0..<3 {
            #expect(try await shop.submit(coat, claiming: "T1").words == "already_fulfilled finish")
        }
        let counted = try await countedBytes(in: shop)
        #expect((Int64(size)..<Int64(size) + 20_000).contains(counted))
        let other = try self.coat(2, of: purchases + [shop.purchase("coins100", "T3")], size: size)
        #expect(try await shop.submit(other, claiming: "T1").words == "already_fulfilled finish")
        #expect(try await countedBytes(in: shop) == counted)
        #expect(try await partCount(in: shop) == 0)
    }

    @Test(
        "Beyond the quota digest and beginning are kept, no job is owed, and the answers stay",
        arguments: [4096, 100_000])
    func quota(size: Int) async throws {
        let shop = try await shop(knowing: purchases)
        try await spendQuota(in: shop)
        let coat = try coat(1, of: purchases, size: size)
        // Again and again: what is kept in part does not become whole by asking twice.
        for _ in 0..<2 {
            #expect(try await shop.submit(coat, claiming: "T1").words == "already_fulfilled finish")
            #expect(
                try await shop.submit(coat, by: "u2", claiming: "T1").words
                    == "rejected owned_by_another_customer finish")
            #expect(
                try await shop.submit(coat, by: "u2", claiming: nil).words
                    == "pending nothing_claimed keep")
        }
        #expect(try await partCount(in: shop) == 1)
        let kept = try await shop.count("SELECT length(bytes) FROM evidence WHERE encoding = 1")
        #expect(kept == Int64(Limits.refusedEvidencePrefix))
        #expect(try await shop.count("SELECT COUNT(*) FROM submissions") == 7)
        #expect(try await shop.count("SELECT COUNT(*) FROM jobs") == 0)
        // Whose it is may still be news, although what it is is not.
        #expect(try await shop.submit(coat, by: "u2", claiming: "T2").words == "fulfilled finish")
        #expect(try await shop.coins("u2") == [100, 10])
        let unshown = try await shop.count(
            """
            SELECT COUNT(*) FROM transactions JOIN evidence
            ON sha256 = identity_evidence WHERE encoding = 1
            """)
        #expect(unshown == 0, "every fact is shown by evidence that is kept whole")
        try await shop.expectBalancedBooks()
    }

    @Test("Beyond the quota what tells anything new is kept whole all the same")
    func news() async throws {
        let shop = try await shop(knowing: purchases)
        try await spendQuota(in: shop)
        let more = try coat(1, of: purchases + [shop.purchase("coins100", "T3")])
        #expect(try await shop.submit(more, claiming: "T1").words == "already_fulfilled finish")
        #expect(try await shop.engine.runDueJobs() == 1)
        #expect(try await shop.storedTransactions() == ["T1", "T2", "T3"])
        let later = try await shop.submitReceipt(
            of: purchases, claiming: "T1", createdAt: shop.clock.now - .seconds(1))
        #expect(later.words == "already_fulfilled finish")
        var refunded = purchases[1]
        refunded.revocation = .init(date: shop.clock.now - .seconds(100))
        #expect(try await shop.submit(refunded).words == "rejected revoked finish")
        #expect(try await partCount(in: shop) == 0)
    }

    @Test("The next day has a quota of its own, and makes whole what was kept in part")
    func nextDay() async throws {
        let shop = try await shop(knowing: purchases)
        try await spendQuota(in: shop)
        let coat = try coat(1, of: purchases)
        for parts: Int64 in [1, 0] {
            try await shop.submit(coat, claiming: "T1")
            #expect(try await partCount(in: shop) == parts)
            shop.clock.advance(by: .seconds(86_400))
        }
    }

    @Test("A receipt without purchases counts too")
    func empty() async throws {
        let shop = try await Shop()
        try await spendQuota(in: shop)
        #expect(
            try await shop.submit(try coat(0, of: []), claiming: "T1").words
                == "pending not_in_evidence keep")
        #expect(try await partCount(in: shop) == 1)
    }

    @Test("Refused evidence beyond the quota does not become whole by asking twice")
    func refusedTwice() async throws {
        let shop = try await Shop()
        try await spendQuota(in: shop)
        for _ in 0..<3 {
            try await shop.submit(.signedTransaction(String(repeating: "!", count: 5000)))
        }
        #expect(try await partCount(in: shop) == 1)
    }
}
