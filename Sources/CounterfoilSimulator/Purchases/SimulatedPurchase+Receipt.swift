// SPDX-License-Identifier: Apache-2.0

extension SimulatedPurchase {
    /// The attributes 1701 to 1721 of a receipt's entry; dates lose their milliseconds.
    public var receiptAttributes: [ReceiptAttribute] {
        [
            .integer(1701, quantity),
            .utf8(1702, productID),
            .utf8(1703, transactionID),
            .date(1704, purchaseDate),
            .utf8(1705, originalTransactionID),
            .date(1706, originalPurchaseDate),
            .integer(1707, kind.receiptCode),
            .date(1708, expiresDate),
            .integer(1711, webOrderLineItemID.flatMap { Int64($0) } ?? 0),
            .date(1712, receiptCancellationDate),
            .integer(1713, isTrial ? 1 : 0),
            .integer(1719, isInPaidIntroduction ? 1 : 0),
        ] + (promotionalOfferID.map { [.utf8(1721, $0)] } ?? [])
    }
}

extension SimulatedPurchase.Kind {
    /// The number of attribute 1707.
    fileprivate var receiptCode: Int64 {
        switch self {
        case .nonConsumable: 0
        case .consumable: 1
        case .nonRenewingSubscription: 2
        case .autoRenewableSubscription: 3
        }
    }
}
