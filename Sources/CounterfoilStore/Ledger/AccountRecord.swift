// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// What an account is for.
package enum AccountKind: String, CaseIterable, Sendable {
    /// Of the system: what was ever given out; its balance is minus that.
    case issued

    /// Of the system: what customers spent.
    case spent

    /// Of the system: what ran out before it was spent.
    case expired

    /// Of the system: debts that nobody will pay; its balance is minus that.
    case writtenOff = "written_off"

    /// Of a customer: what was paid for.
    case paid

    /// Of a customer: what came on top.
    case bonus

    /// Of a customer: what is set aside for something that is not decided yet.
    case held

    /// Of a customer: what was spent before the purchase behind it was refunded; never above 0.
    case debt

    package var isCustomers: Bool {
        switch self {
        case .issued, .spent, .expired, .writtenOff: false
        case .paid, .bonus, .held, .debt: true
        }
    }

    /// Whether what comes in is kept apart in lots: what can be spent, and what is owed.
    package var hasLots: Bool {
        switch self {
        case .paid, .bonus, .debt: true
        case .issued, .spent, .expired, .writtenOff, .held: false
        }
    }
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
        precondition(kind.isCustomers == (customer != nil), "an account has the owner of its kind")
        self.accountID = accountID
        self.app = app
        self.environment = environment
        self.customer = customer
        self.unit = unit
        self.kind = kind
    }
}

/// A customer's balance of one account.
package struct BalanceRecord: Hashable, Sendable {
    package let unit: UnitID
    package let kind: AccountKind
    package let amount: Int64
}

extension ReadTransaction {
    /// The customer's balances in an environment, by unit and kind; accounts that do not exist yet are
    /// left out.
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
            BalanceRecord(
                unit: try row.identifier(0), kind: try AccountKind(row, 1),
                amount: try row.integer(2))
        }
    }
}

extension AccountKind {
    init(_ row: Row, _ place: ColumnPlace) throws(DatabaseError) {
        guard let kind = AccountKind(rawValue: try row.text(place)) else {
            throw DatabaseError(.unexpectedValue, "an account has an unknown kind")
        }
        self = kind
    }
}

extension WriteTransaction {
    /// Makes the account, with a balance of 0, if it is not there.
    func open(_ account: AccountRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO accounts (account_id, app, environment, customer_key, unit, kind, balance)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (account_id) DO NOTHING
            """,
            [
                .value(account.accountID), .value(account.app), .value(account.environment),
                .value(account.customer), .value(account.unit), .value(account.kind.rawValue),
                account.kind.isCustomers ? .integer(0) : .null,
            ])
    }

    /// Changes a customer's balance. The table refuses a negative one, this statement a positive debt.
    func change(_ account: AccountRecord, by amount: Int64) throws(DatabaseError) {
        if account.kind == .debt {
            try execute(
                """
                UPDATE accounts SET balance = balance + $2
                WHERE account_id = $1 AND balance + $2 <= 0
                """,
                [.value(account.accountID), .value(amount)], expecting: .one)
        } else {
            try execute(
                "UPDATE accounts SET balance = balance + $2 WHERE account_id = $1",
                [.value(account.accountID), .value(amount)], expecting: .one)
        }
    }
}
