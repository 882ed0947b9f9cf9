// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilHTTP
import CounterfoilStore
import CounterfoilTestSupport
import CounterfoilWebhooks
import Synchronization
import Testing

@testable import CounterfoilEngine

/// A request as a receiver got it.
struct ReceivedWebhook: Sendable {
    let url: String
    let id: String
    let json: JSONValue
    let isReplay: Bool
    let signatures: String
    let byteCount: Int
    let at: Instant

    var type: String { json["type"]?.string ?? "" }
    var customer: String { json["customer_id"]?.string ?? "" }
    var sequence: Int64 { json["sequence"]?.int64 ?? 0 }
}

/// What a receiver answers, or why it does not.
enum ReceiverAnswer: Sendable {
    case status(Int, body: String = "", headers: HTTPHeaders = [:])
    case failure(HTTPTransportError.Code)

    static let ok = ReceiverAnswer.status(204)

    static func result(_ word: String) -> ReceiverAnswer {
        .status(200, body: "{\"result\": \"\(word)\"}")
    }
}

/// A receiver without a network between, which does what a script says and keeps what it got.
final class Receiver: HTTPTransport {
    typealias Script = @Sendable (_ webhook: ReceivedWebhook, _ count: Int) -> ReceiverAnswer

    private struct State {
        var script: Script
        var webhooks: [ReceivedWebhook] = []
        var secrets: [String] = []
        var refusals: [String] = []
    }

    private let clock: any WallClock
    private let state: Mutex<State>

    init(clock: any WallClock, _ script: @escaping Script = { _, _ in .ok }) {
        self.clock = clock
        state = Mutex(State(script: script))
    }

    /// What it answers from now on.
    func answer(_ script: @escaping Script) {
        state.withLock { $0.script = script }
    }

    /// What it verifies by; nothing is verified before the first secret is known.
    func know(_ secrets: [String]) {
        state.withLock { $0.secrets = secrets }
    }

    /// Everything that came, in its order.
    var all: [ReceivedWebhook] { state.withLock { $0.webhooks } }

    /// Why requests were not believed.
    var refusals: [String] { state.withLock { $0.refusals } }

    /// What came since the last call.
    func take() -> [ReceivedWebhook] {
        state.withLock { state in
            defer { state.webhooks = [] }
            return state.webhooks
        }
    }

    func send(
        _ request: OutgoingRequest, deadline: Duration
    ) async throws(HTTPTransportError) -> HTTPResponse {
        let now = clock.now
        let answer = state.withLock { state in
            let webhook = ReceivedWebhook(
                url: request.url, id: request.headers["webhook-id"] ?? "",
                json: (try? JSONValue(parsing: request.body)) ?? .null,
                isReplay: request.headers["webhook-replay"] == "1",
                signatures: request.headers["webhook-signature"] ?? "",
                byteCount: request.body.count, at: now)
            state.webhooks.append(webhook)
            if !state.secrets.isEmpty {
                let secrets = state.secrets.compactMap { try? WebhookSecret($0) }
                do throws(WebhookRefusal) {
                    _ = try WebhookVerifier(secrets: secrets).verify(
                        request.headers.fields.map { ($0.name, $0.value) }, body: request.body,
                        now: now)
                } catch {
                    state.refusals.append(error.description)
                }
            }
            return state.script(webhook, state.webhooks.count)
        }
        switch answer {
        case .status(let status, let body, let headers):
            return HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
        case .failure(let code):
            throw HTTPTransportError(code, "as the script says", wasSent: true)
        }
    }
}

/// A shop whose events go to a receiver.
struct Delivering: Sendable {
    static let url = "https://hooks.example/counterfoil"

    let shop: Shop
    let receiver: Receiver
    let courier: Courier

    init(random: any RandomSource = SeededRandom(seed: 3)) async throws {
        shop = try await Shop(random: random)
        receiver = Receiver(clock: shop.clock)
        courier = Courier(engine: shop.engine, transport: receiver, rules: WebhookRules())
    }

    var engine: Engine { shop.engine }

    /// Makes an endpoint; the receiver verifies by its secret.
    @discardableResult
    func endpoint(
        after number: Int64? = nil, _ change: (inout EndpointSettings) -> Void = { _ in }
    ) async throws -> EndpointRecord {
        var settings = EndpointSettings()
        change(&settings)
        let (made, write) = (settings, engine.endpointWrite(of: Shop.app))
        let creation = try await engine.database.write { transaction in
            try write.create(
                made, url: made.url ?? Self.url, after: number, in: transaction)
        }
        guard case .created(let endpoint) = creation else {
            throw EndpointMissing()
        }
        receiver.know([endpoint.secret])
        return endpoint
    }

    struct EndpointMissing: Error {}

    /// Runs a write about an endpoint.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (EndpointWrite, any WriteTransaction) throws -> Result
    ) async throws -> Result {
        let write = engine.endpointWrite(of: Shop.app)
        return try await engine.database.write { try body(write, $0) }
    }

    /// Holds webhooks back.
    func hold(_ product: ProductID?) async throws {
        let hold = DeliveryHold(
            app: Shop.app, product: product, note: "wrong price", createdAt: shop.clock.now)
        #expect(try await engine.database.write { try hold.begin(in: $0) })
    }

    /// Sells something and hands it in.
    func buy(_ transaction: String, by customer: String = "u1") async throws {
        let outcome = try await shop.submit(
            shop.purchase("coins100", transaction), by: customer)
        #expect(outcome.words == "fulfilled finish")
    }

    /// Sends whatever is due; what came of it.
    @discardableResult
    func send() async throws -> [ReceivedWebhook] {
        try await engine.numberEvents()
        try await courier.serveAll()
        return receiver.take()
    }

    func wait(_ duration: Duration) {
        shop.clock.advance(by: duration)
    }

    func deliveries(_ state: DeliveryState) async throws -> [DeliveryRecord] {
        try await engine.deliveries(
            of: Shop.app, state: state, endpoint: nil, after: nil, limit: 500
        ).map(\.delivery)
    }

    /// How many deliveries there are in each state that has any.
    func states() async throws -> [String: Int] {
        var states: [String: Int] = [:]
        for state in DeliveryState.allCases {
            let count = try await deliveries(state).count
            if count > 0 { states[state.rawValue] = count }
        }
        return states
    }

    func grants(_ state: GrantState) async throws -> Int {
        try await engine.grants(
            of: Shop.app, in: .production, state: state, after: nil, limit: 500
        ).count
    }
}
