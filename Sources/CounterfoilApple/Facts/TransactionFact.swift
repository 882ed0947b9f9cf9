// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// What one piece of evidence says about one transaction.
///
/// Only the groups in ``carries`` mean something: a receipt's missing price is silence, a signed
/// transaction's missing revocation is news.
public struct TransactionFact: Hashable, Sendable {
    /// The world of the purchase; never one that proves nothing.
    public let environment: AppStoreEnvironment

    /// The app that sold.
    public let bundleID: BundleID

    /// The transaction.
    public let transactionID: TransactionID

    /// The first transaction of its chain.
    public let originalTransactionID: OriginalTransactionID

    /// The product as App Store Connect names it.
    public let productID: ProductID

    /// At least 1.
    public let quantity: Int64

    /// When this transaction was charged.
    public let purchaseDate: Instant

    /// When the first transaction of the chain was charged.
    public let originalPurchaseDate: Instant

    /// The end of the paid period; subscriptions only.
    public let expiresDate: Instant?

    /// The signed type; nil where the evidence has none, or a number that is not known.
    public let type: ProductType?

    /// The UUID that the app gave to StoreKit.
    public let appAccountToken: UniqueID?

    /// Who paid.
    public let ownershipType: OwnershipType?

    /// One period of a subscription across devices; nil for none, which Apple also writes as 0.
    public let webOrderLineItemID: String?

    /// The total for the whole quantity.
    public let price: Money?

    /// The ISO 3166-1 alpha-3 code.
    public let storefront: String?

    /// Whether a higher level replaced this transaction.
    public let isUpgraded: Bool?

    /// Set while the money is given back.
    public let revocation: Revocation?

    /// When Apple signed this copy; a receipt's creation date.
    public let signedDate: Instant

    /// Where it was found.
    public let kind: FactKind

    /// Whether Apple sent it to say that a refund was undone (REFUND_REVERSED).
    public let undoesRefund: Bool

    /// Which groups the evidence can speak about.
    public var carries: FactGroups { kind.groups }

    /// Whether a missing revocation is news here: this server fetched the copy just now, or Apple sent
    /// it for that reason. Anybody can hand in another copy that was signed before the refund.
    public var canClearRevocation: Bool { kind == .serverAPI || undoesRefund }

    package init(
        environment: AppStoreEnvironment, bundleID: BundleID, transactionID: TransactionID,
        originalTransactionID: OriginalTransactionID, productID: ProductID, quantity: Int64,
        purchaseDate: Instant, originalPurchaseDate: Instant, expiresDate: Instant?,
        type: ProductType?, appAccountToken: UniqueID?, ownershipType: OwnershipType?,
        webOrderLineItemID: String?, price: Money?, storefront: String?, isUpgraded: Bool?,
        revocation: Revocation?, signedDate: Instant, kind: FactKind, undoesRefund: Bool = false
    ) {
        precondition(quantity >= 1, "a sale is of at least one")
        self.environment = environment
        self.bundleID = bundleID
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.quantity = quantity
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate
        self.expiresDate = expiresDate
        self.type = type
        self.appAccountToken = appAccountToken
        self.ownershipType = ownershipType
        self.webOrderLineItemID = webOrderLineItemID
        self.price = price
        self.storefront = storefront
        self.isUpgraded = isUpgraded
        self.revocation = revocation
        self.signedDate = signedDate
        self.kind = kind
        self.undoesRefund = undoesRefund
    }
}

/// That Apple gave money back, or ended family sharing.
public struct Revocation: Hashable, Sendable {
    /// When; a later copy may tell another moment for the same refund.
    public let date: Instant

    /// Why, where it is told.
    public let reason: RevocationReason?

    /// How far, where it is told.
    public let type: RevocationType?

    /// Thousandths of a percent of the whole quantity; 40 % is 40,000.
    public let percentageMilli: Int64?

    package init(
        date: Instant, reason: RevocationReason?, type: RevocationType?, percentageMilli: Int64?
    ) {
        self.date = date
        self.reason = reason
        self.type = type
        self.percentageMilli = percentageMilli
    }
}

/// A fact that evidence proved; only the verifier of this module makes one.
public struct VerifiedFact: Hashable, Sendable {
    /// What was proven.
    public let fact: TransactionFact

    /// The digest of the evidence's bytes: DER of a receipt, text of a JWS.
    public let evidenceSHA256: [UInt8]

    init(fact: TransactionFact, evidenceSHA256: [UInt8]) {
        self.fact = fact
        self.evidenceSHA256 = evidenceSHA256
    }
}

/// Why genuine evidence yields no fact: something that a sale's key needs is not in it.
///
/// Apple's signature stands nevertheless: the evidence is kept, and Apple can be asked.
public struct FactGap: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field in Apple's spelling, for example `bundleId`.
    public let field: String

    /// What is wrong with it.
    public let problem: String

    package init(field: String, problem: String) {
        self.field = field
        self.problem = problem
    }

    /// The sentence.
    public var description: String { "\(field) \(problem)" }
}
