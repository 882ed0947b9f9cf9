// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// What runs out by itself: holds that nobody decided about, and bonuses that nobody spent.
extension Engine {
    /// Gives back the holds and takes the bonuses whose time ran out by the database's clock, each
    /// wallet in a transaction of its own. Several servers may do so at once.
    ///
    /// One that cannot be done does not keep the others waiting; the next round comes back for it.
    ///
    /// - Returns: How many holds and lots had run out.
    /// - Throws: ``DatabaseError`` that is not about one wallet.
    @discardableResult
    package func settleLapses() async throws -> Int {
        let count = try await lapseHolds() + expireLots()
        if count > 0 { eventSignal() }
        return count
    }

    private func lapseHolds() async throws -> Int {
        var after: LapsePlace?
        var count = 0
        while !Task.isCancelled {
            let start = after
            let holds = try await database.read { transaction in
                try transaction.lapsedHolds(
                    at: try transaction.currentTime(), after: start, limit: Limits.lapsePage)
            }
            for hold in holds {
                guard let policy = policies[hold.app] else { continue }
                let done = try await attempt("lapse", hold.app) { [epoch] transaction in
                    try Self.lapse(hold, policy, epoch, in: transaction)
                }
                if done { count += 1 }
            }
            guard holds.count == Int(Limits.lapsePage), let last = holds.last else { break }
            after = LapsePlace(expiresAt: last.expiresAt, id: last.holdID)
        }
        return count
    }

    private static func lapse(
        _ found: HoldRecord, _ policy: AppPolicy, _ epoch: UniqueID,
        in transaction: any WriteTransaction
    ) throws -> Bool {
        var wallet = try Wallet.locked(
            transaction, policy, found.environment, of: found.customer,
            at: try transaction.currentTime())
        // Somebody may have decided meanwhile, or the hold went to another customer.
        guard let hold = try transaction.hold(found.holdID), hold.state == .open,
            hold.customer == found.customer
        else { return false }
        let before = wallet
        let ended = try wallet.void(hold, .lapsed)
        try WalletEvent(
            kind: .void, operationID: hold.holdID, hold: ended, reason: hold.reason,
            reference: hold.reference
        ).publish(from: before, to: wallet, units: [hold.unit], epoch: epoch)
        return true
    }

    private func expireLots() async throws -> Int {
        var after: LapsePlace?
        var count = 0
        while !Task.isCancelled {
            let start = after
            let found = try await database.read { transaction in
                try transaction.accountsWithExpiredLots(
                    at: try transaction.currentTime(), after: start, limit: Limits.lapsePage)
            }
            var seen: Set<UniqueID> = []
            for (account, _) in found where seen.insert(account.accountID).inserted {
                guard let policy = policies[account.app], let customer = account.customer else {
                    continue
                }
                let lots = found.filter { $0.account == account }
                let done = try await attempt("lapse", account.app) { [epoch] transaction in
                    try Self.expire(
                        account.unit, of: customer, account.environment, policy, epoch,
                        operation: lots[0].place.id, in: transaction)
                }
                if done { count += lots.count }
            }
            guard found.count == Int(Limits.lapsePage), let last = found.last else { break }
            after = last.place
        }
        return count
    }

    private static func expire(
        _ unit: UnitID, of customer: UniqueID, _ environment: AppStoreEnvironment,
        _ policy: AppPolicy, _ epoch: UniqueID, operation lot: UniqueID,
        in transaction: any WriteTransaction
    ) throws -> Bool {
        var wallet = try Wallet.locked(
            transaction, policy, environment, of: customer, at: try transaction.currentTime())
        let before = wallet
        let number = try transaction.lotUses(of: lot).count
        guard try wallet.expire(unit) > 0 else { return false }
        try WalletEvent(
            kind: .expiry, operationID: DerivedID.ofOperation(lot, "expiry:\(number)")
        ).publish(from: before, to: wallet, units: [unit], epoch: epoch)
        return true
    }

    /// Runs the body; an error that is about it alone is told and does not end the round. What is busy may
    /// be so alone.
    func attempt(
        _ kind: String, _ app: AppID,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Bool
    ) async throws -> Bool {
        do {
            return try await database.write(body)
        } catch let error as DatabaseError where error.endsRound {
            throw error
        } catch {
            onJobFailure(
                JobFailure(kind: kind, app: app, tries: 1, message: "\(error)"))
            return false
        }
    }
}

extension DatabaseError {
    /// Whether the other items of a round would fare no better.
    var endsRound: Bool { isTransient && code != .busy || code == .closed }
}
