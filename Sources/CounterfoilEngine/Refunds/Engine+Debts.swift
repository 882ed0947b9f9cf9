// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore

/// A debt with the studio's id of who owes it.
package struct DebtView: Sendable {
    package let debt: DebtRecord

    /// nil once the customer is erased.
    package let customer: CustomerID?

    /// Where the next page begins.
    package var place: DebtPlace { DebtPlace(customer: debt.customer, unit: debt.unit) }
}

extension Engine {
    /// What customers owe since refunds found their units spent, in an order that stays, those behind
    /// `after`.
    package func debts(
        of app: AppID, in environment: AppStoreEnvironment, after: DebtPlace?, limit: Int64
    ) async throws -> [DebtView] {
        try await database.read { transaction in
            try transaction.debts(
                app, environment, after: after, limit: min(limit, Limits.pageSize)
            )
            .map { DebtView(debt: $0, customer: try transaction.customerID($0.customer)) }
        }
    }
}
