// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilStore

extension OrderView {
    /// An order in an answer, without its ticket.
    var json: JSONValue {
        var json = JSONObject()
        json.append("order_id", .string(record.orderID.description))
        json.append("customer_id", .optional(customer?.rawValue))
        json.append("product_id", .string(record.productID.rawValue))
        json.append("quantity", .integer(record.quantity))
        json.append("environment", .string(record.environment.rawValue))
        json.append("storefront", .optional(record.storefront))
        json.append("price", record.price.map(\.json) ?? .null)
        json.append("goods", goods)
        json.append("catalogue_version", .string(record.catalogueVersion))
        json.append("context", record.contextJSON)
        json.append("app_account_token", .string(record.accountToken.description))
        json.append("state", .string(record.state.rawValue))
        json.append("reason", .optional(record.closedReason))
        json.append("created_at", .string(record.createdAt.rfc3339))
        json.append("updated_at", .string(record.updatedAt.rfc3339))
        json.append("expires_at", .optional(expiresAt?.rfc3339))
        json.append("transactions", .array(transactions.map { .string($0.rawValue) }))
        return .object(json)
    }

    /// When it lapses or did; nil where that is no matter any more.
    private var expiresAt: Instant? {
        switch record.state {
        case .open, .pending, .lapsed: record.openUntil
        case .cancelled, .paid, .fulfilled, .refunded: nil
        }
    }
}

extension Money {
    /// The form of the interface.
    fileprivate var json: JSONValue {
        ["amount_milli": .integer(amountMilli), "currency": .string(currency)]
    }
}
