// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

/// Random verbs, in any order and state, keep the store's promises.
struct RandomStore {
    private static let steps = 400

    @Test("Whatever is done, the store stays consistent", arguments: 1...12)
    func invariants(seed: UInt64) throws {
        var run = try RandomRun(seed: seed)
        for _ in 0..<Self.steps { try run.step() }
        #expect(run.refusals > 0 && run.refusals < Self.steps)
        try run.expectConsistency()
    }

    @Test("Equal seeds give equal stories, another seed another", arguments: 1...3)
    func determinism(seed: UInt64) throws {
        var runs = [
            try RandomRun(seed: seed), try RandomRun(seed: seed), try RandomRun(seed: seed + 100),
        ]
        for _ in 0..<Self.steps {
            for index in runs.indices { try runs[index].step() }
        }
        #expect(runs[0].told == runs[1].told)
        #expect(runs[0].told != runs[2].told)
    }
}

/// A store and the dice that play with it.
struct RandomRun {
    private(set) var store: SimulatedStore
    private(set) var told: [SimulatedNotification] = []
    private(set) var refusals = 0

    /// Refunds that were undone: such a period may lie beside one that was bought meanwhile.
    private var reversed: Set<String> = []
    private let dice: SeededRandom
    private let accounts = ["u1", "u2", "u3", "u4"]

    init(seed: UInt64) throws {
        dice = SeededRandom(seed: seed)
        store = try TestShop.store(seed: seed) { $0.graceDays = seed % 2 == 0 ? 16 : nil }
        for name in accounts.dropFirst() { try store.createAccount(name) }
        try store.createFamily(["u1", "u2", "u3"])
    }

    private func roll(_ bound: Int) -> Int { Int(dice.next() % UInt64(bound)) }

    private var someID: String {
        let all = (try? store.transactions(of: accounts[roll(accounts.count)])) ?? []
        return all.isEmpty ? "0" : all[roll(all.count)].transactionID
    }

    /// One verb and some time; a refusal must have changed nothing.
    mutating func step() throws {
        let (announced, count) = (store.outbox.count, store.transactionCount)
        do {
            try act()
        } catch {
            refusals += 1
            #expect(error is StoreError)
            #expect(store.outbox.count == announced && store.transactionCount == count)
        }
        let hours = Int64(roll(roll(4) == 0 ? 1000 : 50))
        try store.advance(to: store.now + .seconds(hours * 3600))
        told += store.takeNotifications()
    }

    private mutating func act() throws {
        switch roll(18) {
        case 0...3: try buy()
        case 4: try store.setAutoRenew(roll(2) == 0, of: someID)
        case 5: try store.refund(someID, RefundTerms(share: roll(2) == 0 ? .full : .timeLeft))
        case 6: try reverse()
        case 7: try store.requestRefund(someID)
        case 8: try store.setBillingFailing(roll(2) == 0, of: accounts[roll(accounts.count)])
        case 9: try store.resolveBilling(someID)
        case 10: try store.shareWithFamily(someID)
        case 11: try store.revokeFamily(someID)
        case 12: try store.raisePrice(of: someID, to: 20_000 + Int64(roll(5000)))
        case 13: try store.consentToPriceIncrease(someID)
        case 14: try store.extendRenewal(someID, days: Int64(1 + roll(90)))
        case 15: try store.expire(someID)
        case 16: try store.renew(someID)
        default: try store.restore(accounts[roll(accounts.count)])
        }
    }

    private mutating func reverse() throws {
        let id = someID
        try store.reverseRefund(id)
        reversed.insert(id)
    }

    private mutating func buy() throws {
        let products = store.catalog.products
        let product = products[roll(products.count)]
        var options = PurchaseOptions()
        let offers: [PurchaseOptions.Offer] = [
            .automatic, .none, .promotional(id: "half"), .code(referenceName: "QUARTER"),
            .winBack(id: "back"),
        ]
        options.offer = offers[roll(3) == 0 ? roll(offers.count) : 0]
        if roll(6) == 0 {
            options.purchaseDate = store.now - .seconds(Int64(roll(200)) * 86_400)
        }
        if product.id == "plan_yearly", roll(2) == 0 { options.billingPlan = .monthly }
        try store.buy(product.id, by: accounts[roll(accounts.count)], options)
    }

    func expectConsistency() throws {
        let dates = told.map(\.signedDate)
        #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(Set(told.map(\.id)).count == told.count)
        var ids: Set<String> = []
        for account in accounts {
            let transactions = try store.transactions(of: account)
            for transaction in transactions {
                #expect(ids.insert(transaction.transactionID).inserted)
                #expect(try store.transaction(transaction.originalTransactionID).productID != "")
                #expect(
                    try store.accountName(anyTransactionID: transaction.transactionID) == account)
                if let order = try store.orderID(of: transaction.transactionID) {
                    #expect(store.orderLookup(order) == [transaction])
                }
            }
            let app = try store.account(account).appTransactionID
            for standing in try store.statuses(anyTransactionID: app) {
                try expectConsistency(of: standing)
            }
        }
        #expect(ids.count == store.transactionCount)
    }

    /// At most one period of a subscription is open, and the state is what the period says.
    private func expectConsistency(of standing: SubscriptionStanding) throws {
        let periods = try store.history(original: standing.originalTransactionID)
        let lines = Dictionary(grouping: periods, by: \.webOrderLineItemID)
        for line in lines.values {
            #expect(Set(line.map(\.purchaseDate)).count == 1, "restores share their period")
        }
        let bought = lines.values.compactMap { $0.min { $0.transactionID < $1.transactionID } }
            .sorted { $0.transactionID < $1.transactionID }
        for (earlier, later) in zip(bought, bought.dropFirst())
        where earlier.revocation == nil && !earlier.isUpgraded
            && !reversed.contains(earlier.transactionID)
        {
            let end = try #require(earlier.expiresDate)
            // A redeemed offer is charged early and begins where the running period ends.
            let start = later.offer == nil ? later.purchaseDate : max(later.purchaseDate, end)
            #expect(start >= end || later.ownershipType == "FAMILY_SHARED", "\(earlier) \(later)")
        }
        let end = try #require(standing.transaction.expiresDate)
        switch standing.status {
        case .active: #expect(end > store.now && standing.transaction.revocation == nil)
        case .gracePeriod:
            #expect(end <= store.now)
            #expect(try #require(standing.renewal.gracePeriodExpiresDate) > store.now)
        case .billingRetry: #expect(end <= store.now && standing.renewal.autoRenews == true)
        case .expired: #expect(standing.renewal.autoRenews == false)
        case .revoked: #expect(standing.transaction.revocation != nil)
        default: Issue.record("unknown status \(standing.status)")
        }
    }
}
