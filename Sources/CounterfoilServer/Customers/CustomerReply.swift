// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine

extension CustomerView {
    /// The answer to `GET /v1/customers/{id}`.
    var json: JSONValue {
        [
            "customer_id": .string(customer.rawValue),
            "environment": .string(environment.rawValue),
            "version": .integer(version),
            "balances": .array(balances.map(\.json)),
            "entitlements": .array(entitlements.map(\.json)),
            "open_orders": .array(openOrders.map(\.json)),
        ]
    }
}
