// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// What an account is for.
package enum AccountKind: String, CaseIterable, Sendable {
    /// Of the system: what was ever given out; its balance is minus that.
    case issued

    /// Of a customer: what was paid for.
    case paid

    /// Of a customer: what came on top.
    case bonus
}

/// An account of one unit; without a customer it is the system's.
package struct AccountRecord: Hashable, Sendable {
    package let accountID: UniqueID
    package let app: AppID
    package let environment: AppStoreEnvironment
    package let customer: UniqueID?
    package let unit: UnitID
    package let kind: AccountKind

    package init(
        accountID: UniqueID, app: AppID, environment: AppStoreEnvironment, customer: UniqueID?,
        unit: UnitID, kind: AccountKind
    ) {
        self.accountID = accountID
        self.app = app
        self.environment = environment
        self.customer = customer
        self.unit = unit
        self.kind = kind
    }
}

/// One movement of a unit.
package struct TransferRecord: Hashable, Sendable {
    package let transferID: UniqueID
    package let from: AccountRecord
    package let to: AccountRecord
    package let amount: Int64

    /// Why it was made: `grant`, later `refund` and others.
    package let kind: String
    package let sale: SaleReference
    package let revision: Int64
    package let createdAt: Instant

    /// The same for both accounts.
    package var unit: UnitID { from.unit }

    package init(
        transferID: UniqueID, from: AccountRecord, to: AccountRecord, amount: Int64, kind: String,
        sale: SaleReference, revision: Int64, createdAt: Instant
    ) {
        precondition(amount > 0, "a transfer moves something")
        precondition(from.unit == to.unit, "a transfer keeps its unit")
        self.transferID = transferID
        self.from = from
        self.to = to
        self.amount = amount
        self.kind = kind
        self.sale = sale
        self.revision = revision
        self.createdAt = createdAt
    }
}

/// A customer's balance of one account.
package struct BalanceRecord: Hashable, Sendable {
    package let unit: UnitID
    package let kind: AccountKind
    package let amount: Int64
}

extension ReadTransaction {
    /// The customer's balances in an environment, by unit and kind.
    package func balances(
        _ app: AppID, _ environment: AppStoreEnvironment, _ customer: UniqueID
    ) throws(DatabaseError) -> [BalanceRecord] {
        try rows(
            """
            SELECT unit, kind, balance FROM accounts
            WHERE customer_key = $1 AND app = $2 AND environment = $3 ORDER BY unit, kind
            """,
            [.value(customer), .value(app), .value(environment)]
        ).map { row throws(DatabaseError) in
            guard let kind = AccountKind(rawValue: try row.text(1)) else {
                throw DatabaseError(.unexpectedValue, "an account has an unknown kind")
            }
            return BalanceRecord(
                unit: try row.identifier(0), kind: kind, amount: try row.integer(2))
        }
    }
}

extension WriteTransaction {
    /// Books the transfer: the movement, its two entries, and the balance of a customer's account.
    ///
    /// The wallets concerned are locked. A transfer whose id exists is an error: it would move the
    /// same goods twice.
    package func post(_ transfer: TransferRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO transfers
            (transfer_id, app, environment, unit, amount, kind, sale, revision, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                .value(transfer.transferID), .value(transfer.from.app),
                .value(transfer.from.environment), .value(transfer.from.unit),
                .value(transfer.amount), .value(transfer.kind), .value(transfer.sale.key),
                .value(transfer.revision), .value(transfer.createdAt),
            ], expecting: .one)
        try enter(-transfer.amount, on: transfer.from, of: transfer.transferID)
        try enter(transfer.amount, on: transfer.to, of: transfer.transferID)
    }

    private func enter(
        _ amount: Int64, on account: AccountRecord, of transferID: UniqueID
    ) throws(DatabaseError) {
        let isCustomers = account.customer != nil
        try execute(
            """
            INSERT INTO accounts (account_id, app, environment, customer_key, unit, kind, balance)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (account_id) DO NOTHING
            """,
            [
                .value(account.accountID), .value(account.app), .value(account.environment),
                .value(account.customer), .value(account.unit), .value(account.kind.rawValue),
                isCustomers ? .integer(0) : .null,
            ])
        try execute(
            "INSERT INTO entries (account_id, transfer_id, amount) VALUES ($1, $2, $3)",
            [.value(account.accountID), .value(transferID), .value(amount)], expecting: .one)
        guard isCustomers else { return }
        try execute(
            "UPDATE accounts SET balance = balance + $2 WHERE account_id = $1",
            [.value(account.accountID), .value(amount)], expecting: .one)
    }
}
