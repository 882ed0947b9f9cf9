// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilStore

/// The identity of what is sold once: the unit of promise P1 (docs/settlement.md).
enum SaleKey {
    /// What the keys of non-consumables begin with.
    static let originalPrefix = "o:"

    /// The key of a sale that is one transaction. Of non-consumables that is the first sale of the
    /// original, unless others are known (``Family``).
    static func of(_ record: TransactionRecord, type: SaleType) -> String {
        switch type {
        case .consumable, .nonRenewing:
            "t:\(record.transactionID)"
        case .autoRenewable:
            // One period; its other identities come with subscriptions.
            "p:\(record.transactionID)"
        case .nonConsumable:
            of(record.identity.value.originalTransactionID, number: 0)
        }
    }

    /// The key of one of an original's sales.
    static func of(_ original: OriginalTransactionID, number: Int) -> String {
        "\(prefix(of: original))\(number)"
    }

    /// What the keys of all sales of an original begin with.
    static func prefix(of original: OriginalTransactionID) -> String {
        "\(originalPrefix)\(original):"
    }

    /// The number in such a key; nil for a key of something else.
    static func number(of key: String, _ original: OriginalTransactionID) -> Int? {
        let prefix = prefix(of: original)
        return key.hasPrefix(prefix) ? Int(key.dropFirst(prefix.count)) : nil
    }

    /// The identities that only one sale may have, whatever type the catalogue once said: its key,
    /// and for the first sale of a non-consumable the transaction that a consumable would be keyed by.
    static func identities(of sale: String, type: SaleType) -> [String] {
        let suffix = ":0"
        guard type == .nonConsumable, sale.hasPrefix(originalPrefix), sale.hasSuffix(suffix) else {
            return [sale]
        }
        return [sale, "t:\(sale.dropFirst(originalPrefix.count).dropLast(suffix.count))"]
    }
}
