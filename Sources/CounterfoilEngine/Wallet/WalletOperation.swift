// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase
package import CounterfoilStore

/// What a studio's server asks of a wallet, with everything drawn that it needs.
package struct WalletOperation: Sendable {
    package enum Action: Sendable {
        case spend(UnitID, Int64)
        case credit(Credit)

        /// Sets units aside for so long.
        case reserve(UnitID, Int64, for: Duration)

        /// Spends a hold, or as much of it as is named.
        case post(hold: UniqueID, amount: Int64?)
        case void(hold: UniqueID)
    }

    /// Units that are given by hand, and what they stand in for.
    package struct Credit: Sendable {
        package var unit: UnitID
        package var amount: Int64 = 0
        package var bonus: Int64 = 0
        package var expiresAt: Instant?
        package var transactionID: TransactionID?
        package var orderID: UniqueID?

        package init(unit: UnitID) {
            self.unit = unit
        }
    }

    package let customer: CustomerID
    package let environment: AppStoreEnvironment
    package let action: Action
    package let reason: String?
    package let reference: String?
    let policy: AppPolicy
    let operationID: UniqueID
    let freshCustomerKey: UniqueID
    let epoch: UniqueID
    let now: Instant
}

/// What an operation did.
package struct WalletChange: Sendable {
    /// Names the spend, the credit or the hold.
    package let operationID: UniqueID
    package let customer: CustomerID
    package let environment: AppStoreEnvironment

    /// What the customer has of the unit now.
    package let balance: WalletBalance

    /// What was set aside, of an operation on a hold.
    package let hold: HoldRecord?
}

extension Engine {
    /// Prepares an operation; it is done by ``WalletOperation/run(in:)`` inside ``once(_:_:)``.
    package func walletOperation(
        _ action: WalletOperation.Action, on customer: CustomerID,
        in environment: AppStoreEnvironment, reason: String?, reference: String?,
        under policy: AppPolicy
    ) -> WalletOperation {
        WalletOperation(
            customer: customer, environment: environment, action: action, reason: reason,
            reference: reference, policy: policy, operationID: freshID(),
            freshCustomerKey: freshID(), epoch: epoch, now: clock.now)
    }
}

extension WalletOperation {
    /// Does it, and tells it in an event.
    ///
    /// - Returns: nil for a customer that nobody has named yet; a credit names them.
    /// - Throws: ``WalletRefusal``, after which the transaction must not be committed.
    package func run(in transaction: any WriteTransaction) throws -> WalletChange? {
        if let unit = action.unit { try check(unit) }
        var key = try transaction.customerKey(policy.app, customer)
        if key == nil, case .credit = action {
            key = try transaction.ensureCustomer(
                policy.app, customer, freshKey: freshCustomerKey, at: now)
        }
        guard let key else { return nil }
        var wallet = try Wallet.locked(transaction, policy, environment, of: key, at: now)
        let before = wallet
        let (unit, kind, hold): (UnitID, TransferKind, HoldRecord?)
        do {
            (unit, kind, hold) = try act(on: &wallet)
        } catch let refusal as WalletRefusal {
            // A wallet that was emptied by a merge just now refuses what the target's may allow.
            guard try transaction.current(key) == key else {
                throw DatabaseError(.busy, "the customer was merged into another just now")
            }
            throw refusal
        }
        try WalletEvent(
            kind: kind, operationID: hold?.holdID ?? operationID, hold: hold,
            reason: hold == nil ? reason : hold?.reason,
            reference: hold == nil ? reference : hold?.reference
        ).publish(from: before, to: wallet, units: [unit], epoch: epoch)
        return WalletChange(
            operationID: hold?.holdID ?? operationID, customer: customer,
            environment: environment, balance: wallet.shown(unit), hold: hold)
    }

    /// A unit of the catalogue that our ledger keeps.
    private func check(_ unit: UnitID) throws {
        guard let known = policy.catalogue.units[unit] else {
            throw WalletRefusal.unknownUnit(unit)
        }
        if known.holder == .game { throw WalletRefusal.heldByGame(unit) }
    }

    private func act(
        on wallet: inout Wallet
    ) throws -> (unit: UnitID, kind: TransferKind, hold: HoldRecord?) {
        switch action {
        case .spend(let unit, let amount):
            let act = WalletAct(
                .spend, .operation(operationID), reason: reason, reference: reference)
            try wallet.spend(amount, of: unit, for: act)
            return (unit, .spend, nil)
        case .credit(let credit):
            try wallet.credit(record(of: credit, in: wallet), expiresAt: credit.expiresAt)
            return (credit.unit, .credit, nil)
        case .reserve(let unit, let amount, let duration):
            var hold = HoldRecord(
                holdID: operationID, app: policy.app, environment: environment,
                customer: wallet.customer, unit: unit, amount: amount, expiresAt: now + duration,
                createdAt: now)
            hold.reason = reason
            hold.reference = reference
            try wallet.reserve(hold)
            return (unit, .reserve, hold)
        case .post(let id, let amount):
            let hold = try hold(id, in: wallet)
            return (hold.unit, .post, try wallet.post(hold, amount: amount))
        case .void(let id):
            let hold = try hold(id, in: wallet)
            return (hold.unit, .void, try wallet.void(hold))
        }
    }

    private func record(of credit: Credit, in wallet: Wallet) -> CreditRecord {
        var record = CreditRecord(
            creditID: operationID, app: policy.app, environment: environment,
            customer: wallet.customer, unit: credit.unit, amount: credit.amount,
            bonus: credit.bonus, reason: reason ?? "", createdAt: now)
        record.reference = reference
        record.transactionID = credit.transactionID
        record.orderID = credit.orderID
        return record
    }

    /// A hold of this wallet; those of others do not exist here.
    private func hold(_ id: UniqueID, in wallet: Wallet) throws -> HoldRecord {
        guard let hold = try wallet.transaction.hold(id), hold.customer == wallet.customer,
            hold.app == policy.app, hold.environment == environment
        else { throw WalletRefusal.unknownHold }
        return hold
    }
}

extension WalletOperation.Action {
    fileprivate var unit: UnitID? {
        switch self {
        case .spend(let unit, _), .reserve(let unit, _, _): unit
        case .credit(let credit): credit.unit
        case .post, .void: nil
        }
    }
}
