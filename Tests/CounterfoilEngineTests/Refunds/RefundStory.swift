// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

// What the store tells of refunds.
extension Shop {
    /// The purchase as Apple signs it once the money went back.
    func refunded(
        _ purchase: SimulatedPurchase, percentageMilli: Int64? = nil, type: String? = "REFUND_FULL",
        at date: Instant? = nil
    ) -> SimulatedPurchase {
        var refunded = purchase
        let date = date ?? clock.now - .seconds(600)
        refunded.revocation = .init(date: date, type: type, percentageMilli: percentageMilli)
        refunded.signedDate = date + .seconds(10)
        return refunded
    }

    /// Hands Apple's notification about the purchase to the engine.
    @discardableResult
    func notify(
        _ type: String, of purchase: SimulatedPurchase, at date: Instant? = nil
    ) async throws -> SubmissionOutcome {
        var signed = purchase
        signed.signedDate = date ?? clock.now - .seconds(300)
        let authority = try TestAuthority.shared
        let payload: JSONValue = [
            "notificationType": .string(type),
            "notificationUUID": .string(
                "\(type)-\(purchase.transactionID)-\(signed.signedDate.millisecondsSinceEpoch)"),
            "version": "2.0", "signedDate": .integer(signed.signedDate.millisecondsSinceEpoch),
            "data": [
                "bundleId": .string(Self.bundleID), "bundleVersion": "1",
                "environment": .string(purchase.environment.rawValue),
                "signedTransactionInfo": .string(try authority.signedTransaction(signed)),
            ],
        ]
        let notification = Submission(
            notification: try authority.sign(payload), address: "127.0.0.1")
        return try await engine.submit(notification, to: policy)
    }

    /// Spends units as a game server would.
    func spend(
        _ amount: Int64, _ unit: String = "coins", by customer: String = "u1"
    ) async throws {
        let (policy, now) = (policy, clock.now)
        let (unit, id, operation) = (try UnitID(unit), try CustomerID(customer), engine.freshID())
        try await engine.database.write { transaction in
            let key = try #require(try transaction.customerKey(Self.app, id))
            var wallet = try Wallet.locked(
                transaction, policy, .production, of: key, at: now)
            let plan = try wallet.plan(amount, of: unit, on: [.paid, .bonus])
            #expect(plan.reduce(0) { $0 + $1.amount } == amount)
            try wallet.take(
                plan, of: unit, to: .spent, for: WalletAct(.spend, .operation(operation)))
        }
    }

    /// What stands on a customer's account; of a debt, minus what is owed.
    func balance(
        _ kind: AccountKind, _ unit: String = "coins", of customer: String = "u1"
    ) async throws -> Int64 {
        let (unit, id) = (try UnitID(unit), try CustomerID(customer))
        return try await engine.database.read { transaction in
            guard let key = try transaction.customerKey(Self.app, id) else { return 0 }
            return try transaction.balances(Self.app, .production, key)
                .first { $0.unit == unit && $0.kind == kind }?.amount ?? 0
        }
    }

    /// Paid, bonus and debt of coins.
    func purse(_ customer: String = "u1") async throws -> [Int64] {
        [
            try await balance(.paid, of: customer), try await balance(.bonus, of: customer),
            try await balance(.debt, of: customer),
        ]
    }

    /// The bodies of the events of one type, oldest first.
    func events(_ type: String) async throws -> [JSONValue] {
        try await engine.numberEvents()
        return try await engine.events(of: Self.app, after: 0, limit: 500).map(\.json)
            .filter { $0["type"]?.string == type }
    }
}
