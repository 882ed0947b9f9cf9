// SPDX-License-Identifier: Apache-2.0
public import CounterfoilApple
public import CounterfoilCore

/// How a product is bought.
public struct PurchaseOptions: Hashable, Sendable {
    /// Which offer the customer uses.
    public enum Offer: Hashable, Sendable {
        /// The introductory offer where the customer may have it, else none; as the store does itself.
        case automatic

        /// None at all.
        case none

        /// The introductory offer even for a customer who had one, as a signed eligibility allows.
        case introductory

        /// The promotional offer with this id.
        case promotional(id: String)

        /// The code with this reference name.
        case code(referenceName: String)

        /// The win-back offer with this id.
        case winBack(id: String)
    }

    /// What becomes of the renewals of a purchase that is dated back.
    public enum RenewalBehavior: String, Hashable, Sendable, CaseIterable {
        /// It renews until now.
        case renewUntilNow

        /// It ends with its first period.
        case cancelImmediately
    }

    /// How many; 1 to 10 for consumables and non-renewing subscriptions.
    public var quantity: Int64 = 1

    /// The token that the app gives StoreKit.
    public var appAccountToken: UniqueID?

    /// The offer.
    public var offer: Offer = .automatic

    /// How a yearly subscription is paid; nil for one payment per period.
    public var billingPlan: BillingPlanType?

    /// A moment in the past at which it is bought.
    public var purchaseDate: Instant?

    /// Used with ``purchaseDate``.
    public var renewalBehavior: RenewalBehavior = .renewUntilNow

    /// Charges the customer while the device is told that the purchase was cancelled.
    public var isReportedCancelled = false

    /// Whether the purchase waits for a parent, whatever the settings say.
    public var asksToBuy = false

    /// One of the product, with the introductory offer where it may be had.
    public init() {}
}

/// What came of a purchase.
public struct PurchaseOutcome: Hashable, Sendable {
    /// What StoreKit tells the app.
    public enum Report: String, Hashable, Sendable, CaseIterable {
        case purchased
        case pending
        case cancelled
        case interrupted
    }

    /// What the app is told; the truth may be another.
    public let report: Report

    /// The transaction, also where the report hides it; nil where nothing was bought, and where a
    /// change of a subscription waits for the renewal.
    public let transaction: SimulatedPurchase?

    /// The id for `approve`, `decline` and `resolve`.
    public let pendingID: String?

    /// False where the customer had it already and it was only handed out again.
    public let isNew: Bool
}

/// A purchase that waits for a parent or for the customer.
public struct PendingPurchase: Hashable, Sendable {
    /// What it waits for.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        case askToBuy
        case interrupted
    }

    /// The id for `approve`, `decline` and `resolve`.
    public let id: String

    /// What it waits for.
    public let reason: Reason

    /// The account.
    public let account: String

    /// The product.
    public let productID: String

    /// How it is bought.
    public let options: PurchaseOptions

    /// Since when it waits.
    public let since: Instant
}
