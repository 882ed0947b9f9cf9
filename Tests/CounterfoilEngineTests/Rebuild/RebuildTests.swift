// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("A rebuild", .onEveryDatabase)
struct RebuildFindsWhatDiffers {
    @Test(
        "It agrees with the books of a long story, however small its steps", arguments: [1, 2, 200])
    func agrees(pageSize: Int64) async throws {
        let shop = try await Self.story()
        let report = try await Rebuild(shop.engine.database, pageSize: pageSize).run()
        #expect(report.agrees, "\(report.json.text)")
        for (subject, table) in Self.tables {
            let rows = try await shop.count(table)
            #expect(rows > 0)
            #expect(report.counts[subject] == Int(rows), "\(subject)")
        }
    }

    private static let tables: [(RebuildReport.Subject, SQL)] = [
        (.transactions, "SELECT COUNT(*) FROM transactions"),
        (.sales, "SELECT COUNT(*) FROM sales"),
        (.grants, "SELECT COUNT(*) FROM grants"),
        (.transfers, "SELECT COUNT(*) FROM transfers"),
        (.accounts, "SELECT COUNT(*) FROM accounts"),
        (.entries, "SELECT COUNT(*) FROM entries"),
        (.wallets, "SELECT COUNT(*) FROM wallets"),
        (.events, "SELECT COUNT(*) FROM events"),
        (
            .entitledCustomers,
            "SELECT COUNT(*) FROM (SELECT DISTINCT customer_key FROM entitlement_periods) AS c"
        ),
    ]

    @Test("It finds what was changed by hand", arguments: Tampering.all)
    func finds(tampering: Tampering) async throws {
        let shop = try await Self.story()
        try await shop.engine.database.write { transaction in
            for statement in tampering.statements {
                let changed = try transaction.change(statement)
                try #require(changed > 0)
            }
        }
        let report = try await Rebuild(shop.engine.database).run()
        #expect(report.differences.contains { $0.table == tampering.table }, "\(report.json.text)")
        #expect(report.json["agrees"] == .bool(false))
    }

    @Test("It changes nothing")
    func readsOnly() async throws {
        let shop = try await Self.story()
        let database = WatchedDatabase(shop.engine.database)
        database.beforeEachWrite { _ in throw DatabaseError(.readOnly, "a rebuild only reads") }
        #expect(try await Rebuild(database).run().agrees)
    }

    @Test("A list that would be endless is cut, and says so")
    func manyDifferences() {
        var report = RebuildReport()
        for number in 0..<Limits.listedDifferences + 3 {
            report.add(.init("accounts", "\(number)", expected: nil, stored: "x"))
        }
        #expect(report.differences.count == Limits.listedDifferences)
        #expect(report.omitted == 3)
    }

    /// Two customers with coins, rights for ever and for a time, goods that the game holds; purchases
    /// that wait for a product, for an owner and for evidence of ownership; refunds before and after.
    private static func story() async throws -> Shop {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100", "T1"))
        try await shop.submit(shop.purchase("coins100", "T1"), by: "u2")
        try await shop.submit(shop.purchase("coins100", "T2"), by: "u2")
        try await shop.submit(shop.purchase("sword1", "T3"))
        try await shop.submit(shop.purchase("noads", "T4", .nonConsumable))
        var early = shop.purchase("pass30", "T5", .nonRenewingSubscription)
        early.purchaseDate = shop.clock.now - .seconds(86_400)
        try await shop.submit(shop.purchase("pass30", "T6", .nonRenewingSubscription))
        try await shop.submit(early)
        try await shop.submit(shop.purchase("unheard_of", "T7"))
        try await refund(in: shop)
        // By a receipt, which tells whole seconds and nobody's ownership, and once more by a copy
        // that tells both.
        try await shop.submit(shop.purchase("starter", "T8", .nonConsumable), by: "u2")
        for transaction in ["T9", "T10"] {
            var starter = shop.purchase("starter", transaction, .nonConsumable)
            starter.purchaseDate = starter.purchaseDate + .milliseconds(500)
            starter.originalPurchaseDate = starter.purchaseDate
            _ = try await shop.submitReceipt(of: [starter], claiming: transaction)
            if transaction == "T10" { try await shop.submit(starter) }
        }
        try await shop.engine.runDueJobs()
        try await shop.engine.numberEvents()
        return shop
    }

    /// One purchase that was refunded before we saw it, one after it was delivered, and one whose
    /// token names nobody.
    private static func refund(in shop: Shop) async throws {
        for transaction in ["R1", "R2"] {
            var purchase = shop.purchase("coins100", transaction)
            if transaction == "R2" { try await shop.submit(purchase) }
            purchase.revocation = .init(date: shop.clock.now - .seconds(60))
            purchase.signedDate = shop.clock.now
            try await shop.submit(purchase)
        }
        var unknown = shop.purchase("sword1", "R3")
        unknown.appAccountToken = UniqueID.derived(fromDigest: Digest.sha256("nobody".utf8))
        try await shop.submit(unknown)
    }

    @Test("It agrees where a receipt rounds what a signed transaction tells to the millisecond")
    func roundedReceipt() async throws {
        let shop = try await Shop()
        var pass = shop.purchase("pass30", "T1", .nonRenewingSubscription)
        pass.purchaseDate = pass.purchaseDate + .milliseconds(500)
        pass.originalPurchaseDate = pass.purchaseDate
        try await shop.submit(pass)
        try await shop.submitReceipt(of: [pass], claiming: "T1")
        try await shop.engine.runDueJobs()
        let report = try await Rebuild(shop.engine.database).run()
        #expect(report.agrees, "\(report.json.text)")
    }
}
