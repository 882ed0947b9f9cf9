// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilStore
import Testing

@testable import CounterfoilEngine

@Suite("How much of a sale a refund takes back")
struct RefundShares {
    private static func record(
        _ refund: TransactionRecord.RefundTerms?, isUpgraded: Bool? = nil
    ) throws -> TransactionRecord {
        let moment = Instant(millisecondsSinceEpoch: 1_790_000_000_000)
        let source = FactSource(signedDate: moment, rank: 3, evidence: [1])
        let identity = TransactionRecord.Identity(
            originalTransactionID: try OriginalTransactionID("T1"),
            productID: try ProductID("coins100"), quantity: 1, purchaseDate: moment,
            originalPurchaseDate: moment, type: nil, webOrderLineItemID: nil)
        var record = TransactionRecord(
            app: try AppID("game"), environment: .production,
            transactionID: try TransactionID("T1"), identity: Sourced(identity, from: source),
            createdAt: moment)
        record.revocation = refund.map { Sourced(.init(date: $0.date), from: source) }
        record.lastRefundTerms = refund.map { Sourced($0, from: source) }
        record.isUpgraded = Sourced(isUpgraded, from: source)
        return record
    }

    private static func share(
        _ percentageMilli: Int64?, type: String? = nil, isUpgraded: Bool? = nil
    ) throws -> RefundShare? {
        let date = Instant(millisecondsSinceEpoch: 1_790_000_100_000)
        return RefundShare(of: [
            try record(
                .init(date: date, reason: 0, type: type, percentageMilli: percentageMilli),
                isUpgraded: isUpgraded)
        ])
    }

    @Test(
        "Whole pieces go back whole, anything else is rounded down",
        arguments: [
            // Thousandths of a percent, quantity, amount of the whole quantity, what goes back.
            (nil, 1, 110, 110), (100_000, 1, 110, 110), (40_000, 1, 110, 44), (15, 1, 110, 0),
            (67_932, 1, 100, 67), (33_333, 3, 300, 100), (66_667, 3, 300, 200),
            (66_666, 3, 300, 200), (33_300, 3, 300, 100), (33_200, 3, 300, 99),
            (33_400, 3, 300, 100), (50_000, 3, 300, 150), (14_286, 7, 700, 100),
            (99_999, 1, 110, 110),
            (99_800, 1, 110, 109), (0, 1, 110, 0), (200_000, 1, 110, 110), (-5, 1, 110, 0),
            (50_000, 1000, 9_000_000_000_000_000_000, 4_500_000_000_000_000_000),
        ] as [(Int64?, Int64, Int64, Int64)])
    func rounding(_ percentage: Int64?, _ quantity: Int64, _ amount: Int64, _ back: Int64) throws {
        let share = try #require(try Self.share(percentage))
        #expect(share.part(of: amount, quantity: quantity) == back)
    }

    @Test("Where only access ended nothing goes back, but the refund counts")
    func accessOnly() throws {
        #expect(try Self.share(nil, type: "FAMILY_REVOKE")?.part(of: 110, quantity: 1) == 0)
        #expect(try Self.share(nil, isUpgraded: true)?.part(of: 110, quantity: 1) == 0)
    }

    @Test("Of several copies the largest share counts; without a refund there is none")
    func several() throws {
        let date = Instant(millisecondsSinceEpoch: 1_790_000_100_000)
        func copy(_ percentage: Int64?) throws -> TransactionRecord {
            try Self.record(
                .init(date: date, reason: 0, type: nil, percentageMilli: percentage))
        }
        #expect(
            RefundShare(of: try [copy(20_000), copy(70_000)])?.part(of: 10, quantity: 1) == 7)
        #expect(RefundShare(of: try [copy(20_000), copy(nil)]) == .whole)
        #expect(RefundShare(of: [try Self.record(nil)]) == nil)
        var cleared = try Self.record(
            .init(date: date, reason: 0, type: nil, percentageMilli: nil))
        cleared.revocation?.value.date = nil
        #expect(RefundShare(of: [cleared]) == nil)
    }
}

@Suite("What a refund changes about a sale's goods")
struct ChangesByRefund {
    private let coins = { (amount: Int64, bonus: Int64) throws -> Goods in
        .unit(try UnitID("coins"), amount: amount, bonus: bonus, holder: .counterfoil)
    }

    private func goods(
        revisions: [[Goods]], share: RefundShare?
    ) throws -> RefundedGoods {
        RefundedGoods(
            frozen: [
                try coins(100, 10), .entitlement(try EntitlementID("founder"), duration: nil),
            ], quantity: 1, revisions: revisions, share: share)
    }

    @Test("A refund takes everything once")
    func once() throws {
        let first = try goods(revisions: [], share: .whole)
        #expect(first.change == [try coins(-100, -10)])
        #expect(!first.givesBack && !first.rightsStand)
        let again = try goods(revisions: [first.change], share: .whole)
        #expect(again.change.isEmpty && !again.givesBack)
    }

    @Test("Without a refund everything comes back")
    func undone() throws {
        let undone = try goods(revisions: [[coins(-100, -10)]], share: nil)
        #expect(undone.change == [try coins(100, 10)])
        #expect(undone.givesBack && undone.rightsStand)
        let again = try goods(revisions: [[coins(-100, -10)], [coins(100, 10)]], share: nil)
        #expect(again.change.isEmpty)
    }

    @Test("A grant of the same unit in two parts is one amount")
    func twoParts() throws {
        let change = RefundedGoods(
            frozen: [try coins(60, 0), try coins(40, 10)], quantity: 1, revisions: [],
            share: .whole
        ).change
        #expect(change == [try coins(-100, -10)])
    }
}
