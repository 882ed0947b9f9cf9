// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("What a former backend knew", .onEveryDatabase)
struct WhatAFormerBackendKnew {
    @discardableResult
    private func take(
        _ rows: [String], _ kind: ImportKind, in shop: Shop, startsOver: Bool = false,
        isTrial: Bool = false
    ) async throws -> ImportReport {
        let heading =
            switch kind {
            case .tokens: "token,customer_id"
            case .balances: "id,customer_id,unit,paid,bonus"
            case .delivered, .undelivered: "transaction_id"
            }
        let text = ([heading] + rows).joined(separator: "\n")
        let file = try ImportFile(Array(text.utf8), kind, .csv, environment: .production)
        return try await shop.engine.importFile(
            file, to: shop.policy, startsOver: startsOver, isTrial: isTrial)
    }

    @Test("What it delivered is not delivered again, whatever its date")
    func delivered() async throws {
        let shop = try await Shop()
        let report = try await take(["C1", "T1"], .delivered, in: shop)
        #expect(report.imported == 2)
        #expect(
            try await shop.submit(shop.purchase("coins100", "C1")).words
                == "rejected delivered_elsewhere finish")
        let lasting = shop.purchase("starter", "T1", .nonConsumable)
        #expect(try await shop.submit(shop.restored(of: lasting, "T2")).words == "restored finish")
        #expect(try await shop.submit(lasting).words == "restored finish")
        #expect(try await shop.submit(shop.purchase("coins100", "C2")).words == "fulfilled finish")
        #expect(try await shop.coins() == [100, 10])
        #expect(try await shop.rights() == ["founder"])
        try await shop.expectBalancedBooks()
    }

    @Test("What it did not deliver is delivered, although it is older than the cut-over")
    func undelivered() async throws {
        let shop = try await Shop(deliverFrom: TestAuthority.clock.now)
        try await take(["C1"], .undelivered, in: shop)
        #expect(try await shop.submit(shop.purchase("coins100", "C1")).words == "fulfilled finish")
        #expect(
            try await shop.submit(shop.purchase("coins100", "C2")).words
                == "rejected delivered_elsewhere finish")
        try await shop.expectBalancedBooks()
    }

    @Test("Its tokens name their customers, and purchases that waited for one are settled")
    func tokens() async throws {
        let shop = try await Shop()
        let tokens = (0..<3).map { UniqueID.random(SeededRandom(seed: UInt64($0 + 1))) }
        var purchase = shop.purchase("coins100")
        purchase.appAccountToken = tokens[0]
        #expect(try await shop.submit(purchase, by: "u9").words == "parked unknown_token keep")
        let rows = ["\(tokens[0]),u1", "\(tokens[1]),u2", "\(tokens[0]),u3", "\(tokens[1]),u2"]
        let report = try await take(rows, .tokens, in: shop)
        #expect([report.imported, report.unchanged, report.faultCount] == [2, 1, 1])
        #expect(report.faults.map(\.line) == [4])
        try await shop.engine.runDueJobs()
        #expect(try await shop.coins("u1") == [100, 10])
        try await shop.expectBalancedBooks()
    }

    @Test("Its balances come in once, paid and bonus apart")
    func balances() async throws {
        let shop = try await Shop()
        let rows = ["1,u1,coins,70,5", "2,u1,coins,30,", ",u2,coins,,9", "4,u3,sword,1,0"]
        let report = try await take(rows, .balances, in: shop)
        #expect([report.imported, report.unchanged, report.faultCount] == [3, 0, 1])
        #expect(report.faults.map(\.line) == [5])
        let again = try await take(
            rows + ["1,u1,coins,71,5", "5,u1,coins,0,0", "6,u1,gold,1,0"], .balances, in: shop)
        // Other amounts, nothing at all, an unknown unit; and the sword that the game keeps.
        #expect([again.imported, again.unchanged, again.faultCount] == [0, 3, 4])
        let other = try await take(["1,u2,coins,70,5"], .balances, in: shop)
        #expect(other.faults.first?.problem == "it was imported before, and said something else")
        #expect(try await shop.coins("u1") == [100, 5])
        #expect(try await shop.coins("u2") == [0, 9])
        #expect(try await shop.eventTypes() == Array(repeating: "wallet.changed", count: 3))
        try await shop.expectBalancedBooks()
    }

    @Test("What parked before the import settles by it")
    func parkedBefore() async throws {
        let shop = try await Shop()
        let purchases = [shop.purchase("coins100", "C1"), shop.purchase("coins100", "C2")]
        try await shop.submitReceipt(of: purchases, claiming: "C2")
        try await shop.engine.runDueJobs()
        try await take(["C1"], .delivered, in: shop)
        try await shop.engine.runDueJobs()
        #expect(
            try await shop.submit(purchases[0]).words == "rejected delivered_elsewhere finish")
        #expect(try await shop.count("SELECT COUNT(*) FROM jobs") == 0)
        try await shop.expectBalancedBooks()
    }

    @Test("What was settled here already is told by line and stays")
    func settled() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100", "C1"))
        let report = try await take(["C1", "C2"], .delivered, in: shop)
        #expect([report.imported, report.faultCount] == [1, 1])
        #expect(report.faults.map(\.line) == [2])
        #expect(
            try await shop.submit(shop.purchase("coins100", "C1")).words
                == "already_fulfilled finish")
    }

    @Test("The same file again changes nothing; one that was broken off goes on where it stopped")
    func again() async throws {
        let shop = try await Shop()
        let rows = (0..<240).map { "T\($0)" }
        let trial = try await take(rows, .delivered, in: shop, isTrial: true)
        #expect(trial.imported == 240)
        #expect(try await shop.count("SELECT COUNT(*) FROM former_deliveries") == 0)
        let first = try await take(rows, .delivered, in: shop)
        #expect([first.firstLine, first.imported] == [0, 240])
        let second = try await take(rows, .delivered, in: shop)
        #expect([second.firstLine, second.imported, second.unchanged] == [241, 0, 0])
        _ = try await shop.engine.database.write { transaction in
            try transaction.change("UPDATE imports SET lines_done = 200", [])
        }
        let resumed = try await take(rows, .delivered, in: shop)
        #expect([resumed.firstLine, resumed.imported, resumed.unchanged] == [200, 0, 41])
        let whole = try await take(rows, .delivered, in: shop, startsOver: true)
        #expect([whole.firstLine, whole.imported, whole.unchanged] == [0, 0, 240])
    }

    @Test("What it delivered once is sold when it is bought again after a refund")
    func boughtAgain() async throws {
        let shop = try await Shop()
        try await take(["T1"], .delivered, in: shop)
        let first = shop.purchase("starter", "T1", .nonConsumable)
        #expect(try await shop.submit(first).words == "restored finish")
        try await shop.submit(shop.refunded(first, at: shop.clock.now - .seconds(1800)))
        #expect(try await shop.rights().isEmpty)
        var second = shop.purchase("starter", "T2", .nonConsumable)
        second.originalTransactionID = "T1"
        second.originalPurchaseDate = first.purchaseDate
        second.purchaseDate = shop.clock.now - .seconds(900)
        #expect(try await shop.submit(second).words == "fulfilled finish")
        #expect(try await shop.coins() == [500, 0])
        #expect(try await shop.rights() == ["founder"])
        try await shop.expectBalancedBooks()
    }

    @Test("A line that was left out is told by every run of its file, until the file starts over")
    func toldAgain() async throws {
        let shop = try await Shop()
        let rows = ["T1", "", "x,y", "T2"] + (0..<120).map { "N\($0)" } + ["z,z"]
        let first = try await take(rows, .delivered, in: shop)
        #expect([first.imported, first.faultCount] == [122, 2])
        let second = try await take(rows, .delivered, in: shop)
        #expect([second.imported, second.unchanged, second.faultCount] == [0, 0, 2])
        #expect(second.faults == first.faults)
        #expect(first.faults.map(\.line) == [4, 126])
        let whole = try await take(rows, .delivered, in: shop, startsOver: true)
        #expect([whole.imported, whole.unchanged, whole.faultCount] == [0, 122, 2])
        #expect(try await take(rows, .delivered, in: shop).faultCount == 2)
    }

    @Test("No transaction is both settled here and taken for delivered, whatever happens at once")
    func atOnce() async throws {
        let folder = TemporaryFolder()
        let shop = try await Shop(in: folder)
        let names = (0..<24).map { "C\($0)" }
        let report = try await withThrowingTaskGroup(of: ImportReport?.self) { group in
            group.addTask { try await self.take(names, .delivered, in: shop) }
            for name in names.reversed() {
                group.addTask {
                    try await shop.submit(shop.purchase("coins100", name))
                    return nil
                }
            }
            return try await group.reduce(into: nil) { $0 = $0 ?? $1 }
        }
        let granted = try await shop.coins()[0] / 100
        #expect(report?.imported == names.count - Int(granted))
        #expect(report?.faultCount == Int(granted))
        try await shop.expectBalancedBooks()
    }
}
