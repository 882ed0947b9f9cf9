// SPDX-License-Identifier: Apache-2.0

/// Why the simulated store does not do what it was asked.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable name for the reason.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String, CaseIterable {
            case accountUnknown = "account.unknown"
            case accountExists = "account.exists"
            case deviceUnknown = "device.unknown"
            case familyFull = "family.full"
            case familyMember = "family.member"
            case familyNotMember = "family.not_member"
            case familyNotShareable = "family.not_shareable"
            case storefrontUnknown = "storefront.unknown"
            case productUnknown = "product.unknown"
            case productNotForSale = "product.not_for_sale"
            case purchaseQuantity = "purchase.quantity"
            case purchaseSubscribed = "purchase.already_subscribed"
            case purchaseDate = "purchase.date"
            case purchaseUnknown = "purchase.unknown"
            case billingPlan = "purchase.billing_plan"
            case offerUnknown = "offer.unknown"
            case offerIneligible = "offer.ineligible"
            case transactionUnknown = "transaction.unknown"
            case transactionRefunded = "transaction.already_refunded"
            case transactionNotRefunded = "transaction.not_refunded"
            case transactionShared = "transaction.family_shared"
            case transactionNotOriginal = "transaction.not_original"
            case refundNotRequested = "refund.not_requested"
            case refundShare = "refund.share"
            case subscriptionUnknown = "subscription.unknown"
            case subscriptionState = "subscription.state"
            case priceIncrease = "price_increase.state"
            case extensionIneligible = "extension.ineligible"
            case extensionRequest = "extension.request"
            case tokenUnknown = "external_token.unknown"
            case clockBackwards = "clock.backwards"
            case clockTooFar = "clock.too_far"
        }

        private let value: Value

        private init(_ value: Value) { self.value = value }

        /// The reason's name in logs and documents, for example `product.unknown`.
        public var name: String { value.rawValue }

        /// The name.
        public var description: String { name }

        /// Every name.
        public static var names: [String] { Value.allCases.map(\.rawValue) }

        /// No Apple account has this name.
        public static let accountUnknown = Code(.accountUnknown)
        /// An Apple account has this name already.
        public static let accountExists = Code(.accountExists)
        /// The account has no such device.
        public static let deviceUnknown = Code(.deviceUnknown)
        /// A family has six members at most.
        public static let familyFull = Code(.familyFull)
        /// The account is in a family already.
        public static let familyMember = Code(.familyMember)
        /// The account is in no family, or in another one.
        public static let familyNotMember = Code(.familyNotMember)
        /// The product is not for families.
        public static let familyNotShareable = Code(.familyNotShareable)
        /// No storefront has these letters.
        public static let storefrontUnknown = Code(.storefrontUnknown)
        /// The catalogue has no such product.
        public static let productUnknown = Code(.productUnknown)
        /// The product was taken from sale.
        public static let productNotForSale = Code(.productNotForSale)
        /// The type of product is not sold in this number.
        public static let purchaseQuantity = Code(.purchaseQuantity)
        /// The customer has this subscription and it will renew.
        public static let purchaseSubscribed = Code(.purchaseSubscribed)
        /// A purchase cannot be dated in the future, too far back, or into another period.
        public static let purchaseDate = Code(.purchaseDate)
        /// No purchase waits under this id.
        public static let purchaseUnknown = Code(.purchaseUnknown)
        /// The product cannot be paid in this way.
        public static let billingPlan = Code(.billingPlan)
        /// The product has no such offer.
        public static let offerUnknown = Code(.offerUnknown)
        /// The offer is not for this customer.
        public static let offerIneligible = Code(.offerIneligible)
        /// No transaction has this id.
        public static let transactionUnknown = Code(.transactionUnknown)
        /// The transaction was refunded or revoked before.
        public static let transactionRefunded = Code(.transactionRefunded)
        /// The transaction was not refunded.
        public static let transactionNotRefunded = Code(.transactionNotRefunded)
        /// The transaction belongs to a member of the buyer's family.
        public static let transactionShared = Code(.transactionShared)
        /// The transaction is not the first of its chain.
        public static let transactionNotOriginal = Code(.transactionNotOriginal)
        /// Nobody asked for this refund.
        public static let refundNotRequested = Code(.refundNotRequested)
        /// The share is not between nothing and everything.
        public static let refundShare = Code(.refundShare)
        /// The transaction belongs to no auto-renewable subscription.
        public static let subscriptionUnknown = Code(.subscriptionUnknown)
        /// The subscription's state does not allow it.
        public static let subscriptionState = Code(.subscriptionState)
        /// No price increase waits for an answer, or the price is no increase.
        public static let priceIncrease = Code(.priceIncrease)
        /// Apple does not extend such a subscription.
        public static let extensionIneligible = Code(.extensionIneligible)
        /// The request for an extension cannot be.
        public static let extensionRequest = Code(.extensionRequest)
        /// No external purchase token has this id.
        public static let tokenUnknown = Code(.tokenUnknown)
        /// The clock cannot be moved back.
        public static let clockBackwards = Code(.clockBackwards)
        /// The clock is not moved by so much at once.
        public static let clockTooFar = Code(.clockTooFar)
    }

    /// What kind of refusal it is.
    public let code: Code

    /// The reason, safe to show.
    public let message: String

    /// What would be done instead: ids, verbs or values; the first ones where there are many.
    public let allowed: [String]

    /// Makes a refusal.
    public init(_ code: Code, _ message: String, allowed: [String] = []) {
        self.code = code
        self.message = message
        self.allowed = Array(allowed.prefix(Limits.maximumSuggestions))
    }

    /// The reason and what would be allowed.
    public var description: String {
        allowed.isEmpty ? message : "\(message); allowed: \(allowed.joined(separator: ", "))"
    }
}
