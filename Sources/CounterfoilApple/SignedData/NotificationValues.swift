// SPDX-License-Identifier: Apache-2.0

/// What happened, as Apple names it; a hint, since the signed transaction decides.
public struct NotificationType: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A first subscription, or a new one after a lapse.
    public static let subscribed = NotificationType(rawValue: "SUBSCRIBED")

    /// Renewed for another period.
    public static let didRenew = NotificationType(rawValue: "DID_RENEW")

    /// Payment failed.
    public static let didFailToRenew = NotificationType(rawValue: "DID_FAIL_TO_RENEW")

    /// The grace period ended unpaid.
    public static let gracePeriodExpired = NotificationType(rawValue: "GRACE_PERIOD_EXPIRED")

    /// The subscription ended.
    public static let expired = NotificationType(rawValue: "EXPIRED")

    /// Renewal was turned on or off; access is unchanged.
    public static let didChangeRenewalStatus = NotificationType(
        rawValue: "DID_CHANGE_RENEWAL_STATUS")

    /// Another product was chosen.
    public static let didChangeRenewalPreference = NotificationType(
        rawValue: "DID_CHANGE_RENEWAL_PREF")

    /// An offer was redeemed.
    public static let offerRedeemed = NotificationType(rawValue: "OFFER_REDEEMED")

    /// A higher price was announced or accepted.
    public static let priceIncrease = NotificationType(rawValue: "PRICE_INCREASE")

    /// Money went back: take back that transaction.
    public static let refund = NotificationType(rawValue: "REFUND")

    /// A refund was refused.
    public static let refundDeclined = NotificationType(rawValue: "REFUND_DECLINED")

    /// A refund was undone: give back what was taken.
    public static let refundReversed = NotificationType(rawValue: "REFUND_REVERSED")

    /// Family sharing ended.
    public static let revoke = NotificationType(rawValue: "REVOKE")

    /// Apple asks within 12 hours how much was used.
    public static let consumptionRequest = NotificationType(rawValue: "CONSUMPTION_REQUEST")

    /// One subscription was extended.
    public static let renewalExtended = NotificationType(rawValue: "RENEWAL_EXTENDED")

    /// A mass extension ended, or failed for one subscription.
    public static let renewalExtension = NotificationType(rawValue: "RENEWAL_EXTENSION")

    /// A product that does not renew was bought.
    public static let oneTimeCharge = NotificationType(rawValue: "ONE_TIME_CHARGE")

    /// A token for purchases outside the store wants reporting.
    public static let externalPurchaseToken = NotificationType(rawValue: "EXTERNAL_PURCHASE_TOKEN")

    /// A guardian withdrew consent for a child.
    public static let rescindConsent = NotificationType(rawValue: "RESCIND_CONSENT")

    /// Advanced Commerce: names changed.
    public static let metadataUpdate = NotificationType(rawValue: "METADATA_UPDATE")

    /// Advanced Commerce: a subscription was migrated.
    public static let migration = NotificationType(rawValue: "MIGRATION")

    /// Another spelling of the migration, from Apple's change log.
    public static let migrate = NotificationType(rawValue: "MIGRATE")

    /// Advanced Commerce: the price changed.
    public static let priceChange = NotificationType(rawValue: "PRICE_CHANGE")

    /// Sent because somebody asked for it.
    public static let test = NotificationType(rawValue: "TEST")
}

/// The finer word beside the type.
public struct NotificationSubtype: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A first purchase in the group.
    public static let initialBuy = NotificationSubtype(rawValue: "INITIAL_BUY")

    /// Bought again after a lapse.
    public static let resubscribe = NotificationSubtype(rawValue: "RESUBSCRIBE")

    /// A retried payment succeeded.
    public static let billingRecovery = NotificationSubtype(rawValue: "BILLING_RECOVERY")

    /// Access is due while Apple retries.
    public static let gracePeriod = NotificationSubtype(rawValue: "GRACE_PERIOD")

    /// The customer had turned renewal off.
    public static let voluntary = NotificationSubtype(rawValue: "VOLUNTARY")

    /// Retrying ended unpaid.
    public static let billingRetry = NotificationSubtype(rawValue: "BILLING_RETRY")

    /// A higher price was not accepted.
    public static let priceIncrease = NotificationSubtype(rawValue: "PRICE_INCREASE")

    /// The product could not be renewed.
    public static let productNotForSale = NotificationSubtype(rawValue: "PRODUCT_NOT_FOR_SALE")

    /// Renewal was turned on.
    public static let autoRenewEnabled = NotificationSubtype(rawValue: "AUTO_RENEW_ENABLED")

    /// Renewal was turned off.
    public static let autoRenewDisabled = NotificationSubtype(rawValue: "AUTO_RENEW_DISABLED")

    /// At once, to a higher level.
    public static let upgrade = NotificationSubtype(rawValue: "UPGRADE")

    /// With the next renewal, to a lower level.
    public static let downgrade = NotificationSubtype(rawValue: "DOWNGRADE")

    /// Not answered yet.
    public static let pending = NotificationSubtype(rawValue: "PENDING")

    /// Agreed.
    public static let accepted = NotificationSubtype(rawValue: "ACCEPTED")

    /// The end of a mass extension.
    public static let summary = NotificationSubtype(rawValue: "SUMMARY")

    /// An extension that did not work.
    public static let failure = NotificationSubtype(rawValue: "FAILURE")

    /// A token nobody has reported.
    public static let unreported = NotificationSubtype(rawValue: "UNREPORTED")

    /// A token was made.
    public static let created = NotificationSubtype(rawValue: "CREATED")

    /// A token is still active.
    public static let activeTokenReminder = NotificationSubtype(rawValue: "ACTIVE_TOKEN_REMINDER")
}

/// Why the customer asked for a refund.
public struct ConsumptionRequestReason: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Bought by mistake.
    public static let unintendedPurchase = ConsumptionRequestReason(rawValue: "UNINTENDED_PURCHASE")

    /// Not delivered, or not as promised.
    public static let fulfillmentIssue = ConsumptionRequestReason(rawValue: "FULFILLMENT_ISSUE")

    /// Not what the customer hoped for.
    public static let unsatisfiedWithPurchase = ConsumptionRequestReason(
        rawValue: "UNSATISFIED_WITH_PURCHASE")

    /// For legal reasons.
    public static let legal = ConsumptionRequestReason(rawValue: "LEGAL")

    /// Anything else.
    public static let other = ConsumptionRequestReason(rawValue: "OTHER")
}

/// What an external purchase token is for (custom links, since 2025).
public struct ExternalPurchaseTokenType: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Winning customers.
    public static let acquisition = ExternalPurchaseTokenType(rawValue: "ACQUISITION")

    /// Services of the store.
    public static let services = ExternalPurchaseTokenType(rawValue: "SERVICES")
}

/// Where an app was first obtained.
public struct Platform: OpenValue {
    /// The value as Apple spells it.
    public let rawValue: String

    /// Wraps a value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An iPhone or iPad.
    public static let iOS = Platform(rawValue: "iOS")

    /// A Mac.
    public static let macOS = Platform(rawValue: "macOS")

    /// An Apple TV.
    public static let tvOS = Platform(rawValue: "tvOS")

    /// A Vision Pro.
    public static let visionOS = Platform(rawValue: "visionOS")
}
