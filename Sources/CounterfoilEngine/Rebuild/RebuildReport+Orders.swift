// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// Whether an order says that it was paid if and only if a transaction pays it.
extension RebuildReport {
    mutating func compareOrders(_ page: RebuildPage) throws -> PageEnd? {
        let (orders, end) = try page.transaction.orders(after: page.after, limit: page.limit)
        count(.orders, orders.count)
        for order in orders {
            compare(
                "orders", expected: [order.orderID.description: order.expectedJSON],
                stored: [order.orderID.description: order.storedJSON])
        }
        return end
    }
}

extension OrderStanding {
    fileprivate var expectedJSON: JSONValue {
        ["is_paid": .bool(payments > 0), "names_its_payment": .bool(payments > 0)]
    }

    fileprivate var storedJSON: JSONValue {
        let paidStates: [OrderState] = [.paid, .fulfilled, .refunded]
        return [
            "is_paid": .bool(paidStates.map(\.rawValue).contains(state)),
            "names_its_payment": .bool(paidBy != nil && (payments == 0 || namedPayments == 1)),
        ]
    }
}
