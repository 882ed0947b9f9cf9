// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// The signed content of an app receipt (iOS 7 and later).
///
/// It proves this app's purchases as of its creation date and says nothing about later: a refund
/// after that date is not in it.
public struct AppReceipt: Hashable, Sendable {
    /// Every attribute but the purchases, in payload order, the unknown ones too.
    public let attributes: [ReceiptAttribute]

    /// The purchases in payload order, which means nothing.
    public let purchases: [InAppPurchase]

    /// 0, as it is spelled: `Production`, `ProductionSandbox`, `ProductionVPP`,
    /// `ProductionVPPSandbox`, `Xcode`; nil in very old receipts.
    public let receiptType: String?

    /// 1: the store's number of the app; 0 outside production.
    public let appItemID: Int64?

    /// 2.
    public let bundleID: BundleID?

    /// 2 with tag and length, as it enters the device hash.
    public let bundleIDOctets: ArraySlice<UInt8>?

    /// 3: CFBundleVersion on iOS, CFBundleShortVersionString on macOS.
    public let applicationVersion: String?

    /// 4: raw bytes, whatever they look like.
    public let opaqueValue: ArraySlice<UInt8>?

    /// 5: SHA-1 over device, opaque value and ``bundleIDOctets``.
    public let deviceHash: ArraySlice<UInt8>?

    /// 12: the moment by which certificates are judged.
    public let creationDate: Instant?

    /// 18: when the app was first bought; always 2013-08-01 in the sandbox.
    public let originalPurchaseDate: Instant?

    /// 19: always `1.0` in the sandbox.
    public let originalApplicationVersion: String?

    /// 21: volume purchases only; nil also for the year 4001, which Xcode writes for none.
    public let expirationDate: Instant?

    /// Reads the payload.
    ///
    /// - Throws: ``ReceiptPayloadError`` if the structure is broken, if a single-valued attribute
    ///   comes twice, or if one about identity, money or time is of the wrong form.
    public init(payload: some Collection<UInt8>) throws(ReceiptPayloadError) {
        var table = AttributeTable(place: "", known: 0...25)
        purchases = try Self.read(Array(payload)[...], into: &table)
        attributes = table.attributes
        receiptType = try table.text(0)
        appItemID = table.lenient { try $0.integer(1) }
        bundleID = try table.identifier(2)
        bundleIDOctets = table.octets(2)
        applicationVersion = table.lenient { try $0.text(3) }
        opaqueValue = table.octets(4)
        deviceHash = table.octets(5)
        creationDate = try table.date(12)
        originalPurchaseDate = table.lenient { try $0.date(18) }
        originalApplicationVersion = table.lenient { try $0.text(19) }
        let expiry = table.lenient { try $0.date(21) }
        expirationDate = expiry.flatMap { $0 < Self.endOfTime ? $0 : nil }
    }

    /// No volume licence ends after the year 4000.
    private static let endOfTime = Instant(secondsSinceEpoch: 64_060_588_800)

    private static let purchaseType: Int64 = 17

    /// Puts the attributes into the table and returns the purchases.
    private static func read(
        _ payload: ArraySlice<UInt8>, into table: inout AttributeTable
    ) throws(ReceiptPayloadError) -> [InAppPurchase] {
        var purchases: [InAppPurchase] = []
        var walk = try ReceiptAttributes(payload, place: "payload")
        while let attribute = try walk.next() {
            guard attribute.type == purchaseType else {
                try table.append(attribute)
                continue
            }
            guard purchases.count < Limits.purchaseCount else {
                throw ReceiptPayloadError(
                    place: "payload", expected: "at most \(Limits.purchaseCount) purchases",
                    actual: "more")
            }
            let place = "purchase \(purchases.count + 1)"
            purchases.append(try InAppPurchase(attribute.octets, place: place))
        }
        return purchases
    }

    /// The environment that the receipt type stands for; nil where there is none, and then nothing in
    /// the receipt proves a purchase.
    public var environment: AppStoreEnvironment? {
        switch receiptType {
        case nil: nil
        case "Production", "ProductionVPP": .production
        case "ProductionSandbox", "ProductionVPPSandbox": .sandbox
        case .some(let other): AppStoreEnvironment(rawValue: other)
        }
    }
}
