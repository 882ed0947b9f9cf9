// SPDX-License-Identifier: Apache-2.0

/// Why an item has an offer.
public struct AdvancedCommerceOfferReason: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// To win a customer.
    public static let acquisition = AdvancedCommerceOfferReason(rawValue: "ACQUISITION")

    /// To win one back.
    public static let winBack = AdvancedCommerceOfferReason(rawValue: "WIN_BACK")

    /// To keep one.
    public static let retention = AdvancedCommerceOfferReason(rawValue: "RETENTION")
}

/// Why an item was refunded.
public struct AdvancedCommerceRefundReason: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Bought by mistake.
    public static let unintendedPurchase = AdvancedCommerceRefundReason(
        rawValue: "UNINTENDED_PURCHASE")

    /// Not delivered, or not as promised.
    public static let fulfillmentIssue = AdvancedCommerceRefundReason(rawValue: "FULFILLMENT_ISSUE")

    /// Not what the customer hoped for.
    public static let unsatisfiedWithPurchase = AdvancedCommerceRefundReason(
        rawValue: "UNSATISFIED_WITH_PURCHASE")

    /// For legal reasons.
    public static let legal = AdvancedCommerceRefundReason(rawValue: "LEGAL")

    /// Anything else.
    public static let other = AdvancedCommerceRefundReason(rawValue: "OTHER")

    /// The items of a subscription changed.
    public static let modifyItemsRefund = AdvancedCommerceRefundReason(
        rawValue: "MODIFY_ITEMS_REFUND")

    /// A declined refund, in the sandbox only.
    public static let simulateRefundDecline = AdvancedCommerceRefundReason(
        rawValue: "SIMULATE_REFUND_DECLINE")
}

/// How much of an item was refunded.
public struct AdvancedCommerceRefundType: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// All of it.
    public static let full = AdvancedCommerceRefundType(rawValue: "FULL")

    /// The unused part.
    public static let prorated = AdvancedCommerceRefundType(rawValue: "PRORATED")

    /// A sum that the developer named.
    public static let custom = AdvancedCommerceRefundType(rawValue: "CUSTOM")
}

/// How far the price increase of an item has come.
public struct AdvancedCommercePriceIncreaseStatus: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// It is planned.
    public static let scheduled = AdvancedCommercePriceIncreaseStatus(rawValue: "SCHEDULED")

    /// The customer has not answered.
    public static let pending = AdvancedCommercePriceIncreaseStatus(rawValue: "PENDING")

    /// The customer agreed.
    public static let accepted = AdvancedCommercePriceIncreaseStatus(rawValue: "ACCEPTED")
}
