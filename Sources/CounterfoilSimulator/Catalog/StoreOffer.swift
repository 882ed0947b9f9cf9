// SPDX-License-Identifier: Apache-2.0
public import CounterfoilApple

/// A lower price for some time, on one product.
public struct StoreOffer: Hashable, Sendable {
    /// How the customer pays while it lasts.
    public enum PaymentMode: String, Hashable, Sendable, CaseIterable {
        /// Nothing for ``StoreOffer/period`` times ``StoreOffer/periodCount``.
        case freeTrial = "FREE_TRIAL"

        /// The offer's price at each of ``StoreOffer/periodCount`` renewals.
        case payAsYouGo = "PAY_AS_YOU_GO"

        /// The offer's price once for ``StoreOffer/period`` times ``StoreOffer/periodCount``.
        case payUpFront = "PAY_UP_FRONT"

        /// Once, for a product that is no subscription; offer codes only.
        case oneTime = "ONE_TIME"
    }

    /// Which customers a code is for; by their history in the subscription group.
    public enum Eligibility: String, Hashable, Sendable, CaseIterable {
        /// Never subscribed.
        case new

        /// Subscribed now.
        case existing

        /// Subscribed once.
        case expired
    }

    /// Introductory, promotional, offer code or win-back: Apple's numbers 1 to 4.
    public var kind: OfferType

    /// The offer's id, or the reference name of a code; nil for introductory offers. It is not unique,
    /// not even in one product: the first with the id counts.
    public var id: String?

    /// How it is paid.
    public var mode: PaymentMode

    /// The length of one period of the offer.
    public var period: StorePeriod

    /// How many periods; 1 in most free and prepaid offers.
    public var periodCount: Int64

    /// The price of one payment in thousandths of the storefront's currency; 0 when free.
    public var priceMilli: Int64

    /// Prices that differ by storefront, under its three letters.
    public var pricesMilli: [String: Int64]

    /// Whom a code is for; everybody where empty.
    public var eligibility: Set<Eligibility>

    /// Whether a code may be used with the introductory offer.
    public var isStackable: Bool

    /// Whether lapsed customers may have a win-back offer.
    public var isWinBackOpen: Bool

    /// Makes an offer.
    public init(
        kind: OfferType, id: String? = nil, mode: PaymentMode, period: StorePeriod,
        periodCount: Int64 = 1, priceMilli: Int64 = 0, pricesMilli: [String: Int64] = [:],
        eligibility: Set<Eligibility> = [], isStackable: Bool = false, isWinBackOpen: Bool = true
    ) {
        self.kind = kind
        self.id = id
        self.mode = mode
        self.period = period
        self.periodCount = periodCount
        self.priceMilli = priceMilli
        self.pricesMilli = pricesMilli
        self.eligibility = eligibility
        self.isStackable = isStackable
        self.isWinBackOpen = isWinBackOpen
    }
}
