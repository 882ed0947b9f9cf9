// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// A customer's accounts in one environment, and everything that moves units between them.
///
/// Its functions keep, at every return: the entries of a unit add up to zero; a balance is the sum of
/// its entries; the balance of `paid` and `bonus` is what is left of their lots, and that of `debt` is
/// minus what is open of its lots; nothing but `debt` and the system's accounts is below zero.
struct Wallet {
    let transaction: any WriteTransaction
    let policy: WalletPolicy
    let catalogue: Catalogue
    let app: AppID
    let environment: AppStoreEnvironment
    let customer: UniqueID
    let now: Instant
    private var balances: [Place: Int64]

    private struct Place: Hashable {
        let unit: UnitID
        let kind: AccountKind
    }

    /// Reads the accounts of a wallet that the transaction holds the lock of.
    init(
        _ transaction: any WriteTransaction, _ policy: AppPolicy,
        _ environment: AppStoreEnvironment, of customer: UniqueID, at now: Instant
    ) throws {
        self.transaction = transaction
        self.policy = policy.wallet
        catalogue = policy.catalogue
        self.app = policy.app
        self.environment = environment
        self.customer = customer
        self.now = now
        balances = try Self.balances(transaction, policy.app, environment, customer)
    }

    /// Reads another customer's accounts under the same rules; the transaction holds the lock of that
    /// wallet too.
    init(_ other: Wallet, of customer: UniqueID) throws {
        transaction = other.transaction
        policy = other.policy
        catalogue = other.catalogue
        app = other.app
        environment = other.environment
        self.customer = customer
        now = other.now
        balances = try Self.balances(transaction, app, environment, customer)
    }

    private static func balances(
        _ transaction: any WriteTransaction, _ app: AppID, _ environment: AppStoreEnvironment,
        _ customer: UniqueID
    ) throws -> [Place: Int64] {
        var balances: [Place: Int64] = [:]
        for balance in try transaction.balances(app, environment, customer) {
            balances[Place(unit: balance.unit, kind: balance.kind)] = balance.amount
        }
        return balances
    }

    /// Locks the wallet and reads its accounts.
    static func locked(
        _ transaction: any WriteTransaction, _ policy: AppPolicy,
        _ environment: AppStoreEnvironment, of customer: UniqueID, at now: Instant
    ) throws -> Wallet {
        try transaction.lockWallet(policy.app, environment, customer)
        return try Wallet(transaction, policy, environment, of: customer, at: now)
    }

    /// What stands on one of the customer's accounts; of a debt, minus what is owed.
    func balance(_ unit: UnitID, _ kind: AccountKind) -> Int64 {
        precondition(kind.isCustomers, "the balances of the system are not stored")
        return balances[Place(unit: unit, kind: kind)] ?? 0
    }

    /// Whether the customer ever had such an account.
    func hasAccount(_ unit: UnitID, _ kind: AccountKind) -> Bool {
        balances[Place(unit: unit, kind: kind)] != nil
    }

    /// What the customer can spend of the unit, unless a debt keeps them from it.
    func available(_ unit: UnitID) -> Int64 {
        balance(unit, .paid) + balance(unit, .bonus)
    }

    /// What the customer owes of the unit.
    func owed(_ unit: UnitID) -> Int64 { -balance(unit, .debt) }

    /// When a bonus of the unit that is given now runs out; nil for never.
    func bonusExpiry(of unit: UnitID) -> Instant? {
        catalogue.units[unit]?.bonusExpiresAfter.map { now + $0 }
    }

    func account(_ unit: UnitID, _ kind: AccountKind) -> AccountRecord {
        AccountRecord(app, environment, kind.isCustomers ? customer : nil, unit, kind)
    }

    /// Books a transfer between two accounts of this wallet or of the system; lots are the caller's.
    mutating func book(_ transfer: TransferRecord) throws {
        let unit = transfer.unit
        // Whoever has an account of a unit had some of it issued, or owes what was.
        let isKnown = AccountKind.allCases.contains {
            balances[Place(unit: unit, kind: $0)] != nil
        }
        let opening = [transfer.from, transfer.to].filter { account in
            account.kind.isCustomers
                ? balances[Place(unit: unit, kind: account.kind)] == nil
                : !(isKnown && account.kind == .issued)
        }
        try transaction.post(transfer, opening: opening)
        for (account, amount) in [
            (transfer.from, -transfer.amount), (transfer.to, transfer.amount),
        ] where account.kind.isCustomers {
            precondition(account.customer == customer, "a wallet moves what is its own")
            balances[Place(unit: unit, kind: account.kind), default: 0] += amount
        }
    }

    /// Moves units between two accounts; lots are the caller's.
    ///
    /// - Parameter part: Tells the act's transfers apart.
    mutating func move(
        _ amount: Int64, of unit: UnitID, _ from: AccountKind, _ to: AccountKind,
        _ part: String, for act: WalletAct
    ) throws -> TransferRecord {
        let transfer = act.transfer(
            act.transferID(part), amount, from: account(unit, from), to: account(unit, to), at: now)
        try book(transfer)
        return transfer
    }

    /// Takes units out of lots that a plan names, one transfer for each account they are on.
    ///
    /// - Returns: The transfers, by the account they took from.
    @discardableResult
    mutating func take(
        _ steps: [Consumption.Step], of unit: UnitID, to target: AccountKind, for act: WalletAct
    ) throws -> [AccountKind: TransferRecord] {
        var transfers: [AccountKind: TransferRecord] = [:]
        for kind in [AccountKind.paid, .bonus] {
            let own = steps.filter { $0.lot.account.kind == kind }
            let amount = own.reduce(0) { $0 + $1.amount }
            guard amount > 0 else { continue }
            let transfer = act.transfer(
                act.takingID(kind, unit), amount, from: account(unit, kind),
                to: account(unit, target), at: now)
            try book(transfer)
            for step in own { try take(step, by: transfer) }
            transfers[kind] = transfer
        }
        return transfers
    }

    /// Takes from one lot what a transfer moves.
    func take(_ step: Consumption.Step, by transfer: TransferRecord) throws {
        try transaction.take(
            step.amount, fromLot: step.lot.lotID, of: step.lot.account.accountID,
            by: transfer.transferID)
    }

    /// From which lots an amount would be taken, or all that there is; of debts, which would be paid.
    ///
    /// - Parameter taken: What other steps take already, by lot.
    func plan(
        _ amount: Int64, of unit: UnitID, on kinds: [AccountKind],
        besides taken: [UniqueID: Int64] = [:]
    ) throws -> [Consumption.Step] {
        var steps: [Consumption.Step] = []
        for kind in kinds where balance(unit, kind) != 0 {
            let account = account(unit, kind)
            var end: UniqueID?
            repeat {
                var page = try transaction.openLots(
                    of: account, after: end, limit: Limits.lotPage)
                end = page.count == Limits.lotPage ? page.last?.lotID : nil
                for index in page.indices { page[index].remaining -= taken[page[index].lotID] ?? 0 }
                // What is not needed beside some lots is not needed beside more of them.
                steps = Consumption.plan(steps.map(\.lot) + page, amount, policy.order)
            } while end != nil
        }
        return steps
    }
}

extension AccountRecord {
    /// The account, with the id that follows from what it is for.
    init(
        _ app: AppID, _ environment: AppStoreEnvironment, _ customer: UniqueID?, _ unit: UnitID,
        _ kind: AccountKind
    ) {
        self.init(
            accountID: DerivedID.account(app, environment, customer: customer, unit, kind),
            app: app, environment: environment, customer: customer, unit: unit, kind: kind)
    }
}
