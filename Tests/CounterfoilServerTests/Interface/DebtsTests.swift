// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine
@testable import CounterfoilServer

@Suite("What a person can see of refunds")
struct WhatAPersonCanSeeOfRefunds {
    /// Spends everything that the customer has of coins.
    private func spendAll(of customer: String, on server: GameServer) async throws {
        let (id, operation, now) = (
            try CustomerID(customer), server.engine.freshID(), server.clock.now
        )
        let policy = try #require(server.engine.policies[try AppID("game")])
        let unit = try UnitID("coins")
        try await server.engine.database.write { transaction in
            let key = try #require(try transaction.customerKey(policy.app, id))
            var wallet = try Wallet.locked(transaction, policy, .production, of: key, at: now)
            let plan = try wallet.plan(wallet.available(unit), of: unit, on: [.paid, .bonus])
            try wallet.take(
                plan, of: unit, to: .spent, for: WalletAct(.spend, .operation(operation)))
        }
    }

    @Test("Debts are listed page by page with who owes what, and a transaction shows its refund")
    func debts() async throws {
        let server = try await GameServer()
        for (customer, transaction) in [("u1", "T1"), ("u2", "T2"), ("u3", "T3")] {
            var purchase = server.purchase("coins100", transaction)
            _ = try await server.submit(purchase, for: customer)
            if customer != "u2" { try await spendAll(of: customer, on: server) }
            purchase.revocation = .init(date: server.clock.now - .seconds(60))
            purchase.signedDate = server.clock.now
            _ = try await server.submit(purchase, for: customer)
        }
        var owed: [String: Int64] = [:]
        var path: String? = "/v1/debts?limit=1"
        while let next = path {
            let page = try await server.get(next)
            #expect(page.status == 200)
            for debt in page.json["debts"]?.array ?? [] {
                #expect(debt["unit"] == "coins" && debt["since"]?.string != nil)
                owed[debt["customer_id"]?.string ?? ""] = debt["owed"]?.int64
            }
            path = page.json["next"]?.string.map { "/v1/debts?limit=1&after=\($0)" }
        }
        let given = try await server.get("/v1/transactions/T1").json["lots"]?.array?
            .reduce(0) { $0 + ($1["amount"]?.int64 ?? 0) }
        #expect(Set(owed.keys) == ["u1", "u3"])
        #expect(owed["u1"] == given && owed["u3"] == given)
        #expect(try await server.get("/v1/debts?after=x").status == 400)
        #expect(
            try await server.get("/v1/debts?environment=Sandbox").json["debts"]?.array?.isEmpty
                == true)

        let transaction = try await server.get("/v1/transactions/T2").json
        let change = try #require(transaction["changes"]?.array?.first)
        #expect(change["grant"]?["revision"]?.int64 == 1)
        #expect(change["revocation_date"]?.string != nil)
        #expect(transaction["lots"]?.array?.first?["consumed"]?.int64 == 0)
    }
}
