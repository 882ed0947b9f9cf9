// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// The signed content of an app receipt (iOS 7 and later).
///
/// It proves this app's purchases as of its creation date and says nothing about later: a refund
/// after that date is not in it.
public struct AppReceipt: Hashable, Sendable {
    /// The payload in plain encoding.
    private let payload: [UInt8]

    /// The purchases (17).
    public let purchases: InAppPurchases

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
        let bytes = Array(payload)
        if let receipt = try AppReceipt(plain: bytes) {
            self = receipt
            return
        }
        let plain = try PlainPayload.bytes(of: bytes[...])
        guard let receipt = try AppReceipt(plain: plain) else {
            throw ReceiptPlace().error(expected: "a SET of attributes", actual: "something else")
        }
        self = receipt
    }

    /// Reads a payload in plain encoding; nil where it is not.
    private init?(plain payload: [UInt8]) throws(ReceiptPayloadError) {
        guard let layout = try PayloadLayout(payload) else { return nil }
        self.payload = payload
        purchases = InAppPurchases(layout.purchases, of: payload)
        let reader = layout.reader(of: payload)
        receiptType = try reader.strict(0) { values, octets, place throws(ReceiptPayloadError) in
            try values.text(octets, place)
        }
        bundleID = try reader.strict(2) { values, octets, place throws(ReceiptPayloadError) in
            try values.identifier(octets, place)
        }
        creationDate = try reader.strict(12) { values, octets, place throws(ReceiptPayloadError) in
            try values.date(octets, place)
        }
        appItemID = reader.lenient(1) { try $0.integer($1, $2) }
        bundleIDOctets = reader.octets(2)
        applicationVersion = reader.lenient(3) { try $0.text($1, $2) }
        opaqueValue = reader.octets(4)
        deviceHash = reader.octets(5)
        originalPurchaseDate = reader.lenient(18) { try $0.date($1, $2) }
        originalApplicationVersion = reader.lenient(19) { try $0.text($1, $2) }
        let expiry = reader.lenient(21) { try $0.date($1, $2) }
        expirationDate = expiry.flatMap { $0 < Self.endOfTime ? $0 : nil }
    }

    /// No volume licence ends after the year 4000.
    private static let endOfTime = Instant(secondsSinceEpoch: 64_060_588_800)

    /// Every attribute but the purchases, in payload order, the unknown ones too.
    public var attributes: [ReceiptAttribute] {
        ReceiptAttribute.all(in: payload[...]).filter { $0.type != PayloadLayout.purchaseType }
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
