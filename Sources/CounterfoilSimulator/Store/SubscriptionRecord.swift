// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// A customer's subscription of one group, from the first purchase on and over every lapse.
struct SubscriptionRecord: Sendable {
    enum State: UInt8, Sendable {
        case active
        case grace
        case retry
        case expired
        case revoked

        /// Whether a period runs or Apple still tries to be paid.
        var isOpen: Bool { self == .active || self == .grace || self == .retry }
    }

    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8

        static let autoRenews = Flags(rawValue: 1)
        static let usedIntroductoryOffer = Flags(rawValue: 2)
        static let wasPaid = Flags(rawValue: 4)
        static let isMonthly = Flags(rawValue: 8)
        static let isBillingFailing = Flags(rawValue: 16)
    }

    enum PriceConsent: UInt8, Sendable {
        case none
        case unanswered
        case refused
        case accepted
    }

    var account: Int32

    /// The position of the group in the catalogue.
    var group: Int32
    var original: Int32
    var latest: Int32
    var product: Int32
    var nextProduct: Int32
    var state = State.active
    var flags: Flags = [.autoRenews]

    /// The offer of the running period and its payments that are still to come.
    var offer: Int16 = -1
    var offerPeriodsLeft: Int16 = 0

    /// The offer of ``nextProduct`` that begins with the next renewal.
    var nextOffer: Int16 = -1

    /// Periods are counted from here, so that the 31st comes back after a short month.
    var anchor: Instant
    var anchoredPeriods: Int32 = 0
    var anchorPeriod: StorePeriod?

    var periodEnd: Instant
    var graceEnd: Instant?
    var retryEnd: Instant?
    var streakStart: Instant
    var endedAt: Instant?

    /// What a regular period costs this customer.
    var priceMilli: Int64
    var pendingPriceMilli: Int64?
    var priceConsent = PriceConsent.none

    /// Apple's number of the reason; 0 while it runs.
    var expirationIntent: Int64 = 0
    var renewals: Int32 = 0
    var token: UniqueID?

    /// The payments made in a commitment; 0 without.
    var billingPeriod: Int16 = 0
    var commitmentEnd: Instant?

    /// The last two extensions, the newest first.
    var extended: Instant?
    var extendedBefore: Instant?

    /// The buyer's subscription that a family member's follows; -1 for the buyer's own.
    var sharedFrom: Int32 = -1

    /// Counts up with each change of what is due.
    var generation: UInt32 = 0

    func has(_ flag: Flags) -> Bool { flags.contains(flag) }
}
