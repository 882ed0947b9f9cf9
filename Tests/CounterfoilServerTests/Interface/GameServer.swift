// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilHTTP
import CounterfoilSimulator
import CounterfoilTestSupport
import CounterfoilTrust
import Synchronization
import Testing

@testable import CounterfoilEngine
@testable import CounterfoilServer

/// A machine without a network.
struct NoNetwork: HTTPTransport {
    func send(
        _ request: OutgoingRequest, deadline: Duration
    ) async throws(HTTPTransportError) -> HTTPResponse {
        throw HTTPTransportError(.connect, "there is no network")
    }
}

/// A studio's server that talks to the whole interface of one app, without a socket between.
struct GameServer {
    struct Answer {
        let status: Int
        let headers: HTTPHeaders
        let json: JSONValue

        /// Status, reason and client action of a purchase.
        var words: String {
            ["status", "reason", "client"].compactMap { json[$0]?.string }.joined(separator: " ")
        }
    }

    static let bundleID = "com.example.counterfoil"
    static let catalogue = """
        {
          units: [{ id: "coins", kind: "currency", held_by: "counterfoil" }],
          products: [
            { id: "coins100", type: "consumable", goods: [{ unit: "coins", amount: 100 }] },
            { id: "noads", type: "non_consumable", goods: [{ entitlement: "no_ads" }] },
          ],
        }
        """

    let clock = ManualClock()

    /// Where requests come from.
    var address = "127.0.0.1"
    let engine: Engine
    let keys: KeyRing
    let courier: Courier
    private let logged = LoggedLines()
    let routes: [Route]

    /// The catalogue file.
    let file: CatalogueFile
    private let handler: RoutedHandler
    private let key: String

    /// By which the studio signs customer tokens.
    static let tokenSecret = Array("a secret of thirty-two bytes, or more".utf8)
    private let folder = TemporaryFolder()

    /// A simulated app, or with Apple's roots one that takes real receipts.
    init(
        bundleID: String = GameServer.bundleID, catalogue: String = GameServer.catalogue,
        trust: TrustStore? = nil,
        deliverFrom: Instant = TestAuthority.clock.now - .seconds(86_400),
        rates: RateLimits = .none, trustedProxies: TrustedProxies = .none,
        allowsAnonymousCustomers: Bool = true, on database: (any Database)? = nil,
        transport: any HTTPTransport = NoNetwork(), webhooks: WebhookRules = WebhookRules(),
        webhookTimeout: Duration = CounterfoilEngine.Limits.webhookTimeout
    ) async throws {
        let app = try AppID("game")
        let roots = try TestAuthority.shared.rootCertificates
        let store =
            try trust
            ?? TrustStore(anchors: roots.map { try TrustAnchor(parsing: $0) })
        let policy = AppPolicy(
            app: app, bundleID: try BundleID(bundleID), isSimulated: trust == nil,
            catalogue: try Catalogue(reading: Array(catalogue.utf8)), sandbox: .isolate,
            deliverFrom: [.production: deliverFrom, .sandbox: deliverFrom],
            verifier: EvidenceVerifier(trusting: store),
            clientKeys: ClientKeyPolicy(allowsAnonymousCustomers: allowsAnonymousCustomers))
        var opened = database
        if opened == nil { opened = try await DatabaseEngine.current.open(in: folder) }
        let database = try #require(opened)
        engine = try await Engine.open(
            database, policies: [policy], clock: clock, random: SystemRandom(), jobSignal: {})
        keys = KeyRing(database: database, clock: clock, random: SystemRandom())
        key = try await keys.create(for: app, label: "test").text
        let metrics = MetricsRegistry()
        let log = logged.log(clock)
        courier = Courier(
            engine: engine, transport: transport, rules: webhooks, timeout: webhookTimeout)
        let waiting = WaitingWorkMetrics(engine: engine, metrics: metrics)
        let health = Route.health(metrics: metrics, refresh: waiting.refresh) { true }
        let file = CatalogueFile(catalogue)
        self.file = file
        routes =
            Interface(
                engine: engine, courier: courier, metrics: metrics, log: log,
                catalogue: { _ throws(ConfigurationError) in try file.catalogue() }
            ).routes + health
        handler = RoutedHandler(
            router: Router(routes),
            authenticator: keys,
            customers: CustomerDoor(
                verifiers: [
                    CustomerTokenVerifier(app: app, secrets: [Self.tokenSecret], publicKeys: [])
                ], database: database),
            rates: RateLimiter(rates, metrics: metrics), trustedProxies: trustedProxies,
            clock: clock, random: SystemRandom(),
            metrics: RequestMetrics(metrics), log: log,
            onDefect: { log.failed($0, requestID: $1) })
    }

