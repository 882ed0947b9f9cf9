// SPDX-License-Identifier: Apache-2.0

/// Where a fact was found; of copies signed at the same moment the higher rank counts.
public struct FactKind: Hashable, Sendable, Comparable, CustomStringConvertible {
    private enum Value: String, CaseIterable {
        case receipt
        case verifyReceiptAnswer = "verify-receipt-answer"
        case clientJWS = "client-jws"
        case notification
        case serverAPI = "server-api"
    }

    private let value: Value

    /// An entry of an app receipt.
    public static let receipt = FactKind(value: .receipt)

    /// An answer of verifyReceipt that this server fetched.
    public static let verifyReceiptAnswer = FactKind(value: .verifyReceiptAnswer)

    /// A signed transaction that a client handed in.
    public static let clientJWS = FactKind(value: .clientJWS)

    /// A signed transaction inside a notification.
    public static let notification = FactKind(value: .notification)

    /// A signed transaction that this server fetched from the App Store Server API.
    public static let serverAPI = FactKind(value: .serverAPI)

    private init(value: Value) {
        self.value = value
    }

    /// Reads the name under which a kind is stored; nil for any other text.
    public init?(rawValue: String) {
        guard let value = Value(rawValue: rawValue) else { return nil }
        self.value = value
    }

    /// The stable name, for example `client-jws`.
    public var rawValue: String { value.rawValue }

    /// From 1, a receipt, to 5, the Server API.
    public var rank: Int {
        switch value {
        case .receipt: 1
        case .verifyReceiptAnswer: 2
        case .clientJWS: 3
        case .notification: 4
        case .serverAPI: 5
        }
    }

    /// What this kind of evidence can say at all; its silence about anything else means nothing.
    public var groups: FactGroups {
        switch value {
        case .receipt: [.identity, .revocation, .expiry]
        case .verifyReceiptAnswer: FactGroups.all.subtracting([.price, .refundTerms])
        case .clientJWS, .notification, .serverAPI: .all
        }
    }

    /// Orders by rank.
    public static func < (lhs: FactKind, rhs: FactKind) -> Bool { lhs.rank < rhs.rank }

    /// The stable name.
    public var description: String { rawValue }
}
