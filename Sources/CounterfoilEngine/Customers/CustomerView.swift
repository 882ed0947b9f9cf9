// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// What a customer has in one environment, read at one moment.
package struct CustomerView: Sendable {
    package let customer: CustomerID
    package let environment: AppStoreEnvironment

    /// The number of the customer's last event here; it grows with every change.
    package let version: Int64
    package let balances: [WalletBalance]
    package let entitlements: [Entitlement]

    /// Orders that still expect a payment here, the oldest first.
    package let openOrders: [OrderView]
}

extension Engine {
    /// Reads what a customer has; nil for a customer that nobody has named yet.
    package func customer(
        _ id: CustomerID, of app: AppID, in environment: AppStoreEnvironment
    ) async throws -> CustomerView? {
        let now = clock.now
        return try await database.read { transaction in
            guard let key = try transaction.customerKey(app, id) else { return nil }
            let periods = try transaction.entitlementPeriods(app, environment, key)
            return CustomerView(
                customer: id, environment: environment,
                version: try transaction.sequence(app, environment, key),
                balances: WalletBalance.all(
                    from: try transaction.balances(app, environment, key)),
                entitlements: Entitlement.all(from: periods, at: now),
                openOrders: try transaction.openOrders(
                    of: key, limit: Limits.openOrdersPerCustomer
                ).filter { $0.environment == environment && $0.openUntil >= now }
                    .map { OrderView($0, customer: id) })
        }
    }
}
