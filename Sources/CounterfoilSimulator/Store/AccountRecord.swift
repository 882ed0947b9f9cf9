// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// An Apple account as the store keeps it.
struct AccountRecord: Sendable {
    var name: String
    var storefront: Int32
    var isChild = false

    /// Whether its renewals fail.
    var isBillingFailing = false
    var hasRescindedConsent = false

    /// The family's number; -1 in none.
    var family: Int32 = -1

    /// When the app was first obtained.
    var created: Instant

    /// Positions in the store, oldest first.
    var transactions: [Int32] = []
    var subscriptions: [Int32] = []
    var devices: [SimulatedDevice] = []

    /// Products whose promotion was tapped and that the app has not been told of.
    var intents: [Int32] = []
}

/// Accounts that share what they buy.
struct FamilyRecord: Sendable {
    var organizer: Int32
    var members: [Int32]
}
