// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
import CounterfoilCrypto

/// What an app receipt shall say.
public struct SimulatedReceipt: Hashable, Sendable {
    /// The container that the receipt is signed in.
    public enum Form: Hashable, Sendable, CaseIterable {
        /// As the App Store signs since 2023.
        case sha256

        /// As the App Store signed before, and in sandbox until 2024.
        case sha1

        /// As general tools sign: with signed attributes.
        case signedAttributes

        /// As Xcode signs: indefinite lengths, payload in pieces and out of order.
        case xcode
    }

    /// The app that the receipt is for.
    public var bundleID: String

    /// `Production`, `ProductionSandbox`, `ProductionVPP`, `ProductionVPPSandbox` or `Xcode`; nil
    /// leaves the attribute out.
    public var receiptType: String?

    /// The numeric id of the app; 0 in sandbox.
    public var appAppleID: Int64 = 0

    /// The version of the app that runs.
    public var applicationVersion = "1"

    /// When the receipt was made; nil leaves the attribute out.
    public var creationDate: Instant?

    /// When the app was first bought.
    public var originalPurchaseDate: Instant?

    /// The version that was first bought.
    public var originalApplicationVersion = "1.0"

    /// The end of a volume licence.
    public var expirationDate: Instant?

    /// What the hash of attribute 5 is made of together with the bundle id.
    public var deviceID: [UInt8]

    /// The value of attribute 4.
    public var opaqueValue: [UInt8]

    /// The purchases in the order to be written.
    public var purchases: [SimulatedPurchase]

    /// Attributes beside those that the other properties make, for example unknown types.
    public var additionalAttributes: [ReceiptAttribute] = []

    /// Makes a receipt of one app in one environment.
    ///
    /// - Parameters:
    ///   - bundleID: The app.
    ///   - environment: Decides the receipt type.
    ///   - creationDate: The moment of signing; receipts keep whole seconds of it.
    ///   - purchases: The purchases in it.
    public init(
        bundleID: String, environment: AppStoreEnvironment, creationDate: Instant,
        purchases: [SimulatedPurchase] = []
    ) {
        self.bundleID = bundleID
        self.creationDate = creationDate
        self.purchases = purchases
        receiptType =
            switch environment {
            case .sandbox: "ProductionSandbox"
            default: environment.rawValue
            }
        deviceID = Array(Digest.sha256("device".utf8).prefix(16))
        opaqueValue = Array(Digest.sha256("opaque".utf8).prefix(16))
    }

    /// All attributes: the app's own, then one of type 17 for each purchase.
    public var attributes: [ReceiptAttribute] {
        let bundle = DER.utf8(bundleID)
        var list: [ReceiptAttribute] = []
        if let receiptType { list.append(.utf8(0, receiptType)) }
        list += [
            .integer(1, appAppleID),
            ReceiptAttribute(type: 2, value: bundle),
            .utf8(3, applicationVersion),
            ReceiptAttribute(type: 4, version: 2, value: opaqueValue),
            ReceiptAttribute(
                type: 5, value: Digest.hash(deviceID + opaqueValue + bundle, with: .sha1)),
        ]
        if let creationDate { list.append(.date(12, creationDate)) }
        list += [
            .integer(15, 0), .integer(16, 0),
            .date(18, originalPurchaseDate ?? creationDate),
            .utf8(19, originalApplicationVersion),
            .date(21, expirationDate),
        ]
        list += additionalAttributes
        list += purchases.map {
            ReceiptAttribute(
                type: 17, value: ReceiptAttribute.encoded($0.receiptAttributes))
        }
        return list
    }
}
