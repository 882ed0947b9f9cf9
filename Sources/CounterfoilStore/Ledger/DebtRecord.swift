// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// What a customer owes of one unit.
package struct DebtRecord: Hashable, Sendable {
    package let customer: UniqueID
    package let unit: UnitID

    /// Above 0.
    package let owed: Int64

    /// When the oldest part of it came to be.
    package let since: Instant?
}

/// Where a page of debts ended.
package struct DebtPlace: Hashable, Sendable {
    package let customer: UniqueID
    package let unit: UnitID

    package init(customer: UniqueID, unit: UnitID) {
        self.customer = customer
        self.unit = unit
    }
}

extension ReadTransaction {
    /// Debts by customer and unit, those behind `after`.
    package func debts(
        _ app: AppID, _ environment: AppStoreEnvironment, after: DebtPlace?, limit: Int64
    ) throws(DatabaseError) -> [DebtRecord] {
        try rows(
            """
            SELECT a.customer_key, a.unit, a.balance, (SELECT MIN(l.created_at) FROM lots l
                WHERE l.account_id = a.account_id AND l.is_open = 1) FROM accounts a
            WHERE a.app = $1 AND a.environment = $2 AND a.kind = 'debt' AND a.balance < 0
            AND (a.customer_key, a.unit) > ($3, $4)
            ORDER BY a.customer_key, a.unit LIMIT $5
            """,
            [
                .value(app), .value(environment), .bytes(after?.customer.bytes ?? []),
                .text(after?.unit.rawValue ?? ""), .value(limit),
            ]
        ).map { row throws(DatabaseError) in
            DebtRecord(
                customer: try row.uniqueID(0), unit: try row.identifier(1),
                owed: -(try row.integer(2)), since: try row.optionalInstant(3))
        }
    }
}

extension ReadTransaction {
    /// The debts on an account, the oldest first: by what the customer's events say, and by time where
    /// merges brought them.
    ///
    /// - Parameter areOpen: Whether those that were paid or written off are left out.
    package func debts(
        on account: AccountRecord, areOpen: Bool
    ) throws(DatabaseError) -> [LotRecord] {
        try rows(
            """
            SELECT account_id, lot_id, sale, amount, remaining, price_milli, currency, expires_at,
            created_at, sequence FROM lots
            WHERE account_id = $1 AND is_open IN ($2, 1)
            ORDER BY COALESCE(sequence, 0), created_at, lot_id
            """, [.value(account.accountID), .value(areOpen)]
        ).map { row throws(DatabaseError) in
            var debt = try LotRecord(row, of: account)
            debt.sequence = try row.optionalInteger(9)
            return debt
        }
    }
}
