// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// The copy that a group of values came from; a greater one replaces it.
package struct FactSource: Hashable, Sendable {
    /// When Apple signed that copy.
    package var signedDate: Instant

    /// The rank of its kind; decides between copies signed at one moment.
    package var rank: Int64

    /// The digest of the evidence that holds it; decides when all else is equal, so that the result
    /// does not depend on arrival.
    package var evidence: [UInt8]

    package init(signedDate: Instant, rank: Int64, evidence: [UInt8]) {
        self.signedDate = signedDate
        self.rank = rank
        self.evidence = evidence
    }
}

extension FactSource: Comparable {
    package static func < (lhs: FactSource, rhs: FactSource) -> Bool {
        if lhs.signedDate != rhs.signedDate { return lhs.signedDate < rhs.signedDate }
        if lhs.rank != rhs.rank { return lhs.rank < rhs.rank }
        return lhs.evidence.lexicographicallyPrecedes(rhs.evidence)
    }
}

/// A group of values and where it came from.
package struct Sourced<Value: Hashable & Sendable>: Hashable, Sendable {
    package var value: Value
    package var source: FactSource

    package init(_ value: Value, from source: FactSource) {
        self.value = value
        self.source = source
    }
}

/// One transaction of Apple's as all its copies together describe it.
package struct TransactionRecord: Hashable, Sendable {
    package struct Identity: Hashable, Sendable {
        package var originalTransactionID: OriginalTransactionID
        package var productID: ProductID
        package var quantity: Int64
        package var purchaseDate: Instant
        package var originalPurchaseDate: Instant
        package var type: String?
        package var webOrderLineItemID: String?

        package init(
            originalTransactionID: OriginalTransactionID, productID: ProductID, quantity: Int64,
            purchaseDate: Instant, originalPurchaseDate: Instant, type: String?,
            webOrderLineItemID: String?
        ) {
            self.originalTransactionID = originalTransactionID
            self.productID = productID
            self.quantity = quantity
            self.purchaseDate = purchaseDate
            self.originalPurchaseDate = originalPurchaseDate
            self.type = type
            self.webOrderLineItemID = webOrderLineItemID
        }
    }

    package struct Price: Hashable, Sendable {
        package var amountMilli: Int64?
        package var currency: String?
        package var storefront: String?

        package init(amountMilli: Int64?, currency: String?, storefront: String?) {
            self.amountMilli = amountMilli
            self.currency = currency
            self.storefront = storefront
        }
    }

    package struct Ownership: Hashable, Sendable {
        package var appAccountToken: UniqueID?
        package var ownershipType: String?

        package init(appAccountToken: UniqueID?, ownershipType: String?) {
            self.appAccountToken = appAccountToken
            self.ownershipType = ownershipType
        }
    }

    /// What is known of a refund; without a date a copy that may clear one says there is none.
    package struct Revocation: Hashable, Sendable {
        package var date: Instant?

        package init(date: Instant?) {
            self.date = date
        }
    }

    /// What is known of a refund beside that it is one; a receipt does not tell it.
    package struct RefundTerms: Hashable, Sendable {
        package var date: Instant
        package var reason: Int64?
        package var type: String?

        /// Thousandths of a percent of the whole quantity; nil for all of it.
        package var percentageMilli: Int64?

        package init(date: Instant, reason: Int64?, type: String?, percentageMilli: Int64?) {
            self.date = date
            self.reason = reason
            self.type = type
            self.percentageMilli = percentageMilli
        }
    }

    package struct Parking: Hashable, Sendable {
        package var reason: String
        package var cause: String

        package init(reason: String, cause: String) {
            self.reason = reason
            self.cause = cause
        }
    }

    package let app: AppID
    package let environment: AppStoreEnvironment
    package let transactionID: TransactionID
    package var identity: Sourced<Identity>
    package var expiresDate: Sourced<Instant?>?
    package var isUpgraded: Sourced<Bool?>?
    package var price: Sourced<Price>?
    package var ownership: Sourced<Ownership>?
    package var revocation: Sourced<Revocation>?

    /// The terms of the refund that was signed last among those that any copy told.
    package var lastRefundTerms: Sourced<RefundTerms>?

    /// Every refund that any copy told, and every reversal.
    package var refundHistory = RefundHistory()

    /// The customer that this transaction was found to belong to, and by what.
    package var owner: UniqueID?
    package var ownerSource: String?
    package var sale: String?

    /// The order that it was found to be the payment of.
    package var order: UniqueID?

    /// Why nothing was granted yet although the transaction is genuine, and what it waits for: a
    /// product, a token, or nothing in particular (empty).
    package var parking: Parking?
    package var createdAt: Instant

    package init(
        app: AppID, environment: AppStoreEnvironment, transactionID: TransactionID,
        identity: Sourced<Identity>, createdAt: Instant
    ) {
        self.app = app
        self.environment = environment
        self.transactionID = transactionID
        self.identity = identity
        self.createdAt = createdAt
    }

    package var isRevoked: Bool { revocation?.value.date != nil }

    /// The terms of the refund that stands, if any copy told them. A receipt knows a refund by its second
    /// only, and one of another second is another refund.
    package var refundTerms: RefundTerms? {
        guard let date = revocation?.value.date, let terms = lastRefundTerms?.value,
            terms.date.wholeSeconds == date.wholeSeconds
        else { return nil }
        return terms
    }

    /// Whether it was not settled before, as far as it shows.
    package var isFresh: Bool { sale == nil && parking == nil && owner == nil }
}

extension Instant {
    /// Whole seconds since 1970, which is all that a receipt tells.
    package var wholeSeconds: Int64 {
        let (quotient, rest) = millisecondsSinceEpoch.quotientAndRemainder(dividingBy: 1000)
        return rest < 0 ? quotient - 1 : quotient
    }
}
