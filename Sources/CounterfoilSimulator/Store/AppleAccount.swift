// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

/// A customer of the simulated store, seen from outside.
public struct AppleAccount: Hashable, Sendable {
    /// The name that tests call it by; never in a payload.
    public let name: String

    /// The country whose prices it pays.
    public let storefront: Storefront

    /// Apple's id of this account in the app.
    public let appTransactionID: String

    /// Whether every purchase waits for approval.
    public let isChild: Bool

    /// Whether its renewals fail.
    public let isBillingFailing: Bool

    /// Whether a parent withdrew consent.
    public let hasRescindedConsent: Bool

    /// The names of its family, the organizer first; empty without family.
    public let family: [String]

    /// Its devices.
    public let devices: [SimulatedDevice]

    /// When it first obtained the app.
    public let created: Instant
}

/// A device that an account is signed in on.
public struct SimulatedDevice: Hashable, Sendable {
    /// What `deviceVerificationID` gives on it; receipts are bound to it.
    public let id: UniqueID

    /// `iOS`, `macOS`, `tvOS` or `visionOS`.
    public let platform: String
}
