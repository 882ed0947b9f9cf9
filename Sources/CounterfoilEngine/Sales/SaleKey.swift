// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilStore

/// The identity of what is sold once: the unit of promise P1 (docs/settlement.md).
enum SaleKey {
    /// The key of the sale that a transaction belongs to.
    ///
    /// - Parameter family: The stored transactions of the same original, with this one's newest form
    ///   among them. Only non-consumables look at it: buying one again after a refund is a new sale,
    ///   restoring it is not.
    static func of(
        _ record: TransactionRecord, type: SaleType, family: [TransactionRecord]
    ) -> String {
        switch type {
        case .consumable, .nonRenewing:
            "t:\(record.transactionID)"
        case .autoRenewable:
            // One period; its other identities come with subscriptions.
            "p:\(record.transactionID)"
        case .nonConsumable:
            "o:\(record.identity.value.originalTransactionID):\(refundsBefore(record, in: family))"
        }
    }

    /// The identities that only one sale may have, whatever type the catalogue once said: its key,
    /// and for the first sale of a non-consumable the transaction that a consumable would be keyed by.
    static func identities(of sale: String, type: SaleType) -> [String] {
        let (prefix, suffix) = ("o:", ":0")
        guard type == .nonConsumable, sale.hasPrefix(prefix), sale.hasSuffix(suffix) else {
            return [sale]
        }
        return [sale, "t:\(sale.dropFirst(prefix.count).dropLast(suffix.count))"]
    }

    /// When what the sale gives was bought.
    ///
    /// Of a non-consumable that is its first purchase, whichever of its copies came first: a restored
    /// one carries the day of the restore. In whole seconds, since a receipt tells no more, and the
    /// answer must not depend on which copy came first (promise P3).
    static func purchaseDate(of record: TransactionRecord, sale: String) -> Instant {
        let identity = record.identity.value
        var date = identity.purchaseDate
        if sale.hasPrefix("o:"), sale.hasSuffix(":0") {
            date = min(identity.originalPurchaseDate, date)
        }
        return date - .milliseconds(date.millisecondsSinceEpoch % 1_000)
    }

    /// How often the product had been bought and refunded before this purchase.
    private static func refundsBefore(
        _ record: TransactionRecord, in family: [TransactionRecord]
    ) -> Int {
        let purchase = record.identity.value.purchaseDate
        var refunds = 0
        var refundedAt: Instant?
        for other in family.sorted(by: isBoughtBefore) {
            let otherPurchase = other.identity.value.purchaseDate
            guard otherPurchase <= purchase else { break }
            if let date = refundedAt, otherPurchase > date {
                refunds += 1
                refundedAt = nil
            }
            if let date = other.revocation?.value.date {
                refundedAt = min(refundedAt ?? date, date)
            }
        }
        return refunds
    }

    private static func isBoughtBefore(
        _ lhs: TransactionRecord, _ rhs: TransactionRecord
    ) -> Bool {
        (lhs.identity.value.purchaseDate, lhs.transactionID)
            < (rhs.identity.value.purchaseDate, rhs.transactionID)
    }
}
