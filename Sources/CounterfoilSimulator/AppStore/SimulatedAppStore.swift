// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
public import CounterfoilCore
public import CounterfoilCrypto
public import CounterfoilHTTP

/// The whole simulated App Store as one value: what was bought, who signs, Apple's services, and the
/// notifications on their way.
///
/// It has no threads, no sockets and no clock of its own. Verbs are those of ``store``; after each of
/// them ``collectNotifications()`` brings what Apple would send into ``outbox``.
public struct SimulatedAppStore: Sendable {
    /// Which notifications the app's server gets.
    public enum NotificationVersion: String, Hashable, Sendable, CaseIterable {
        /// None: no address is configured.
        case off
        /// Plain JSON with the shared secret.
        case v1
        /// Signed.
        case v2
    }

    /// In which order verifyReceipt lists what a customer has; Apple promises none.
    public enum ReceiptOrder: String, Hashable, Sendable, CaseIterable {
        case newestFirst = "newest_first"
        case oldestFirst = "oldest_first"
        /// By the digits of the ids read backward, which is no order at all.
        case scattered
    }

    /// Accounts, purchases, subscriptions and time.
    public var store: SimulatedStore

    /// What signs in order; its roots are what a simulated app trusts.
    public private(set) var authority: Authority

    /// What signs now, which may have a fault that a test asked for.
    public private(set) var signing: Authority

    /// The keys that requests to the App Store Server API may be signed with.
    public var keys: [ServiceKey]

    /// Notifications on their way.
    public var outbox: NotificationOutbox

    /// Which notifications are sent.
    public var notificationVersion = NotificationVersion.v2

    /// Whether the app was ever released: before, production answers 401 to everything.
    public var isReleased = true

    /// The time of those who call, where it is not the store's: tokens and rate limits go by it.
    public var callerTime: Instant?

    /// The order of verifyReceipt's lists.
    public var receiptOrder = ReceiptOrder.newestFirst

    /// Whether verifyReceipt does not know `exclude-old-transactions`, as on a day in May 2023.
    public var ignoresExcludeOldTransactions = false

    /// What backends said about refunds, oldest first; the last ``Limits/maximumConsumptionReports``.
    public internal(set) var consumptionReports: [ConsumptionReport] = []

    /// Why the API answered 401 last, which Apple tells nobody.
    public internal(set) var lastRefusal: String?

    var faults = FaultPlan()
    var limiter = RateLimiter()
    var testNotifications: [String: Int] = [:]
    let random: any RandomSource

    /// Opens the services of a store.
    public init(
        store: SimulatedStore, authority: Authority, keys: [ServiceKey] = [],
        random: any RandomSource
    ) {
        self.store = store
        self.authority = authority
        signing = authority
        self.keys = keys
        self.random = random
        outbox = NotificationOutbox(
            plan: store.settings.environment == .production ? .production : .sandbox)
    }

    /// Makes a failure wait for calls.
    public mutating func inject(_ fault: InjectedFault) { faults.add(fault) }

    /// Takes the failures of an endpoint away, or all of them.
    public mutating func clearFaults(of endpoint: Endpoint? = nil) { faults.clear(endpoint) }

    /// The failures that wait for calls.
    public var injectedFaults: [InjectedFault] { faults.faults }

    /// Limits an endpoint's calls per hour; nil brings Apple's limit back.
    public mutating func limit(_ endpoint: Endpoint, callsPerHour: Int64?) {
        limiter.overrides[endpoint] = callsPerHour
    }

    /// Replaces certificates by new ones under the same roots; ends a fault of the chain.
    ///
    /// - Throws: ``CryptoError`` if the library makes no keys.
    public mutating func rotate(_ rotation: Authority.Rotation) throws(CryptoError) {
        authority = try authority.rotated(
            rotation, clock: FixedClock(store.signingDate), random: random)
        signing = authority
    }

    /// Signs with certificates that have a fault, or in order again.
    ///
    /// - Throws: ``CryptoError`` if the library makes no keys.
    public mutating func present(_ fault: ChainFault?) throws(CryptoError) {
        guard let fault else {
            signing = authority
            return
        }
        signing = try authority.presenting(
            fault, clock: FixedClock(store.signingDate), random: random)
    }

