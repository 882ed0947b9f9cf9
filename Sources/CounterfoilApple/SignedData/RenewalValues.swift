// SPDX-License-Identifier: Apache-2.0

/// Whether a subscription will renew.
public struct AutoRenewStatus: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: Int64

    /// Wraps a value, known or not.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// It ends with the period.
    public static let off = AutoRenewStatus(rawValue: 0)

    /// It renews.
    public static let on = AutoRenewStatus(rawValue: 1)
}

/// Why a subscription ended; present only after it did.
public struct ExpirationIntent: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: Int64

    /// Wraps a value, known or not.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The customer turned renewal off.
    public static let customerCancelled = ExpirationIntent(rawValue: 1)

    /// Payment failed.
    public static let billingError = ExpirationIntent(rawValue: 2)

    /// The customer did not consent to a higher price.
    public static let priceIncreaseNotAccepted = ExpirationIntent(rawValue: 3)

    /// The product could not be bought at the time of renewal.
    public static let productUnavailable = ExpirationIntent(rawValue: 4)

    /// Anything else.
    public static let other = ExpirationIntent(rawValue: 5)
}

/// Whether the customer has agreed to a higher price.
public struct PriceIncreaseStatus: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: Int64

    /// Wraps a value, known or not.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Not answered yet.
    public static let unanswered = PriceIncreaseStatus(rawValue: 0)

    /// Consented, or only had to be told.
    public static let accepted = PriceIncreaseStatus(rawValue: 1)
}

/// What Apple says about a subscription as of the enclosing signed date.
public struct SubscriptionStatus: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: Int64

    /// Wraps a value, known or not.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Access is due.
    public static let active = SubscriptionStatus(rawValue: 1)

    /// It is over.
    public static let expired = SubscriptionStatus(rawValue: 2)

    /// Payment failed; Apple retries, no access is due.
    public static let billingRetry = SubscriptionStatus(rawValue: 3)

    /// Payment failed; access is due until the grace period ends.
    public static let gracePeriod = SubscriptionStatus(rawValue: 4)

    /// Taken back.
    public static let revoked = SubscriptionStatus(rawValue: 5)
}
