// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// One purchase in an app receipt (attribute 17).
public struct InAppPurchase: Hashable, Sendable {
    /// The SET of the purchase.
    private let octets: ArraySlice<UInt8>

    /// 1701.
    public private(set) var quantity: Int64?

    /// 1702.
    public private(set) var productID: ProductID?

    /// 1703; digits from the App Store, a small counter, even `0`, from Xcode.
    public private(set) var transactionID: TransactionID?

    /// 1704.
    public private(set) var purchaseDate: Instant?

    /// 1705; Xcode leaves it out for a first purchase, and then it is the transaction id.
    public private(set) var originalTransactionID: OriginalTransactionID?

    /// 1706; left out as 1705, and then it is the purchase date.
    public private(set) var originalPurchaseDate: Instant?

    /// 1707, which Apple does not document: 0 non-consumable, 1 consumable, 2 non-renewing,
    /// 3 auto-renewable, 4 free subscription.
    public private(set) var productTypeCode: Int64?

    /// 1708; nil for anything but a subscription.
    public private(set) var expiresDate: Instant?

    /// 1711 as text; nil for none, which Apple writes as 0.
    public private(set) var webOrderLineItemID: String?

    /// 1712: when the money went back.
    public private(set) var cancellationDate: Instant?

    /// 1713.
    public private(set) var isTrialPeriod: Bool?

    /// 1719.
    public private(set) var isInIntroOfferPeriod: Bool?

    /// 1721.
    public private(set) var promotionalOfferID: String?

    private static let knownTypes: ClosedRange<Int64> = 1701...1722

    /// Reads a purchase that ``check(_:in:number:)`` found nothing wrong with.
    init(_ range: Range<Int>, of payload: [UInt8]) {
        octets = payload[range]
        payload.withUnsafeBufferPointer { bytes in
            let values = AttributeValues(bytes: bytes)
            var scanner = AttributeScanner(setIn: range, of: bytes)
            while let found = scanner?.next() { take(found, values) }
        }
        originalPurchaseDate = originalPurchaseDate ?? purchaseDate
    }

    /// After the check every value reads, so nothing is lost by being lenient here.
    private mutating func take(_ found: AttributeScanner.Found, _ values: AttributeValues) {
        let place = ReceiptPlace()
        let octets = found.octets
        switch found.type {
        case 1701: quantity = values.lenient { try $0.integer(octets, place) }
        case 1702: productID = values.lenient { try $0.identifier(octets, place) }
        case 1703:
            transactionID = values.lenient { try $0.identifier(octets, place) }
            let own: OriginalTransactionID? = values.lenient { try $0.identifier(octets, place) }
            originalTransactionID = originalTransactionID ?? own
        case 1704: purchaseDate = values.lenient { try $0.date(octets, place) }
        case 1705:
            let original: OriginalTransactionID? = values.lenient {
                try $0.identifier(octets, place)
            }
            originalTransactionID = original ?? originalTransactionID
        case 1706: originalPurchaseDate = values.lenient { try $0.date(octets, place) }
        case 1707: productTypeCode = values.lenient { try $0.integer(octets, place) }
        case 1708: expiresDate = values.lenient { try $0.date(octets, place) }
        case 1711:
            let number = values.lenient { try $0.integer(octets, place) }
            webOrderLineItemID = number.flatMap { $0 == 0 ? nil : String($0) }
        case 1712: cancellationDate = values.lenient { try $0.date(octets, place) }
        case 1713: isTrialPeriod = values.lenient { try $0.integer(octets, place) }.map { $0 != 0 }
        case 1719:
            isInIntroOfferPeriod = values.lenient { try $0.integer(octets, place) }.map { $0 != 0 }
        case 1721: promotionalOfferID = values.lenient { try $0.text(octets, place) }
        default: break
        }
    }

    /// Judges a purchase without making its values, which for a receipt with hundreds takes longer
    /// than checking its signature.
    ///
    /// - Returns: Whether the encoding is plain; if not, nothing was judged.
    /// - Throws: ``ReceiptPayloadError`` if a known attribute comes twice, or if one about identity,
    ///   money or time is of the wrong form.
    static func check(
        _ range: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>, number: Int
    ) throws(ReceiptPayloadError) -> Bool {
        guard var scanner = AttributeScanner(setIn: range, of: bytes) else { return false }
        let values = AttributeValues(bytes: bytes)
        var seen: UInt32 = 0
        while let found = scanner.next() {
            guard knownTypes.contains(found.type) else { continue }
            let place = ReceiptPlace(purchase: number, attribute: found.type)
            let bit: UInt32 = 1 &<< UInt32(found.type - knownTypes.lowerBound)
            guard seen & bit == 0 else {
                throw place.error(expected: "one attribute", actual: "two")
            }
            seen |= bit
            switch found.type {
            case 1701, 1707, 1711: _ = try values.integer(found.octets, place)
            case 1702: try values.checkIdentifier(found.octets, place, as: ProductKind.self)
            case 1703: try values.checkIdentifier(found.octets, place, as: TransactionKind.self)
            case 1705:
                try values.checkIdentifier(found.octets, place, as: OriginalTransactionKind.self)
            case 1704, 1706, 1708, 1712: try values.checkDate(found.octets, place)
            default: break
            }
        }
        return !scanner.isUnusual
    }

    /// Every attribute in payload order, the unknown ones too.
    public var attributes: [ReceiptAttribute] { ReceiptAttribute.all(in: octets) }

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

extension ReceiptAttribute {
    /// The attributes of one SET in plain encoding.
    static func all(in set: ArraySlice<UInt8>) -> [ReceiptAttribute] {
        var attributes: [ReceiptAttribute] = []
        set.withUnsafeBufferPointer { bytes in
            var scanner = AttributeScanner(setIn: bytes.indices, of: bytes)
            while let found = scanner?.next() {
                let start = set.startIndex + found.octets.lowerBound
                let octets = set[start..<(start + found.octets.count)]
                attributes.append(
                    ReceiptAttribute(type: found.type, version: found.version, octets: octets))
            }
        }
        return attributes
    }
}

/// The purchases of an app receipt in payload order, which means nothing.
///
/// All of them were checked when the receipt was read; the values of one are made when it is asked for,
/// each time anew, so keep what you use more than once.
public struct InAppPurchases: RandomAccessCollection, Hashable, Sendable {
    private let payload: [UInt8]
    private let ranges: [Range<Int>]

    init(_ ranges: [Range<Int>], of payload: [UInt8]) {
        self.payload = payload
        self.ranges = ranges
    }

    /// The position of the first purchase.
    public var startIndex: Int { 0 }

    /// The position behind the last purchase.
    public var endIndex: Int { ranges.count }

    /// Reads the purchase at a position.
    public subscript(position: Int) -> InAppPurchase {
        InAppPurchase(ranges[position], of: payload)
    }
}
