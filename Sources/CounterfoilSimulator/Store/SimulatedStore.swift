// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

/// The App Store of one app, simulated: accounts, purchases, subscriptions and time.
///
/// It is a value without threads and without output. Whoever owns it puts a lock around it, moves
/// its clock with ``advance(to:_:)``, calls verbs such as ``buy(_:_:_:)``, and takes what Apple would
/// send with ``takeNotifications()``. Equal seeds and equal calls give equal results.
///
/// A verb that throws has changed nothing. Ids are the texts that payloads carry.
public struct SimulatedStore: Sendable {
    /// What is sold.
    public let catalog: StoreCatalog

    /// How the store behaves; changes count from the next event on.
    public var settings: StoreSettings

    /// The store's time; only ``advance(to:_:)`` moves it.
    public internal(set) var now: Instant

    /// How far the dates of what is signed are from the store's time.
    public var clockSkew: Duration = .zero

    /// What Apple would have sent and nobody has taken yet, in order.
    public internal(set) var outbox: [SimulatedNotification] = []

    let random: any RandomSource
    let numbers: NumberRanges

    /// The products in catalogue order with their offers side by side.
    let shelf: [ShelfItem]
    var accounts: [AccountRecord] = []
    var accountPositions: [String: Int32] = [:]
    var families: [FamilyRecord] = []
    var storefronts: [Storefront] = []
    var transactions: [TransactionRecord] = []
    var subscriptions: [SubscriptionRecord] = []
    var pendingPurchases: [PendingPurchase] = []
    var due = DueQueue()
    var revision: Int64 = 0

    /// Products whose price or sale changed since the start, by position.
    var changedPrices: [Int32: Int64] = [:]
    var withdrawnProducts: Set<Int32> = []

    /// The family members' subscriptions that follow a buyer's.
    var followers: [Int32: [Int32]] = [:]

    /// The family members' copies of a transaction.
    var sharedCopies: [Int32: [Int32]] = [:]
    var refundCases: [Int32: RefundCase] = [:]
    var externalTokens: [ExternalTokenRecord] = []
    var extensions: [MassExtensionRecord] = []
    var advancedCommerce: [Int32: AdvancedCommerceTerms] = [:]

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - random: The source of notification ids; also decides where the ids of transactions begin,
    ///     so that two stores rarely share one.
    public init(
        catalog: StoreCatalog, settings: StoreSettings, now: Instant, random: any RandomSource
    ) {
        self.catalog = catalog
        self.settings = settings
        self.now = now
        self.random = random
        numbers = NumberRanges(
            environment: settings.environment,
            offset: random.bytes(4).reduce(0) { $0 << 8 | Int64($1) })
        let groups = Dictionary(
            catalog.groups.enumerated().map { ($0.element.id, Int32($0.offset)) },
            uniquingKeysWith: { first, _ in first })
        shelf = catalog.products.map { product in
            ShelfItem(
                product: product, offers: product.offers,
                group: product.subscription.flatMap { groups[$0.groupID] } ?? -1)
        }
    }

    /// Takes what Apple would have sent since the last time, in order.
    public mutating func takeNotifications() -> [SimulatedNotification] {
        let taken = outbox
        outbox = []
        return taken
    }

    /// The date that is put on what is signed now.
    public var signingDate: Instant { now + clockSkew }
}

/// A product with what is looked up for each period.
struct ShelfItem: Sendable {
    let product: StoreProduct
    let offers: [StoreOffer]

    /// The position of the group in the catalogue; -1 for one-time products.
    let group: Int32
}

/// Where the ids of one store begin: an id is the range's start plus a position.
struct NumberRanges: Sendable {
    let firstTransaction: Int64
    let firstLineItem: Int64
    let firstAppTransaction: Int64

    /// Apple's production ids have fifteen digits, those of the sandbox sixteen that begin with 2.
    init(environment: AppStoreEnvironment, offset: Int64) {
        firstTransaction =
            (environment == .production ? 400_000_000_000_000 : 2_000_000_000_000_000)
            + offset * 10_000
        // No store makes so many transactions that the two meet.
        firstLineItem = firstTransaction + 50_000_000_000_000
        firstAppTransaction = 704_000_000_000_000_000 + offset * 1_000_000
    }

    func position(of id: String, from first: Int64, count: Int) -> Int? {
        guard let number = Int64(id), number >= first, number - first < Int64(count),
            String(number) == id
        else { return nil }
        return Int(number - first)
    }
}
