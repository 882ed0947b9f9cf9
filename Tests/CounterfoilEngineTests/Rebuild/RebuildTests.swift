// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("A rebuild", .onEveryDatabase)
struct RebuildFindsWhatDiffers {
    /// Something done to the books by hand, and the table in which it must be seen.
    struct Tampering: Sendable, CustomTestStringConvertible {
        let table: String
        let sql: SQL

        var testDescription: String { sql.text }
    }

    static let tamperings = [
        Tampering(
            table: "accounts",
            sql: "UPDATE accounts SET balance = balance + 1 WHERE balance > 0 AND kind = 'bonus'"),
        Tampering(table: "accounts", sql: "DELETE FROM entries WHERE amount = 10"),
        Tampering(table: "transfers", sql: "DELETE FROM entries WHERE amount < 0"),
        Tampering(table: "transfers", sql: "UPDATE transfers SET amount = amount + 1"),
        Tampering(table: "transfers", sql: "DELETE FROM transfers WHERE amount = 10"),
        Tampering(
            table: "transfers", sql: "DELETE FROM grants WHERE product_id = 'coins100'"),
        Tampering(
            table: "entitlement_periods",
            sql: "UPDATE entitlement_periods SET ends_at = ends_at + 1 WHERE ends_at IS NOT NULL"),
        Tampering(
            table: "entitlement_periods",
            sql: "UPDATE entitlement_periods SET starts_at = 0 WHERE entitlement = 'no_ads'"),
        Tampering(
            table: "entitlement_periods",
            sql: "UPDATE entitlement_periods SET is_revoked = 1 WHERE entitlement = 'pass'"),
        Tampering(
            table: "entitlement_periods",
            sql: "UPDATE entitlement_periods SET quantity = 2 WHERE entitlement = 'pass'"),
        Tampering(
            table: "entitlement_periods",
            sql: "DELETE FROM entitlement_periods WHERE entitlement = 'no_ads'"),
        Tampering(
            table: "entitlement_periods", sql: "DELETE FROM grants WHERE product_id = 'noads'"),
        Tampering(
            table: "entitlement_periods",
            sql: """
                UPDATE entitlement_periods SET customer_key =
                (SELECT customer_key FROM aliases WHERE customer_id = 'u2')
                """),
        Tampering(
            table: "wallets", sql: "UPDATE wallets SET sequence = sequence + 1"),
        Tampering(table: "wallets", sql: "DELETE FROM events WHERE sequence = 2"),
        Tampering(
            table: "grants",
            sql: "UPDATE grants SET goods = '[{}]' WHERE product_id = 'coins100'"),
    ]

    @Test(
        "It agrees with the books of a long story, however small its steps", arguments: [1, 2, 200])
    func agrees(pageSize: Int64) async throws {
        let shop = try await Self.story()
        let report = try await Rebuild(shop.engine.database, pageSize: pageSize).run()
        #expect(report.agrees, "\(report.json.text)")
        #expect(report.counts[.grants] == 8)
        #expect(report.counts[.transfers] == 5)
        #expect(report.counts[.accounts] == 4)
        #expect(report.counts[.wallets] == 2)
        #expect(report.counts[.entitledCustomers] == 2)
    }

    @Test("It finds what was changed by hand", arguments: tamperings)
    func finds(tampering: Tampering) async throws {
        let shop = try await Self.story()
        try await shop.engine.database.write { transaction in
            let changed = try transaction.change(tampering.sql)
            try #require(changed > 0)
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

    /// Two customers with coins, rights for ever and for a time, one purchase that waits for its
    /// product and one whose units wait for evidence of ownership.
    private static func story() async throws -> Shop {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100", "T1"))
        try await shop.submit(shop.purchase("coins100", "T1"), by: "u2")
        try await shop.submit(shop.purchase("coins100", "T2"), by: "u2")
        try await shop.submit(shop.purchase("noads", "T3", .nonConsumable))
        var early = shop.purchase("pass30", "T4", .nonRenewingSubscription)
        early.purchaseDate = shop.clock.now - .seconds(86_400)
        try await shop.submit(shop.purchase("pass30", "T5", .nonRenewingSubscription))
        try await shop.submit(early)
        try await shop.submit(shop.purchase("unheard_of", "T6"))
        try await shop.submit(shop.purchase("starter", "T7", .nonConsumable), by: "u2")
        let starter = shop.purchase("starter", "T8", .nonConsumable)
        _ = try await shop.submitReceipt(of: [starter], claiming: "T8")
        try await shop.engine.runDueJobs()
        return shop
    }
}
