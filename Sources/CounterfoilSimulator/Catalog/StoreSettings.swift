// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

/// How the simulated store behaves; a `.storekit` file's `settings` become this.
public struct StoreSettings: Hashable, Sendable {
    /// The app that everything is sold in.
    public var bundleID: String

    /// The numeric id of the app; payloads carry it in production only.
    public var appAppleID: Int64

    /// The app's version in notifications and app transactions.
    public var bundleVersion: String

    /// What payloads call their environment.
    public var environment: AppStoreEnvironment

    /// The storefront of new accounts.
    public var storefront: Storefront

    /// For example `en_US`.
    public var locale: String

    /// How fast subscriptions live.
    public var timeRate: TimeRate

    /// After so many renewals a subscription ends by itself, as in the sandbox; nil for never.
    public var renewalLimit: Int64?

    /// Whether new purchases wait for approval.
    public var isAskToBuyOn: Bool

    /// Whether new purchases stop half-way until they are resolved.
    public var isInterruptionOn: Bool

    /// Whether renewals fail and enter billing retry.
    public var isBillingFailing: Bool

    /// How long access lasts after a failed renewal: 3, 16 or 28 days; nil without grace.
    public var graceDays: Int64?

    /// Whether grace is for renewals from paid to paid periods only, not after a free trial.
    public var isGraceForPaidOnly: Bool

    /// Whether a first period bought with an offer is announced as `OFFER_REDEEMED`, as Apple did
    /// formerly, and not as `SUBSCRIBED`.
    public var announcesOffersAsBefore: Bool

    /// Whether the sheets are left out.
    public var areDialogsOff: Bool

    /// The shared secret of verifyReceipt and of version 1 notifications.
    public var sharedSecret: String?

    /// Failures that apps shall see, by the name of Apple's interface, for example `purchase`.
    public var failures: [String: String]

    /// Makes settings; everything has the defaults of Apple's sandbox except the speed.
    public init(
        bundleID: String, appAppleID: Int64 = 1_234_567_890, bundleVersion: String = "1.0",
        environment: AppStoreEnvironment = .sandbox, storefront: Storefront = .unitedStates,
        timeRate: TimeRate = .realTime
    ) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.bundleVersion = bundleVersion
        self.environment = environment
        self.storefront = storefront
        self.timeRate = timeRate
        locale = "en_US"
        renewalLimit = environment == .sandbox && !timeRate.isRealTime ? 12 : nil
        isAskToBuyOn = false
        isInterruptionOn = false
        isBillingFailing = false
        graceDays = nil
        isGraceForPaidOnly = false
        announcesOffersAsBefore = false
        areDialogsOff = false
        sharedSecret = nil
        failures = [:]
    }
}
