// SPDX-License-Identifier: Apache-2.0

/// What kind of product a transaction bought, in Apple's spelling.
public struct ProductType: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Used up; each transaction is a sale of its own.
    public static let consumable = ProductType(rawValue: "Consumable")

    /// Bought once and kept.
    public static let nonConsumable = ProductType(rawValue: "Non-Consumable")

    /// A period that ends by itself.
    public static let nonRenewing = ProductType(rawValue: "Non-Renewing Subscription")

    /// A period that Apple renews.
    public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
}

/// Whether the customer paid or a family member did.
public struct OwnershipType: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The customer of the transaction paid.
    public static let purchased = OwnershipType(rawValue: "PURCHASED")

    /// A family member paid; entitlements only, never wallet goods or revenue.
    public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
}

/// Whether a person or the system caused a transaction.
public struct TransactionReason: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The customer acted; subscribing again after a lapse counts too.
    public static let purchase = TransactionReason(rawValue: "PURCHASE")

    /// The system renewed.
    public static let renewal = TransactionReason(rawValue: "RENEWAL")
}

/// How far a revocation reaches (since version 1.19 of the API).
public struct RevocationType: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// All the money went back.
    public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")

    /// Part of the money went back.
    public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")

    /// Family sharing ended; no money moved.
    public static let familyRevoke = RevocationType(rawValue: "FAMILY_REVOKE")
}

/// Why Apple gave the money back.
public struct RevocationReason: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: Int64

    /// Wraps a value, known or not.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Another reason, for example an accidental purchase.
    public static let other = RevocationReason(rawValue: 0)

    /// An actual or perceived issue within the app.
    public static let appIssue = RevocationReason(rawValue: 1)
}

/// Which kind of offer a price came from.
public struct OfferType: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: Int64

    /// Wraps a value, known or not.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// An introductory offer.
    public static let introductory = OfferType(rawValue: 1)

    /// A promotional offer.
    public static let promotional = OfferType(rawValue: 2)

    /// An offer code.
    public static let offerCode = OfferType(rawValue: 3)

    /// A win-back offer.
    public static let winBack = OfferType(rawValue: 4)
}

/// How an offer lowers the price.
public struct OfferDiscountType: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Nothing is paid.
    public static let freeTrial = OfferDiscountType(rawValue: "FREE_TRIAL")

    /// A lower price for each period.
    public static let payAsYouGo = OfferDiscountType(rawValue: "PAY_AS_YOU_GO")

    /// One payment for several periods.
    public static let payUpFront = OfferDiscountType(rawValue: "PAY_UP_FRONT")

    /// An offer code for a one-time product.
    public static let oneTime = OfferDiscountType(rawValue: "ONE_TIME")
}

/// How a commitment of twelve months is paid.
public struct BillingPlanType: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// In one sum.
    public static let billedUpfront = BillingPlanType(rawValue: "BILLED_UPFRONT")

    /// Month by month.
    public static let monthly = BillingPlanType(rawValue: "MONTHLY")
}
