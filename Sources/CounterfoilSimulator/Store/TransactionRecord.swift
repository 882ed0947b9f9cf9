// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// One transaction as the store keeps it: names are positions, so that millions fit in memory.
struct TransactionRecord: Sendable {
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt16

        static let isUpgraded = Flags(rawValue: 1)
        static let isRenewal = Flags(rawValue: 2)
        static let isShared = Flags(rawValue: 4)
        static let isFinished = Flags(rawValue: 8)
        static let isDeleted = Flags(rawValue: 16)
        static let isRestored = Flags(rawValue: 32)
        static let refundRequested = Flags(rawValue: 64)
        static let isMonthly = Flags(rawValue: 128)
    }

    /// What a refund or the end of sharing took away.
    struct Revocation: Sendable {
        var date: Instant
        var reason: Int64
        var type: RevocationWord
        var percentageMilli: Int32?
    }

    enum RevocationWord: String, Sendable {
        case full = "REFUND_FULL"
        case prorated = "REFUND_PRORATED"
        case family = "FAMILY_REVOKE"
    }

    /// The position of the first transaction of the chain; its own for a first purchase.
    var original: Int32

    /// The transaction that made the period, which a restore shares; -1 where there is no period.
    var line: Int32 = -1

    /// The buyer's transaction that this one is shared from; -1 where it was bought.
    var sharedFrom: Int32 = -1

    var account: Int32
    var product: Int32

    /// The position in the product's offers; -1 without offer.
    var offer: Int16 = -1
    var storefront: Int32
    var quantity: Int16 = 1
    var flags: Flags = []

    /// The number of the payment in a commitment; 0 without commitment.
    var billingPeriod: Int16 = 0

    var purchased: Instant
    var expires: Instant?

    /// When an upgrade replaced it.
    var upgraded: Instant?

    /// The total in thousandths; nil where nobody paid, as in a family.
    var priceMilli: Int64?

    var token: UniqueID?
    var revocation: Revocation?

    /// Counts every change of any transaction: the greatest was changed last.
    var revision: Int64 = 0
}
