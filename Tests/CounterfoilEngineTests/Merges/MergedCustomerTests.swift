// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("What hangs on a merged customer", .onEveryDatabase)
struct WhatHangsOnAMergedCustomer {
    @Test("A transfer that is taken back during a merge gives to whom the purchase was")
    func transferDuringMerge() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("noads", "T1", .nonConsumable), by: "guest")
        let done = try await shop.merge("guest", into: "known")
        let transfer = try await shop.transfer("T1", to: "u3")
        _ = try await shop.takeBack(transfer)
        #expect(try await shop.rights("known") == ["no_ads"])
        _ = try await shop.undo(done)
        #expect(try await shop.rights("guest") == ["no_ads"])
        #expect(try await shop.rights("known") == [])
        #expect(try await shop.rights("u3") == [])
        try await shop.expectBalancedBooks()
    }

    @Test("What the policy moves away from a merged customer can be taken back to it")
    func policyDuringMerge() async throws {
        let shop = try await Shop(ownership: OwnershipPolicy(nonConsumable: .transfer))
        try await shop.submit(shop.purchase("noads", "T1", .nonConsumable), by: "guest")
        let done = try await shop.merge("guest", into: "known")
        try await shop.submit(shop.purchase("noads", "T1", .nonConsumable), by: "u3")
        #expect(try await shop.rights("u3") == ["no_ads"])
        let original = OriginalReference(
            app: Shop.app, environment: .production, id: try OriginalTransactionID("T1"))
        let transfers = try await shop.engine.ownershipTransfers(of: original, after: 0, limit: 9)
        _ = try await shop.takeBack(try #require(transfers.last))
        _ = try await shop.undo(done)
        #expect(try await shop.rights("guest") == ["no_ads"])
        try await shop.expectBalancedBooks()
    }

    @Test("A transfer can be taken back once both customers are one")
    func transferBetweenOne() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("noads", "T1", .nonConsumable), by: "guest")
        let transfer = try await shop.transfer("T1", to: "known")
        let done = try await shop.merge("guest", into: "known")
        _ = try await shop.takeBack(transfer)
        #expect(try await shop.rights("known") == ["no_ads"])
        _ = try await shop.undo(done)
        #expect(try await shop.rights("guest") == ["no_ads"])
        #expect(try await shop.rights("known") == [])
        try await shop.expectBalancedBooks()
    }

    @Test("As deep as merges may lie, refunds find their way; one more is refused")
    func depth() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("coins100", "C0")
        try await shop.submit(purchase, by: "p0")
        for number in 1...15 { try await shop.merge("p\(number - 1)", into: "p\(number)") }
        await #expect(throws: MergeRefusal.tooDeep) { try await shop.merge("p15", into: "p16") }
        try await shop.submit(shop.refunded(purchase), by: "p0")
        #expect(try await shop.coins("p0") == [0, 0])
        #expect(try await shop.coins("p15") == [0, 0])
        #expect(try await shop.owed("p15") == 0)
        try await shop.expectBalancedBooks()
    }

    @Test("An order that stayed with a merged customer takes hints, and its late payment")
    func closedOrder() async throws {
        let shop = try await Shop()
        let order = try await shop.order(by: "guest")
        try await shop.hint(.abandoned(.userCancelled), of: order.id)
        try await shop.submit(shop.purchase("noads", "T1", .nonConsumable), by: "known")
        try await shop.merge("guest", into: "known")
        // Reopened, it is one that lapses.
        try await shop.hint(.pending, of: order.id)
        shop.clock.advance(by: shop.policy.orders.pendingFor + .seconds(1))
        #expect(try await shop.engine.lapseOrders() == 1)
        try await shop.expectBalancedBooks()
    }

    @Test("A payment without a token finds the order of whoever is the same customer now")
    func lateUntokenedPayment() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("noads", "T1", .nonConsumable), by: "known")
        let order = try await shop.order(by: "guest")
        try await shop.hint(.abandoned(.userCancelled), of: order.id)
        try await shop.merge("guest", into: "known")
        try await shop.submit(shop.purchase("coins100", "C1"), by: "known")
        let view = try await shop.engine.order(order.id, of: Shop.app)
        #expect(view?.transactions.map(\.rawValue) == ["C1"])
        try await shop.expectBalancedBooks()
    }

    @Test("A receipt that a merged customer handed in is settled to the end")
    func presentedByMerged() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("noads", "T1", .nonConsumable), by: "known")
        _ = try await shop.order(by: "guest")
        let open = shop.purchase("coins100", "C1")
        let claimed = shop.purchase("sword1", "S1")
        try await shop.submitReceipt(of: [claimed, open], by: "guest", claiming: "S1")
        try await shop.merge("guest", into: "known")
        try await shop.engine.runDueJobs()
        #expect(try await shop.coins("known") == [100, 10])
        #expect(try await shop.count("SELECT COUNT(*) FROM jobs") == 0)
        try await shop.expectBalancedBooks()
    }

    @Test("The statement and a replay have what happened to the merged customer too")
    func history() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100", "C1"), by: "guest")
        try await shop.submit(shop.purchase("coins100", "C2"), by: "known")
        try await shop.merge("guest", into: "known")
        let lines = try #require(
            try await shop.engine.statement(
                of: CustomerID("known"), Shop.app, in: .production, unit: nil, before: nil,
                limit: 50))
        let grants = lines.filter { $0.transfer.kind == .grant }
        #expect(
            grants.compactMap(\.transfer.sale?.key).sorted() == ["t:C1", "t:C1", "t:C2", "t:C2"])
        let entries = try await shop.engine.entries(
            of: CustomerID("known"), Shop.app, in: .production, unit: nil, before: nil, limit: 50)
        #expect(entries?.reduce(0) { $0 + $1.amount } == 220)
    }

    @Test("Units that come late, after a merge, are the target's, and the books say so")
    func lateUnits() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("noads", "T9", .nonConsumable), by: "known")
        let purchase = shop.purchase("starter", "T1", .nonConsumable)
        try await shop.submitReceipt(of: [purchase], by: "guest", claiming: "T1")
        #expect(try await shop.rights("guest") == ["founder"])
        #expect(try await shop.coins("guest") == [0, 0])
        let done = try await shop.merge("guest", into: "known")
        try await shop.submit(purchase, by: "known")
        #expect(try await shop.coins("known") == [500, 0])
        try await shop.expectBalancedBooks()
        _ = try await shop.undo(done)
        #expect(try await shop.rights("guest") == ["founder"])
        #expect(try await shop.coins("known") == [500, 0])
        try await shop.expectBalancedBooks()
    }

    @Test("What parked before a merge and was granted during it stays, and the books say so")
    func parkedBefore() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("noads", "T9", .nonConsumable), by: "known")
        #expect(
            try await shop.submit(shop.purchase("gems", "G1"), by: "guest").words
                == "parked unknown_product finish")
        let done = try await shop.merge("guest", into: "known")
        let catalogue = Shop.catalogue.replacing(
            "products: [",
            with:
                #"products: [{ id: "gems", type: "consumable", goods: [{ unit: "coins", amount: 7 }] },"#
        )
        let later = try await shop.reopened(catalogue: catalogue)
        try await later.engine.runDueJobs()
        #expect(try await later.coins("known") == [7, 0])
        try await later.expectBalancedBooks()
        _ = try await later.undo(done)
        #expect(try await later.coins("known") == [7, 0])
        try await later.expectBalancedBooks()
    }
}

extension Shop {
    fileprivate func transfer(
        _ original: String, to customer: String
    ) async throws -> OwnershipTransferView {
        let change = try engine.ownershipChange(
            of: OriginalTransactionID(original), in: .production, to: CustomerID(customer),
            reason: "the player asked", policy)
        return try await engine.database.write { try change.run(in: $0) }
    }

    fileprivate func takeBack(
        _ transfer: OwnershipTransferView
    ) async throws -> OwnershipTransferView {
        let undo = engine.ownershipUndo(
            of: transfer.transfer.transferID, reason: "a mistake", Self.app)
        return try await engine.database.write { try undo.run(in: $0) }
    }
}
