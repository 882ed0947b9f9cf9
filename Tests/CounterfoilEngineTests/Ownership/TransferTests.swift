// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("The studio transfers a purchase", .onEveryDatabase)
struct TheStudioTransfersAPurchase {
    @discardableResult
    private func transfer(
        _ original: String, to customer: String, in shop: Shop
    ) async throws -> OwnershipTransferView {
        let change = try shop.engine.ownershipChange(
            of: OriginalTransactionID(original), in: .production, to: CustomerID(customer),
            reason: "the player asked", shop.policy)
        return try await shop.engine.database.write { try change.run(in: $0) }
    }

    @discardableResult
    private func undo(
        _ transfer: OwnershipTransferView, in shop: Shop
    ) async throws -> OwnershipTransferView {
        let undo = shop.engine.ownershipUndo(
            of: transfer.transfer.transferID, reason: "a mistake", Shop.app)
        return try await shop.engine.database.write { try undo.run(in: $0) }
    }

    @Test("Field case 45: it makes two events, and undoing it puts everything back")
    func thereAndBack() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("starter", "T1", .nonConsumable))
        let done = try await transfer("T1", to: "u2", in: shop)
        #expect(done.from?.rawValue == "u1")
        #expect(done.to?.rawValue == "u2")
        #expect(try await shop.rights("u1").isEmpty)
        #expect(try await shop.rights("u2") == ["founder"])
        let view = try await shop.engine.transaction(
            TransactionID("T1"), of: Shop.app, in: .production)
        #expect(view?.owner?.rawValue == "u2")
        #expect(view?.ownerSource == "transfer")
        let back = try await undo(done, in: shop)
        #expect(try await undo(done, in: shop).transfer.transferID == back.transfer.transferID)
        #expect(try await shop.rights("u1") == ["founder"])
        #expect(try await shop.rights("u2").isEmpty)
        #expect(try await shop.coins("u1") == [500, 0])
        #expect(
            try await shop.eventTypes().sorted()
                == Array(repeating: "ownership.changed", count: 4) + ["purchase.fulfilled"])
        let listed = try await shop.engine.ownershipTransfers(
            of: done.transfer.original, after: 0, limit: 10)
        #expect(listed.map(\.transfer.cause) == ["studio", "undo"])
        #expect(listed.last?.transfer.undoes == done.transfer.transferID)
        try await shop.expectBalancedBooks()
    }

    @Test("Rights for all time come back as they lay, whatever else the customers have")
    func sharedRight() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("noads", "T1", .nonConsumable), by: "u1")
        try await shop.submit(shop.purchase("noads", "T2", .nonConsumable), by: "u2")
        let done = try await transfer("T1", to: "u2", in: shop)
        #expect(try await shop.rights("u2") == ["no_ads"])
        try await undo(done, in: shop)
        #expect(try await shop.rights("u1") == ["no_ads"])
        #expect(try await shop.rights("u2") == ["no_ads"])
        try await shop.expectBalancedBooks()
    }

    @Test("What cannot be transferred is refused by name")
    func refusals() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100", "C1"))
        try await shop.submit(shop.purchase("noads", "T1", .nonConsumable))
        await #expect(throws: OwnershipRefusal.unknownOriginal) {
            try await transfer("T9", to: "u2", in: shop)
        }
        await #expect(throws: OwnershipRefusal.notTransferable) {
            try await transfer("C1", to: "u2", in: shop)
        }
        await #expect(throws: OwnershipRefusal.unchanged) {
            try await transfer("T1", to: "u1", in: shop)
        }
        let first = try await transfer("T1", to: "u2", in: shop)
        try await transfer("T1", to: "u3", in: shop)
        await #expect(throws: OwnershipRefusal.changedSince) { try await undo(first, in: shop) }
        #expect(try await shop.rights("u3") == ["no_ads"])
        try await shop.expectBalancedBooks()
    }

    @Test("A purchase that names nobody is given to a customer, and settles")
    func unowned() async throws {
        let shop = try await Shop()
        let purchase = shop.purchase("noads", "T1", .nonConsumable)
        let other = shop.purchase("coins100", "C1")
        try await shop.submitReceipt(of: [purchase, other], claiming: "C1")
        try await shop.engine.runDueJobs()
        #expect(try await shop.rights("u1").isEmpty)
        let done = try await transfer("T1", to: "u2", in: shop)
        #expect(done.from == nil)
        try await shop.engine.runDueJobs()
        #expect(try await shop.rights("u2") == ["no_ads"])
        await #expect(throws: OwnershipRefusal.noEarlierOwner) { try await undo(done, in: shop) }
        try await shop.expectBalancedBooks()
    }
}