    /// Answers a request of a backend as the App Store would.
    ///
    /// The path may begin with `/production` or `/sandbox`; without it the store's own environment is
    /// asked.
    public mutating func answer(_ request: HTTPRequest) -> ServiceAnswer {
        var segments = request.target.segments[...]
        var environment = store.settings.environment
        if let named = Self.prefixes[segments.first ?? ""] {
            environment = named
            segments = segments.dropFirst()
        }
        if segments == ["verifyReceipt"], request.method != .post {
            return ServiceAnswer(.json(["status": .integer(ReceiptStatus.notJSON)]))
        }
        guard let call = Call(request.method, segments) else {
            return ServiceAnswer(.text("Not Found\n", status: 404))
        }
        let fault = faults.next(call.endpoint)
        if let response = fault?.response(at: callTime) { return ServiceAnswer(response) }
        var answer = ServiceAnswer(respond(to: call, request, in: environment))
        if answer.response.status == 401 { answer.refusal = lastRefusal }
        return fault.map { answer.spoilt(by: $0) } ?? answer
    }

    private var callTime: Instant { callerTime ?? store.now }

    private static let prefixes: [String: AppStoreEnvironment] = [
        "production": .production, "sandbox": .sandbox,
    ]

    private mutating func respond(
        to call: Call, _ request: HTTPRequest, in environment: AppStoreEnvironment
    ) -> HTTPResponse {
        if call.endpoint == .verifyReceipt {
            return receiptAnswer(to: request.body, in: environment)
        }
        guard environment != .production || isReleased else {
            return unauthenticated("the app was never released")
        }
        do throws(BearerToken.Refusal) {
            try BearerToken.check(
                request.headers["Authorization"], keys: keys, bundleID: store.settings.bundleID,
                at: callTime)
        } catch {
            return unauthenticated(error.description)
        }
        let until = limiter.refuse(
            call.endpoint, isSandbox: environment != .production, at: callTime)
        if let until { return .rateLimited(until: until) }
        do throws(APIError) {
            guard environment == store.settings.environment else {
                throw APIError.notFound(by: call.endpoint)
            }
            return try perform(call, request)
        } catch {
            return error.response
        }
    }

    private mutating func unauthenticated(_ reason: String) -> HTTPResponse {
        lastRefusal = reason
        return .text("Unauthenticated\n\nRequest ID: \(newID())\n", status: 401)
    }

    private mutating func perform(
        _ call: Call, _ request: HTTPRequest
    ) throws(APIError) -> HTTPResponse {
        let query = request.target.query
        switch call.endpoint {
        case .verifyReceipt: return .text("Not Found\n", status: 404)
        case .transactionInfo: return try transactionInfo(call.names[0])
        case .transactionHistory: return try history(call.names[0], query, isVersion1: false)
        case .transactionHistoryV1: return try history(call.names[0], query, isVersion1: true)
        case .subscriptionStatuses: return try statuses(call.names[0], query)
        case .appTransactionInfo: return try appTransactionInfo(call.names[0])
        case .finishTransaction: return try finish(call.names[0])
        case .setAppAccountToken: return try setAppAccountToken(call.names[0], request.body)
        case .consumption: return try consumption(call.names[0], request.body)
        case .consumptionV1: return try consumptionV1(call.names[0], request.body)
        case .orderLookup: return try orderLookup(call.names[0])
        case .refundHistory: return try refundHistory(call.names[0], query)
        case .refundHistoryV1: return try refundHistoryV1(call.names[0])
        case .extendRenewal: return try extendRenewal(call.names[0], request.body)
        case .massExtendRenewal: return try massExtendRenewal(request.body)
        case .massExtensionStatus: return try massExtensionStatus(call.names[0], call.names[1])
        case .testNotification: return try requestTestNotification()
        case .testNotificationStatus: return try testNotificationStatus(call.names[0])
        case .notificationHistory: return try notificationHistory(request.body, query)
        }
    }

    /// A new id from the store's randomness.
    func newID() -> UniqueID {
        .random(random)
    }

    /// Signs a payload; a key that exists and signed before does not fail.
    func sign(_ payload: JSONValue) throws(APIError) -> String {
        do throws(CryptoError) {
            return try signing.sign(payload)
        } catch {
            throw APIError.generalInternal
        }
    }
}

extension APIError {
    /// What each call answers about an id of the other environment.
    static func notFound(by endpoint: Endpoint) -> APIError {
        switch endpoint {
        case .setAppAccountToken, .extendRenewal: .originalTransactionIDNotFound
        case .massExtensionStatus: .statusRequestNotFound
        case .testNotification: .notificationURLNotFound
        case .testNotificationStatus: .testNotificationNotFound
        case .massExtendRenewal, .notificationHistory: .appNotFound
        default: .transactionIDNotFound
        }
    }
}
