// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore

/// An order as it is shown.
package struct OrderView: Sendable {
    package let record: OrderRecord

    /// nil once the customer is erased.
    package let customer: CustomerID?

    /// The transactions that paid it, in the order of their ids.
    package let transactions: [TransactionID]
}

extension OrderView {
    init(_ record: OrderRecord, in transaction: any ReadTransaction) throws(DatabaseError) {
        self.init(
            record: record, customer: try transaction.currentCustomerID(record.customer),
            transactions: try transaction.transactions(
                ofOrder: record.orderID, limit: Limits.transactionsPerOrder))
    }

    /// An order that nobody has paid.
    init(_ record: OrderRecord, customer: CustomerID) {
        self.init(record: record, customer: customer, transactions: [])
    }

    /// The frozen goods of the whole order, in the form of the interface.
    package var goods: JSONValue {
        // Damage is told by whoever needs the goods.
        let goods = (try? record.frozenGoods()) ?? []
        return .array(goods.map { $0.multiplied(by: record.quantity).json })
    }
}