    func get(
        _ path: String, key: String? = nil, headers: HTTPHeaders = HTTPHeaders()
    ) async throws -> Answer {
        // The server's loop does so; here nobody else would.
        try await engine.numberEvents()
        return try await send(.get, path, body: [], type: nil, key: key, headers: headers)
    }

    /// What stands in the log.
    var log: [String] { logged.all }

    /// The lines of the page of metrics.
    func metrics() async throws -> [String] {
        let response = try await respond(.get, "/metrics", body: [], type: nil, key: nil)
        return String(decoding: response.body, as: UTF8.self).split(separator: "\n").map(
            String.init)
    }

    func post(
        _ path: String, _ json: JSONValue, key: String? = nil,
        headers: HTTPHeaders = HTTPHeaders()
    ) async throws -> Answer {
        try await send(
            .post, path, body: json.utf8, type: "application/json", key: key, headers: headers)
    }

    func send(
        _ method: HTTPMethod, _ path: String, body: [UInt8], type: String?, key: String?,
        headers: HTTPHeaders = HTTPHeaders()
    ) async throws -> Answer {
        let response = try await respond(
            method, path, body: body, type: type, key: key, headers: headers)
        return Answer(
            status: response.status, headers: response.headers,
            json: try JSONValue(parsing: response.body))
    }

    private func respond(
        _ method: HTTPMethod, _ path: String, body: [UInt8], type: String?, key: String?,
        headers: HTTPHeaders = HTTPHeaders()
    ) async throws -> HTTPResponse {
        var headers = headers
        headers["Authorization"] = "Bearer \(key ?? self.key)"
        headers["Content-Type"] = type
        return await handler.respond(
            to: HTTPRequest(
                method: method, target: try #require(HTTPTarget(path)), headers: headers,
                body: body,
                remoteAddress: address))
    }

    /// A purchase of an hour ago.
    func purchase(_ product: String = "coins100", _ id: String = "T1") -> SimulatedPurchase {
        SimulatedPurchase(
            environment: .production, bundleID: Self.bundleID, transactionID: id,
            productID: product, kind: product == "noads" ? .nonConsumable : .consumable,
            purchaseDate: clock.now - .seconds(3600))
    }

    func submit(_ purchase: SimulatedPurchase, for customer: String = "u1") async throws -> Answer {
        let token = try TestAuthority.shared.signedTransaction(purchase)
        return try await post(
            "/v1/purchases",
            ["customer_id": .string(customer), "signed_transaction": .string(token)])
    }
}

/// The text of a catalogue file, which somebody may edit.
final class CatalogueFile: Sendable {
    private let text: Mutex<String>

    init(_ text: String) {
        self.text = Mutex(text)
    }

    func set(_ text: String) {
        self.text.withLock { $0 = text }
    }

    func catalogue() throws(ConfigurationError) -> Catalogue {
        let bytes = Array(text.withLock { $0 }.utf8)
        do throws(CatalogueError) {
            return try Catalogue(reading: bytes)
        } catch {
            let lines = error.faults.map { "catalog.json:\($0.line): \($0.finding)" }
            throw ConfigurationError(lines.joined(separator: "\n"))
        }
    }
}
