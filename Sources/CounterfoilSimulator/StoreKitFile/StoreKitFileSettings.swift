// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

/// The `settings` of a `.storekit` file; what the file does not say has Xcode's default.
public struct StoreKitFileSettings: Hashable, Sendable {
    /// `_storefront`.
    public internal(set) var storefront = Storefront.unitedStates

    /// `_locale`.
    public internal(set) var locale = "en_US"

    /// `_timeRate`, or what `_compatibilityTimeRate` offers in place of one that nobody knows.
    public internal(set) var timeRate = TimeRate.realTime

    /// `_askToBuyEnabled`: new purchases wait for approval.
    public internal(set) var isAskToBuyOn = false

    /// `_billingIssuesEnabled`: new purchases stop half-way.
    public internal(set) var isInterruptionOn = false

    /// `_renewalBillingIssuesEnabled`: renewals fail.
    public internal(set) var isBillingFailing = false

    /// `_billingGracePeriodEnabled`: access goes on for a while after a failed renewal.
    public internal(set) var isGraceOn = false

    /// `_disableDialogs`: no payment sheet.
    public internal(set) var areDialogsOff = false

    /// The failures that are switched on: Apple's name of the interface, for example `purchase`, and the
    /// kind and number of the error, for example `generic 2`.
    public internal(set) var failures: [String: String] = [:]

    /// `_applicationInternalID`: the app's Apple ID in files that came from App Store Connect.
    public internal(set) var appAppleID: Int64?

    /// How the simulated store behaves under these settings.
    ///
    /// - Parameters:
    ///   - bundleID: The app, which the file does not name.
    ///   - environment: What payloads call their environment.
    public func storeSettings(
        bundleID: String, environment: AppStoreEnvironment = .sandbox
    ) -> StoreSettings {
        var settings = StoreSettings(
            bundleID: bundleID, environment: environment, storefront: storefront,
            timeRate: timeRate)
        if let appAppleID { settings.appAppleID = appAppleID }
        settings.locale = locale
        settings.isAskToBuyOn = isAskToBuyOn
        settings.isInterruptionOn = isInterruptionOn
        settings.isBillingFailing = isBillingFailing
        settings.graceDays = isGraceOn ? Self.usualGraceDays : nil
        settings.areDialogsOff = areDialogsOff
        settings.failures = failures
        return settings
    }

    /// Xcode's grace lasts sixteen days at real time, six for weekly subscriptions.
    private static let usualGraceDays: Int64 = 16
}
