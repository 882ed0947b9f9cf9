// SPDX-License-Identifier: Apache-2.0
public import CounterfoilApple
public import CounterfoilCore

/// Something that the App Store tells a server, with everything as it was at that moment.
///
/// Whoever sends it again sends the same value, so that its id stays; the store makes a new value
/// with a new id where Apple does, for example for each request for consumption data.
public struct SimulatedNotification: Hashable, Sendable {
    /// What it is about; Apple puts exactly one of these into a notification.
    public enum Content: Hashable, Sendable {
        case data(Data)
        case summary(Summary)
        case externalPurchaseToken(Token)
        case appData(SimulatedAppTransaction)
    }

    /// A transaction and its subscription as they were.
    public struct Data: Hashable, Sendable {
        /// Nil in a test notification.
        public var transaction: SimulatedPurchase?

        /// Subscriptions only.
        public var renewal: SimulatedRenewal?

        /// Subscriptions only.
        public var status: SubscriptionStatus?

        /// Requests for consumption data only.
        public var consumptionRequestReason: ConsumptionRequestReason?

        /// Makes the data.
        public init(
            transaction: SimulatedPurchase? = nil, renewal: SimulatedRenewal? = nil,
            status: SubscriptionStatus? = nil,
            consumptionRequestReason: ConsumptionRequestReason? = nil
        ) {
            self.transaction = transaction
            self.renewal = renewal
            self.status = status
            self.consumptionRequestReason = consumptionRequestReason
        }
    }

    /// How a mass extension ended.
    public struct Summary: Hashable, Sendable {
        /// The product.
        public var productID: String

        /// The caller's id of the request.
        public var requestIdentifier: String

        /// The storefronts asked for; nil for all.
        public var storefrontCountryCodes: [String]?

        /// Subscriptions that were extended.
        public var succeededCount: Int64

        /// Subscriptions that were not.
        public var failedCount: Int64

        /// Makes the summary.
        public init(
            productID: String, requestIdentifier: String, storefrontCountryCodes: [String]?,
            succeededCount: Int64, failedCount: Int64
        ) {
            self.productID = productID
            self.requestIdentifier = requestIdentifier
            self.storefrontCountryCodes = storefrontCountryCodes
            self.succeededCount = succeededCount
            self.failedCount = failedCount
        }
    }

    /// A token that stands for purchases outside the store.
    public struct Token: Hashable, Sendable {
        /// Begins with `SANDBOX` in the sandbox.
        public var externalPurchaseID: String

        /// When it was made.
        public var creationDate: Instant

        /// `ACQUISITION` or `SERVICES`; custom links only.
        public var type: ExternalPurchaseTokenType?

        /// Custom links only.
        public var expirationDate: Instant?

        /// Makes the token.
        public init(
            externalPurchaseID: String, creationDate: Instant,
            type: ExternalPurchaseTokenType? = nil, expirationDate: Instant? = nil
        ) {
            self.externalPurchaseID = externalPurchaseID
            self.creationDate = creationDate
            self.type = type
            self.expirationDate = expirationDate
        }
    }

    /// What happened.
    public var type: NotificationType

    /// The finer word; only some types have one.
    public var subtype: NotificationSubtype?

    /// The same however often it is sent.
    public var id: UniqueID

    /// When it was signed.
    public var signedDate: Instant

    /// The app.
    public var bundleID: String

    /// Nil outside production.
    public var appAppleID: Int64?

    /// The version of the app; only beside a transaction.
    public var bundleVersion: String?

    /// Where it happened.
    public var environment: AppStoreEnvironment

    /// What it is about.
    public var content: Content

    /// The account it is about, for a timeline; never in a payload.
    public var account: String?

    /// Makes a notification.
    public init(
        type: NotificationType, subtype: NotificationSubtype? = nil, id: UniqueID,
        signedDate: Instant, bundleID: String, appAppleID: Int64? = nil,
        bundleVersion: String? = nil, environment: AppStoreEnvironment, content: Content,
        account: String? = nil
    ) {
        self.type = type
        self.subtype = subtype
        self.id = id
        self.signedDate = signedDate
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.bundleVersion = bundleVersion
        self.environment = environment
        self.content = content
        self.account = account
    }

    /// The transaction that it is about, if there is one.
    public var transaction: SimulatedPurchase? {
        if case .data(let data) = content { data.transaction } else { nil }
    }

    /// The state of the subscription that it is about, if there is one.
    public var renewal: SimulatedRenewal? {
        if case .data(let data) = content { data.renewal } else { nil }
    }

    /// Type and subtype with a slash, for example `EXPIRED/VOLUNTARY`.
    public var name: String {
        subtype.map { "\(type.rawValue)/\($0.rawValue)" } ?? type.rawValue
    }
}
