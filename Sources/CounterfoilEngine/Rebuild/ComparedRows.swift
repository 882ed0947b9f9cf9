// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilStore

/// A stored row in the form in which it is compared and shown.
protocol ComparedRow {
    var rowKey: String { get }
    var rowJSON: JSONValue { get }
}

extension Dictionary where Key == String, Value == JSONValue {
    init(rows: [some ComparedRow]) {
        self.init(rows.map { ($0.rowKey, $0.rowJSON) }) { first, _ in first }
    }
}

extension StoredTransfer: ComparedRow {
    var rowKey: String { transferID.description }

    var rowJSON: JSONValue {
        var entries = JSONObject()
        for (account, amount) in self.entries.sorted(by: {
            $0.key.bytes.lexicographicallyPrecedes($1.key.bytes)
        }) {
            entries.append(account.description, .integer(amount))
        }
        return [
            "unit": .string(unit), "amount": .integer(amount), "kind": .string(kind),
            "entries": .object(entries),
        ]
    }
}

extension EntitlementPeriodRecord: ComparedRow {
    var rowKey: String {
        "\(app), \(environment.rawValue), \(sale), \(entitlement), \(customer)"
    }

    var rowJSON: JSONValue {
        [
            "product_id": .string(productID.rawValue),
            "transaction_id": .string(transactionID.rawValue),
            "purchase_date": .string(purchaseDate.rfc3339), "quantity": .integer(quantity),
            "duration": .optional(duration), "revoked": .bool(isRevoked),
            "starts_at": .string(startsAt.rfc3339), "ends_at": .optional(endsAt?.rfc3339),
        ]
    }
}

extension SaleReference {
    var words: String { "\(app), \(environment.rawValue), \(key)" }
}

extension GrantRecord {
    /// The goods as they were frozen, none where nothing has left `parked` yet; nil if they cannot be
    /// read.
    var frozenGoods: [Goods]? {
        guard let goods else { return [] }
        // Damage is a finding, not a failure.
        guard let values = (try? JSONValue(parsing: goods.utf8))?.array else { return nil }
        let read = values.compactMap { Goods(frozen: $0) }
        return read.count == values.count ? read : nil
    }
}
