// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilHTTP
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

/// A simulated App Store with one of each product, a backend's key, and a customer called Alice.
struct ServiceShop {
    var app: SimulatedAppStore
    let secret: PrivateKey
    let key: ServiceKey

    static let bundleID = "com.example.game"

    init(_ environment: AppStoreEnvironment = .sandbox) throws {
        let pair = try Self.pair.get()
        secret = pair.secret
        key = pair.key
        var settings = StoreSettings(bundleID: Self.bundleID, environment: environment)
        settings.sharedSecret = "shared"
        let store = SimulatedStore(
            catalog: try Self.catalog(), settings: settings, now: TestAuthority.clock.now,
            random: SeededRandom(seed: 5))
        app = SimulatedAppStore(
            store: store, authority: try TestAuthority.shared, keys: [key],
            random: SeededRandom(seed: 6))
        try app.store.createAccount("alice")
    }

    private static let pair = Result { try ServiceKey.make(random: SystemRandom()) }

    private static func catalog() throws -> StoreCatalog {
        try StoreCatalog(
            products: [
                StoreProduct(id: "coins", kind: .consumable, priceMilli: 990),
                StoreProduct(
                    id: "unlock", kind: .nonConsumable, priceMilli: 4_990,
                    isFamilyShareable: true),
                StoreProduct(id: "pass", kind: .nonRenewingSubscription, priceMilli: 2_990),
                StoreProduct(
                    id: "gold", kind: .autoRenewableSubscription, priceMilli: 9_990,
                    isFamilyShareable: true,
                    subscription: SubscriptionTerms(
                        groupID: "G1", level: 1, period: .month,
                        introductoryOffers: [
                            StoreOffer(kind: .introductory, mode: .freeTrial, period: .week)
                        ])),
                StoreProduct(
                    id: "silver", kind: .autoRenewableSubscription, priceMilli: 4_990,
                    subscription: SubscriptionTerms(groupID: "G1", level: 2, period: .month)),
            ],
            groups: [SubscriptionGroup(id: "G1", name: "Club")])
    }

    /// Buys for Alice and returns the transaction's id.
    @discardableResult
    mutating func buy(
        _ product: String, by account: String = "alice",
        _ change: (inout PurchaseOptions) -> Void = { _ in }
    ) throws -> String {
        var options = PurchaseOptions()
        change(&options)
        let outcome = try app.store.buy(product, by: account, options)
        app.collectNotifications()
        return try #require(outcome.transaction?.transactionID)
    }

    /// A token as a backend makes it, or changed on purpose.
    func token(
        _ change: (inout [String: JSONValue], inout [String: JSONValue]) -> Void = { _, _ in }
    ) throws -> String {
        let seconds = (app.callerTime ?? app.store.now).millisecondsSinceEpoch / 1000
        var header: [String: JSONValue] = [
            "alg": "ES256", "kid": .string(key.keyID), "typ": "JWT",
        ]
        var claims: [String: JSONValue] = [
            "iss": .string(key.issuerID), "iat": .integer(seconds), "exp": .integer(seconds + 300),
            "aud": "appstoreconnect-v1", "bid": .string(Self.bundleID),
        ]
        change(&header, &claims)
        func part(_ members: [String: JSONValue]) -> String {
            let object = JSONObject(
                members.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: $0.value) })
            return Base64.encode(JSONValue.object(object).utf8, .url)
        }
        let text = "\(part(header)).\(part(claims))"
        return text + "." + Base64.encode(try secret.rawSignature(of: Array(text.utf8)), .url)
    }

    /// Asks the services, with a good token unless another is given.
    mutating func ask(
        _ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil, token: String? = nil
    ) throws -> HTTPResponse {
        try serve(method, path, body, token: token).response
    }

    mutating func serve(
        _ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil, token: String? = nil
    ) throws -> ServiceAnswer {
        let bearer = try token ?? self.token()
        return app.answer(
            HTTPRequest(
                method: method, target: try #require(HTTPTarget(path)),
                headers: ["Authorization": "Bearer \(bearer)"], body: body?.utf8 ?? [],
                remoteAddress: "127.0.0.1"))
    }

    /// The answer of a call that must succeed.
    mutating func json(
        _ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil, status: Int = 200
    ) throws -> JSONValue {
        let response = try ask(method, path, body)
        #expect(response.status == status, "\(String(decoding: response.body, as: UTF8.self))")
        return try JSONValue(parsing: response.body)
    }

    /// The number of the error of a call that must fail.
    mutating func error(
        _ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil
    ) throws -> Int64? {
        let response = try ask(method, path, body)
        let code = try JSONValue(parsing: response.body)["errorCode"]?.int64
        #expect(code.map { Int($0 / 10_000) } == response.status)
        return code
    }

    /// The payload of a JWS that must verify under the shop's roots.
    func payload(_ value: JSONValue?) throws -> JSONValue {
        let text = try #require(value?.string)
        let verifier = EvidenceVerifier(trusting: try ServiceShop.trust())
        _ = try verifier.verify(text: text.utf8, at: app.store.now)
        let part = text.split(separator: ".")[1]
        return try JSONValue(parsing: #require(Base64.decode(part.utf8, .url)))
    }
}
