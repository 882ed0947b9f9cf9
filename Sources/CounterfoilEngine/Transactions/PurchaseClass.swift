// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
package import CounterfoilStore

/// What a transaction is for statistics: only a new purchase and a renewal bring money.
package enum PurchaseClass: String, CaseIterable, Sendable {
    case new
    case renewal

    /// Something that was bought earlier came back, on the day that the transaction tells.
    case restore

    /// What was bought earlier was handed out again under another id, with the day of the purchase.
    case reDownload = "re_download"

    /// Tells by the signed ids and dates alone, so that it does not matter which copy came first.
    ///
    /// Nil where neither the store nor the catalogue says what kind of product it is.
    ///
    /// - Parameters:
    ///   - sold: As what it was sold, which no later catalogue changes; nil before there is a sale.
    ///   - isBoughtAgain: Whether a non-consumable was bought anew after a refund.
    package init?(
        _ record: TransactionRecord, soldAs sold: SaleType?, catalogue: Catalogue,
        isBoughtAgain: Bool
    ) {
        let typing = sold.map { .known($0) } ?? SaleTyping(record, catalogue: catalogue)
        guard case .known(let type) = typing else { return nil }
        let identity = record.identity.value
        // Receipts tell whole seconds, signed transactions milliseconds.
        let bought = identity.purchaseDate.wholeSeconds
        let first = identity.originalPurchaseDate.wholeSeconds
        switch type {
        case .consumable, .nonRenewing: self = .new
        case .autoRenewable: self = bought > first ? .renewal : .new
        case .nonConsumable:
            let isOriginal =
                record.transactionID.rawValue == identity.originalTransactionID.rawValue
            if isOriginal || isBoughtAgain {
                self = .new
            } else {
                self = bought > first ? .restore : .reDownload
            }
        }
    }
}
