// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@Suite("What evidence proves")
struct FactContents {
    private static let token = UniqueID("7e3fb20b-4cdb-47cc-936d-99d65f608138")

    private var subscription: SimulatedPurchase {
        var purchase = TestStore.purchase(kind: .autoRenewableSubscription)
        purchase.originalTransactionID = "1000000000000001"
        purchase.originalPurchaseDate = TestStore.now - .seconds(86_400)
        purchase.expiresDate = TestStore.now + .seconds(86_400)
        purchase.webOrderLineItemID = "77"
        purchase.appAccountToken = Self.token
        purchase.isUpgraded = true
        purchase.quantity = 3
        purchase.revocation = .init(
            date: TestStore.now, reason: 1, type: "REFUND_PRORATED", percentageMilli: 40_000)
        return purchase
    }

    @Test("A signed transaction tells everything")
    func transaction() throws {
        let verified = try TestStore.transaction(subscription).fact(as: .clientJWS)
        let fact = verified.fact
        #expect(fact.environment == .sandbox && fact.bundleID.rawValue == TestStore.bundleID)
        #expect(fact.transactionID.rawValue == "2000000000000001")
        #expect(fact.originalTransactionID.rawValue == "1000000000000001")
        #expect(fact.quantity == 3 && fact.type == .autoRenewable)
        #expect(fact.expiresDate == subscription.expiresDate)
        #expect(fact.appAccountToken == Self.token && fact.ownershipType == .purchased)
        #expect(fact.webOrderLineItemID == "77" && fact.isUpgraded == true)
        #expect(fact.price == Money(amountMilli: 990, currency: "USD") && fact.storefront == "USA")
        #expect(fact.revocation?.type == .proratedRefund && fact.revocation?.reason == .appIssue)
        #expect(fact.revocation?.percentageMilli == 40_000)
        #expect(fact.signedDate == TestStore.now && fact.kind == .clientJWS)
        #expect(fact.carries == .all)
        let text = try TestAuthority.shared.signedTransaction(subscription)
        #expect(verified.evidenceSHA256.count == 32 && !text.isEmpty)
    }

    @Test("A receipt is silent about price, token, ownership and upgrade")
    func receipt() throws {
        let facts = try TestStore.receipt(TestStore.receipt([subscription])).facts
        let fact = try #require(facts.first).get().fact
        #expect(fact.transactionID.rawValue == "2000000000000001")
        #expect(fact.type == .autoRenewable && fact.quantity == 3)
        #expect(fact.webOrderLineItemID == "77")
        #expect(fact.revocation?.date != nil && fact.revocation?.type == nil)
        #expect(fact.price == nil && fact.storefront == nil && fact.appAccountToken == nil)
        #expect(fact.ownershipType == nil && fact.isUpgraded == nil)
        #expect(fact.carries == [.identity, .revocation, .expiry])
        #expect(fact.signedDate <= TestStore.now && fact.kind == .receipt)
    }

    /// Field case 10.
    @Test("Every entry of a receipt yields a fact, in payload order")
    func everyEntry() throws {
        let purchases = (1...5).map { TestStore.purchase("\($0)") }
        let facts = try TestStore.receipt(TestStore.receipt(purchases)).facts
        let ids = Set(try facts.map { try $0.get().fact.transactionID.rawValue })
        #expect(facts.count == 5 && ids == ["1", "2", "3", "4", "5"])
    }

    /// Field case 09.
    @Test("The newest purchase is found behind 2,000 old renewals")
    func largeReceipt() throws {
        let old = (1...2000).map { TestStore.purchase("1\($0)", kind: .autoRenewableSubscription) }
        let bytes = try TestAuthority.shared.appReceipt(
            TestStore.receipt(old + [TestStore.purchase("77")]))
        let text = Array(Base64.encode(bytes, .standard).utf8)
        guard case .receipt(let receipt) = try TestStore.verify(text) else {
            throw TestStore.WrongKind()
        }
        #expect(receipt.facts.count == 2001)
        let facts = try receipt.facts.map { try $0.get().fact }
        #expect(facts.contains { $0.transactionID.rawValue == "77" && $0.type == .consumable })
    }

    @Test("A receipt that does not tell its environment proves no purchase")
    func unprovenEnvironment() throws {
        var receipt = TestStore.receipt([TestStore.purchase()])
        receipt.receiptType = nil
        let facts = try TestStore.receipt(receipt).facts
        #expect(throws: FactGap(field: "environment", problem: "is missing")) {
            try #require(facts.first).get()
        }
    }

    @Test(
        "A transaction without what the key of a sale needs is a gap, not a fact",
        arguments: [
            "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate",
            "environment", "signedDate",
        ])
    func gaps(field: String) throws {
        let members = try #require(TestStore.purchase().transactionPayload.object).members
        let rest = JSONValue.object(JSONObject(members.filter { $0.key != field }))
        let text = try TestAuthority.shared.sign(rest)
        guard case .transaction(let transaction) = try TestStore.verify(text.utf8) else {
            throw TestStore.WrongKind()
        }
        #expect(throws: FactGap(field: field, problem: "is missing")) {
            try transaction.fact(as: .clientJWS)
        }
    }

    @Test("A quantity below one is a gap")
    func noQuantity() throws {
        var purchase = TestStore.purchase()
        purchase.quantity = 0
        #expect(throws: FactGap(field: "quantity", problem: "is 0")) {
            try TestStore.transaction(purchase).fact(as: .clientJWS)
        }
    }

    @Test("Kinds have the ranks of the design and names that read back")
    func ranks() {
        let ordered: [FactKind] = [
            .receipt, .verifyReceiptAnswer, .clientJWS, .notification, .serverAPI,
        ]
        #expect(ordered == ordered.shuffled().sorted())
        #expect(ordered.map(\.rank) == [1, 2, 3, 4, 5])
        for kind in ordered { #expect(FactKind(rawValue: kind.rawValue) == kind) }
        #expect(FactKind(rawValue: "hearsay") == nil)
        #expect(!FactKind.verifyReceiptAnswer.groups.contains(.price))
        #expect(FactGroups.all.rawValue == 127)
    }
}
