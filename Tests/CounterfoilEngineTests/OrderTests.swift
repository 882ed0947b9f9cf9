// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("P3: order does not matter", .onEveryDatabase)
struct OrderDoesNotMatter {
    private static let clock = TestAuthority.clock
    private static let token = UniqueID.random(SeededRandom(seed: 3))

    /// Four signed copies and a receipt of three transactions, with what differs between copies:
    /// token, price, refund. Signed once, since a signature is part of the evidence's digest.
    private static func arrivals() throws -> [Submission.Proof] {
        func purchase(
            _ product: String, _ id: String, _ kind: SimulatedPurchase.Kind = .consumable
        ) -> SimulatedPurchase {
            var purchase = SimulatedPurchase(
                environment: .production, bundleID: Shop.bundleID, transactionID: id,
                productID: product, kind: kind, purchaseDate: clock.now - .seconds(3600))
            purchase.appAccountToken = token
            return purchase
        }
        let bare = purchase("coins100", "T1")
        var priced = bare
        priced.price = Money(amountMilli: 4990, currency: "USD")
        priced.signedDate = bare.signedDate + .seconds(60)
        var refund = purchase("coins100", "T2")
        refund.revocation = .init(date: clock.now - .seconds(100))
        refund.signedDate = clock.now - .seconds(90)
        let pass = purchase("pass30", "T3", .nonRenewingSubscription)
        let receipt = SimulatedReceipt(
            bundleID: Shop.bundleID, environment: .production,
            creationDate: clock.now - .seconds(30), purchases: [bare, pass])
        let authority = try TestAuthority.shared
        let bytes = try authority.appReceipt(receipt)
        return try [bare, priced, refund, pass].map {
            .signedTransaction(try authority.signedTransaction($0))
        } + [.receipt(Base64.encode(bytes, .standard))]
    }

    @Test("A right begins in the same second whether a receipt or a signed transaction comes first")
    func precision() async throws {
        var starts: [Instant?] = []
        for isReceiptFirst in [false, true] {
            let shop = try await Shop()
            var pass = shop.purchase("pass30", "T1", .nonRenewingSubscription)
            pass.purchaseDate = pass.purchaseDate + .milliseconds(567)
            if !isReceiptFirst { try await shop.submit(pass) }
            try await shop.submitReceipt(of: [pass], claiming: "T1")
            if isReceiptFirst { try await shop.submit(pass) }
            starts.append(try await shop.view()?.entitlements.first?.startsAt)
        }
        #expect(starts[0] != nil && starts[0] == starts[1])
    }

    @Test("A right begins with the first purchase, whether that or its restore comes first")
    func restores() async throws {
        var starts: [Instant?] = []
        for isRestoreFirst in [false, true] {
            let shop = try await Shop()
            let first = shop.purchase("noads", "N1", .nonConsumable)
            var restore = shop.purchase("noads", "N2", .nonConsumable)
            restore.originalTransactionID = "N1"
            restore.originalPurchaseDate = first.purchaseDate
            restore.purchaseDate = first.purchaseDate + .seconds(600)
            restore.signedDate = restore.purchaseDate
            for purchase in isRestoreFirst ? [restore, first] : [first, restore] {
                try await shop.submit(purchase)
            }
            starts.append(try await shop.view()?.entitlements.first?.startsAt)
        }
        #expect(starts[0] != nil)
        #expect(starts[0] == starts[1])
    }

    @Test("A purchase from before the cut-over has its owner, whether a job or a claim comes first")
    func purchasesOfTheFormerBackend() async throws {
        for isJobFirst in [false, true] {
            let shop = try await Shop(deliverFrom: Self.clock.now)
            let purchase = shop.purchase("coins100")
            if isJobFirst {
                try await shop.submitReceipt(of: [purchase], claiming: nil)
                try await shop.engine.runDueJobs()
            }
            let outcome = try await shop.submit(purchase)
            #expect(outcome.words == "rejected delivered_elsewhere finish")
            let view = try await shop.engine.transaction(
                TransactionID("T1"), of: Shop.app, in: .production)
            #expect(view?.grant?.customer?.rawValue == "u1", "job first: \(isJobFirst)")
        }
    }

    @Test("Every permutation of the same facts ends in the same books")
    func permutations() async throws {
        var states: Set<String> = []
        var count = 0
        let arrivals = try Self.arrivals()
        // A fresh database costs a server a hundred times what it costs SQLite.
        let stride = DatabaseEngine.current == .sqliteInline ? 1 : 8
        let orders = permutations(of: Array(0..<arrivals.count)).enumerated()
            .filter { $0.offset % stride == 0 }.map(\.element)
        for order in orders {
            let shop = try await Shop()
            try await shop.engine.registerToken(
                Self.token, for: CustomerID("u1"), to: shop.policy)
            for index in order + order.prefix(2) {
                try await shop.submit(arrivals[index])
                try await shop.engine.runDueJobs()
            }
            try await shop.expectBalancedBooks()
            states.insert(try await state(of: shop))
            count += 1
        }
        #expect(count == 120 / stride)
        #expect(states.count == 1, "\(states.count) different states")
    }

    private func permutations(of items: [Int]) -> [[Int]] {
        guard let first = items.first else { return [[]] }
        return permutations(of: Array(items.dropFirst())).flatMap { rest in
            (0...rest.count).map { place in
                var order = rest
                order.insert(first, at: place)
                return order
            }
        }
    }

    /// What must be the same: facts, grants, balances and rights. Times of arrival may differ.
    private func state(of shop: Shop) async throws -> String {
        let records = try await shop.engine.database.read { transaction in
            try ["T1", "T2", "T3"].map { id in
                try transaction.transaction(Shop.app, .production, TransactionID(id))
            }
        }
        let grants = try await shop.engine.grants(
            of: Shop.app, in: .production, state: .due, after: nil, limit: 10)
        let view = try await shop.view()
        return """
            \(records.map { record in
                "\(String(describing: record?.identity)) \(String(describing: record?.price)) "
                    + "\(String(describing: record?.ownership)) \(String(describing: record?.parking)) "
                    + "\(String(describing: record?.revocation)) \(String(describing: record?.sale))"
            })
            \(grants.map { "\($0.grant.grantID) \($0.grant.transactionID) \($0.goods.text)" })
            \(String(describing: view?.balances)) \(String(describing: view?.entitlements))
            """
    }
}
