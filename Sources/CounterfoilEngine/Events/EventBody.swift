// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilStore

/// The content of an event: the change, and what the customer has after it, so that a lost or
/// swapped event does no harm.
enum EventBody {
    /// What happened to a sale.
    static func data(
        of record: TransactionRecord, grant: GrantRecord?, goods: [Goods], reason: Reason?,
        order: OrderRecord?
    ) -> JSONValue {
        var data = sale(record, grant, goods: .array(goods.map(\.json)), order: order)
        if let reason { data.append("reason", .string(reason.rawValue)) }
        return .object(data)
    }

    /// A transaction with its grant, or a change of that, and the goods that moved.
    static func sale(
        _ record: TransactionRecord, _ grant: GrantRecord?, goods: JSONValue, order: OrderRecord?
    ) -> JSONObject {
        let identity = record.identity.value
        var data = JSONObject()
        data.append("transaction_id", .string(record.transactionID.rawValue))
        data.append(
            "original_transaction_id", .string(identity.originalTransactionID.rawValue))
        data.append("product_id", .string(identity.productID.rawValue))
        data.append("quantity", .integer(identity.quantity))
        data.append("purchase_date", .string(identity.purchaseDate.rfc3339))
        data.append("price", record.priceJSON)
        if let grant { data.append("grant_id", .string(grant.grantID.description)) }
        data.append("goods", goods)
        if let order { data.append("order", order.referenceJSON) }
        return data
    }

    /// The body of an event: without the state where both together are larger than an event may be.
    /// A purchase must not be undeliverable because its customer has too much already.
    static func text(data: JSONValue, state: JSONValue) -> String {
        let whole: JSONValue = ["data": data, "state": state]
        let text = whole.text
        guard text.utf8.count > CounterfoilStore.Limits.event else { return text }
        let short: JSONValue = ["data": data, "state_omitted": true]
        return short.text
    }

    /// What a customer has in one environment.
    static func state(
        balances: [BalanceRecord], periods: [EntitlementPeriodRecord], at now: Instant
    ) -> JSONValue {
        let entitlements = Entitlement.all(from: periods, at: now)
        return [
            "balances": .array(WalletBalance.all(from: balances).map(\.json)),
            "entitlements": .array(entitlements.map(\.json)),
        ]
    }
}

extension TransactionRecord {
    /// What was paid, for all of its quantity; nil where no evidence tells it.
    var paidPrice: Money? {
        guard let price = price?.value, let amount = price.amountMilli,
            let currency = price.currency
        else { return nil }
        return Money(amountMilli: amount, currency: currency)
    }

    /// What was paid in the form of the interface; null where no evidence tells it.
    package var priceJSON: JSONValue {
        paidPrice?.json ?? .null
    }
}

extension Money {
    /// The form of the interface.
    package var json: JSONValue {
        ["amount_milli": .integer(amountMilli), "currency": .string(currency)]
    }
}

/// A customer's balance of one unit, what was paid for and the bonus apart.
package struct WalletBalance: Hashable, Sendable {
    package let unit: UnitID
    package let paid: Int64
    package let bonus: Int64

    /// What is set aside; neither paid nor bonus counts it.
    package let held: Int64

    /// What the customer owes, as a positive number.
    package let debt: Int64

    package static func all(from balances: [BalanceRecord]) -> [WalletBalance] {
        let byUnit = Dictionary(grouping: balances, by: \.unit)
        return byUnit.sorted { $0.key < $1.key }.map { unit, balances in
            func amount(_ kind: AccountKind) -> Int64 {
                balances.first { $0.kind == kind }?.amount ?? 0
            }
            return WalletBalance(
                unit: unit, paid: amount(.paid), bonus: amount(.bonus), held: amount(.held),
                debt: -amount(.debt))
        }
    }

    package var json: JSONValue {
        [
            "unit": .string(unit.rawValue), "paid": .integer(paid), "bonus": .integer(bonus),
            "held": .integer(held), "debt": .integer(debt),
        ]
    }
}
