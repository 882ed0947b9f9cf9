// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// One purchase in an app receipt (attribute 17).
public struct InAppPurchase: Hashable, Sendable {
    /// Every attribute in payload order, the unknown ones too.
    public let attributes: [ReceiptAttribute]

    /// 1701.
    public let quantity: Int64?

    /// 1702.
    public let productID: ProductID?

    /// 1703. Digits from the App Store; a small counter, even `0`, from Xcode.
    public let transactionID: TransactionID?

    /// 1704.
    public let purchaseDate: Instant?

    /// 1705. Xcode leaves it out for a first purchase; then it is the transaction id.
    public let originalTransactionID: OriginalTransactionID?

    /// 1706. Left out as 1705; then it is the purchase date.
    public let originalPurchaseDate: Instant?

    /// 1707, which Apple does not document: 0 non-consumable, 1 consumable, 2 non-renewing,
    /// 3 auto-renewable, 4 free subscription.
    public let productTypeCode: Int64?

    /// 1708; nil for anything but a subscription.
    public let expiresDate: Instant?

    /// 1711 as text; nil for none, which Apple writes as 0.
    public let webOrderLineItemID: String?

    /// 1712: when the money went back.
    public let cancellationDate: Instant?

    /// 1713.
    public let isTrialPeriod: Bool?

    /// 1719.
    public let isInIntroOfferPeriod: Bool?

    /// 1721.
    public let promotionalOfferID: String?

    /// Reads the SET of one purchase.
    init(_ octets: ArraySlice<UInt8>, place: String) throws(ReceiptPayloadError) {
        let table = try Self.table(octets, place: place)
        attributes = table.attributes
        quantity = try table.integer(1701)
        productID = try table.identifier(1702)
        transactionID = try table.identifier(1703)
        purchaseDate = try table.date(1704)
        let original: OriginalTransactionID? = try table.identifier(1705)
        let own: OriginalTransactionID? = try table.identifier(1703)
        originalTransactionID = original ?? own
        originalPurchaseDate = try table.date(1706) ?? purchaseDate
        productTypeCode = try table.integer(1707)
        expiresDate = try table.date(1708)
        webOrderLineItemID = try table.integer(1711).flatMap { $0 == 0 ? nil : String($0) }
        cancellationDate = try table.date(1712)
        isTrialPeriod = table.lenient { try $0.flag(1713) }
        isInIntroOfferPeriod = table.lenient { try $0.flag(1719) }
        promotionalOfferID = table.lenient { try $0.text(1721) }
    }

    private static func table(
        _ octets: ArraySlice<UInt8>, place: String
    ) throws(ReceiptPayloadError) -> AttributeTable {
        var table = AttributeTable(place: "\(place), ", known: 1701...1722)
        var walk = try ReceiptAttributes(octets, place: place)
        while let attribute = try walk.next() { try table.append(attribute) }
        return table
    }

    /// The type, as far as the number is known and means one of Apple's four.
    public var type: ProductType? {
        switch productTypeCode {
        case 0: .nonConsumable
        case 1: .consumable
        case 2: .nonRenewing
        case 3: .autoRenewable
        default: nil
        }
    }
}
