// SPDX-License-Identifier: Apache-2.0
public import CounterfoilApple
public import CounterfoilCore

/// How a refund is granted.
public struct RefundTerms: Hashable, Sendable {
    /// How much of the price goes back.
    public enum Share: Hashable, Sendable {
        /// Everything.
        case full

        /// Thousandths of a percent; 40 % is 40,000.
        case percentage(milli: Int64)

        /// So many of the quantity that was bought.
        case quantity(Int64)

        /// The share of the period that is left; auto-renewable subscriptions.
        case timeLeft
    }

    /// How much of the price goes back.
    public var share: Share

    /// 0 another reason, 1 an issue in the app.
    public var reason: RevocationReason

    /// The moment of the refund; now where nil.
    public var date: Instant?

    /// Makes terms.
    public init(
        share: Share = .full, reason: RevocationReason = .other, date: Instant? = nil
    ) {
        self.share = share
        self.reason = reason
        self.date = date
    }
}

/// A refund that a customer asked for and that is not decided.
public struct RefundCase: Hashable, Sendable {
    /// The transaction.
    public let transactionID: String

    /// Why the customer asked.
    public let reason: ConsumptionRequestReason

    /// When the customer asked.
    public let requestedAt: Instant

    /// The ids of the requests for consumption data, one per notification.
    public internal(set) var requests: [UniqueID]

    /// Apple asks for an answer until then: 12 hours after the last request.
    public internal(set) var deadline: Instant

    /// What servers answered, the oldest first, each as it was sent.
    public internal(set) var answers: [JSONValue]
}
