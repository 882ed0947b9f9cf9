// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// How each customer's rights lie in time.
extension RebuildReport {
    mutating func compareEntitlements(_ page: RebuildPage) throws -> PageEnd? {
        let customers = try page.transaction.customersWithPeriods(
            after: page.after, limit: page.limit)
        count(.entitledCustomers, customers.count)
        for (app, environment, customer, _) in customers {
            let periods = try page.transaction.entitlementPeriods(app, environment, customer)
            try compare(periods, in: page.transaction)
        }
        return customers.last?.end
    }

    /// Compares all periods of a customer with how they should lie, and asks for the grant of each.
    private mutating func compare(
        _ stored: [EntitlementPeriodRecord], in transaction: any ReadTransaction
    ) throws {
        let unplaced = stored.map(\.unplaced)
        var expected = Dictionary(rows: unplaced)
        for placed in EntitlementPeriods.changed(in: unplaced) {
            expected[placed.rowKey] = placed.rowJSON
        }
        compare("entitlement_periods", expected: expected, stored: Dictionary(rows: stored))
        for period in stored {
            let sale = SaleReference(
                app: period.app, environment: period.environment, key: period.sale)
            if try transaction.grant(sale, revision: 0) == nil {
                add(
                    Difference(
                        "entitlement_periods", period.rowKey, expected: nil, stored: period.rowJSON)
                )
            }
        }
    }
}
