// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// What a customer had of a unit at the former backend, on its way to being a credit here.
struct BalanceImport {
    private let balance: ImportedBalance
    private let policy: AppPolicy

    /// A line gives its units once, whichever file it stands in.
    private let creditID: UniqueID

    init(_ balance: ImportedBalance, policy: AppPolicy) {
        self.balance = balance
        self.policy = policy
        let name =
            balance.id.map { ["id", $0] }
            ?? ["of", balance.customer.rawValue, balance.unit.rawValue]
        creditID = DerivedID.digest(
            ["imported_balance", policy.app.rawValue, balance.environment.rawValue] + name)
    }

    func outcome(in transaction: any ReadTransaction) throws -> ImportOutcome {
        guard policy.deliverFrom[balance.environment] != nil else {
            return .refused("deliver_from does not name \(balance.environment)")
        }
        guard let unit = policy.catalogue.units[balance.unit] else {
            return .refused("the catalogue has no unit \(balance.unit)")
        }
        guard unit.holder == .counterfoil else {
            return .refused("the game itself keeps \(balance.unit)")
        }
        let key = try transaction.customerKey(policy.app, balance.customer)
        if let credit = try transaction.credit(creditID) {
            let isSame =
                try transaction.current(credit.customer) == key && credit.unit == balance.unit
                && credit.amount == balance.paid && credit.bonus == balance.bonus
            return isSame ? .known : .refused("it was imported before, and said something else")
        }
        guard let maximum = unit.maximumBalance else { return .new }
        let has = try key.map { try balances(of: $0, in: transaction) } ?? 0
        return has + balance.paid + balance.bonus > maximum ? tooMuch(maximum) : .new
    }

    /// Gives the units, and makes the customer if need be; the wallet of one who is known is locked.
    func keep(
        freshCustomerKey: UniqueID, epoch: UniqueID, at now: Instant,
        in transaction: any WriteTransaction
    ) throws -> ImportOutcome {
        var credit = WalletOperation.Credit(unit: balance.unit)
        credit.amount = balance.paid
        credit.bonus = balance.bonus
        let operation = WalletOperation(
            customer: balance.customer, environment: balance.environment,
            action: .credit(credit), reason: "import", reference: balance.id, policy: policy,
            operationID: creditID, freshCustomerKey: freshCustomerKey, epoch: epoch, now: now)
        do {
            _ = try operation.run(in: transaction)
            return .new
        } catch WalletRefusal.aboveMaximum(_, let maximum, _, _) {
            // Somebody else made the customer and gave it something just now; nothing was written yet.
            return tooMuch(maximum)
        }
    }

    private func balances(
        of key: UniqueID, in transaction: any ReadTransaction
    ) throws -> Int64 {
        try transaction.balances(policy.app, balance.environment, key)
            .filter { $0.unit == balance.unit && $0.amount > 0 }.reduce(0) { $0 + $1.amount }
    }

    private func tooMuch(_ maximum: Int64) -> ImportOutcome {
        .refused("\(balance.customer) would have more than \(maximum)")
    }
}
