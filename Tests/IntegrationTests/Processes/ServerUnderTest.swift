// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilServer
import CounterfoilSimulator
import CounterfoilTestSupport
import Foundation
import Glibc

/// The real server in a folder of its own, which can be killed and started again.
///
/// `@unchecked Sendable`: `process`, `state` and `startCount` are touched only with `condition` held, the rest
/// is constant.
final class ServerUnderTest: @unchecked Sendable {
    private enum State {
        case down
        case up(UInt16)
        case gone
    }

    /// That the server did not start, or was ended for good.
    struct Gone: Error {}

    struct Request: Sendable {
        let headers: [String: String]
        let body: [UInt8]
    }

    static let app = "game"
    static let bundleID = "com.example.game"
    static let product = "com.example.game.coins"
    static let unit = "coins"

    /// A product that is bought once and gives a right.
    static let lasting = "com.example.game.premium"

    /// What a purchase is worth, bonus included.
    static let amount: Int64 = 110
    private static let bonus: Int64 = 10

    let folder: TemporaryFolder
    private let store: SimulatedStore
    private let key: String
    private let condition = NSCondition()
    private var process: ChildProcess?
    private var state = State.down
    private var startCount = 0

    /// Writes the configuration and makes a key; nothing runs yet.
    ///
    /// - Parameters:
    ///   - database: The member `database` of the configuration.
    ///   - limits: The member of that name, as it stands in the configuration.
    ///   - members: More members of the app, as they stand there.
    ///   - other: A server on the same database, whose key opens this one too.
    ///   - folder: Where its files lie.
    init(
        database: String = #"{ sqlite: "books.db" }"#, limits: String = "{}",
        members: String = "", beside other: ServerUnderTest? = nil,
        in folder: TemporaryFolder = TemporaryFolder()
    ) async throws {
        self.folder = folder
        store = try .shared.get()
        let text = Self.configuration(database: database, limits: limits, members: members)
        try Self.write(text, to: folder.file("counterfoil.json"))
        try Self.write(Self.catalogue, to: folder.file("catalog.json"))
        // The root of signed transactions; the load brings no receipts.
        try Self.write(store.authority.rootCertificatesPEM[0], to: folder.file("root.pem"))
        if let other {
            key = other.key
            return
        }
        let configuration = try ServerConfiguration(
            reading: Array(text.utf8), name: "counterfoil.json"
        ).resolved(in: folder.path)
        key = try await KeyRing.with(
            configuration, clock: FixedClock(store.openedAt), random: SystemRandom(),
            readSecret: { try Array(Data(contentsOf: URL(fileURLWithPath: $0))) }
        ) { keys in
            try await keys.create(for: AppID(Self.app), label: "integration tests").text
        }
    }

    /// Has its books on an engine of that kind.
    convenience init(on engine: DatabaseEngine) async throws {
        let folder = TemporaryFolder()
        switch engine {
        case .sqlite, .sqliteInline:
            try await self.init(in: folder)
        case .postgres, .postgresSerializable, .postgresInline:
            let address = try await TestPostgres.address(of: folder)
            try await self.init(
                database: #"{ postgres: "\#(address)", allow_weak_durability: true }"#, in: folder)
        }
    }

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private static func configuration(
        database: String, limits: String, members: String
    ) -> String {
        """
        {
          listen: { port: 0 }, limits: \(limits),
          database: \(database),
          webhooks: { allow_http: ["127.0.0.1"], allow_addresses: ["127.0.0.1"] },
          apps: [{
            id: "\(app)", bundle_id: "\(bundleID)", simulated: true, roots: ["root.pem"],
            catalogue: "catalog.json", deliver_from: { Production: "2020-01-01T00:00:00Z" },
            \(members)
          }],
        }
        """
    }

    private static let catalogue = """
        {
          units: [{ id: "\(unit)", kind: "currency", held_by: "counterfoil" }],
          products: [{
            id: "\(product)", type: "consumable",
            goods: [{ unit: "\(unit)", amount: \(amount - bonus), bonus: \(bonus) }],
          }, {
            id: "\(lasting)", type: "non_consumable", goods: [{ entitlement: "premium" }],
          }],
        }
        """

    var database: String { folder.file("books.db") }

    /// Starts the server and returns when it answers.
    func start() throws {
        do {
            let process = try ChildProcess(
                Installation.program, ["serve", "--config", folder.file("counterfoil.json")])
            condition.withLock {
                self.process = process
                startCount += 1
            }
            let port = try process.firstLine { line -> UInt16? in
                guard let range = line.range(of: "http://127.0.0.1:") else { return nil }
                return UInt16(line[range.upperBound...].prefix { $0.isNumber })
            }
            set(.up(port))
        } catch {
            set(.gone)
            throw error
        }
    }

    private func set(_ state: State) {
        condition.withLock {
            self.state = state
            condition.broadcast()
        }
    }

    /// The port of the running server; waits while it is being started again.
    func runningPort() throws -> UInt16 {
        condition.lock()
        defer { condition.unlock() }
        while true {
            switch state {
            case .up(let port): return port
            case .down: condition.wait()
            case .gone: throw Gone()
            }
        }
    }

    /// Ends the server at once, wherever it is.
    func kill() {
        // Clients learn of it before it happens: whoever then loses a connection waits.
        set(.down)
        let process = condition.withLock { self.process }
        process?.signal(SIGKILL)
        process?.wait()
    }

    /// Ends the server at once, and it does not come back.
    func killForGood() {
        let process = condition.withLock { self.process }
        process?.signal(SIGKILL)
        process?.wait()
        set(.gone)
    }

    /// Asks the server to stop and returns its exit status.
    func stop() -> Int32 {
        let process = condition.withLock { self.process }
        process?.signal(SIGTERM)
        return process?.wait() ?? 0
    }

    /// The memory of the running server that belongs to no file, in KB.
    func anonymousMemory() throws -> Int {
        let pid = condition.withLock { process?.pid } ?? 0
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    /// How many files and connections the running server has open.
    func openFiles() throws -> Int {
        let pid = condition.withLock { process?.pid } ?? 0
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
    }

    /// How often it was started.
    var starts: Int { condition.withLock { startCount } }

    var output: String { condition.withLock { process?.output ?? "" } }

    /// A purchase of the load, number by number.
    func purchase(_ number: Int) -> Purchase {
        Purchase(
            app: Self.app, environment: AppStoreEnvironment.production.rawValue,
            transactionID: String(2_000_000_000_000 + number), customer: "player-\(number % 17)",
            unit: Self.unit, amount: Self.amount)
    }

    /// A whole request whose body is a receipt of so many bytes that nobody signed.
    func largeRequest(byteCount: Int) -> [UInt8] {
        let body =
            Array(#"{"customer_id":"player","receipt_data":""#.utf8)
            + [UInt8](repeating: UInt8(ascii: "A"), count: byteCount & ~3) + Array(#""}"#.utf8)
        let head =
            "POST /v1/purchases HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(key)\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    /// What a client sends for it.
    ///
    /// - Parameters:
    ///   - token: The account token that the app gave to the store.
    ///   - isLasting: Whether it is of the product that is bought once.
    func request(
        for purchase: Purchase, token: UniqueID? = nil, isLasting: Bool = false
    ) throws -> Request {
        request([
            "customer_id": .string(purchase.customer),
            "signed_transaction": .string(
                try signedTransaction(of: purchase, token: token, isLasting: isLasting)),
            "transaction_id": .string(purchase.transactionID),
        ])
    }

    /// What the store says of a purchase.
    ///
    /// - Parameter isRefunded: Whether it was taken back meanwhile.
    func signedTransaction(
        of purchase: Purchase, token: UniqueID? = nil, isLasting: Bool = false,
        isRefunded: Bool = false
    ) throws -> String {
        var simulated = SimulatedPurchase(
            environment: .production, bundleID: Self.bundleID,
            transactionID: purchase.transactionID,
            productID: isLasting ? Self.lasting : Self.product,
            kind: isLasting ? .nonConsumable : .consumable, purchaseDate: store.openedAt)
        simulated.appAccountToken = token
        if isRefunded {
            simulated.revocation = .init(
                date: store.openedAt + .seconds(10), type: "REFUND_FULL")
            simulated.signedDate = store.openedAt + .seconds(20)
        }
        return try store.authority.signedTransaction(simulated)
    }

    /// The body of a notification that Apple sends on request.
    func testNotification() throws -> JSONValue {
        let payload: JSONValue = [
            "notificationType": "TEST", "notificationUUID": "00000000-0000-4000-8000-000000000001",
            "version": "2.0",
            "signedDate": .integer(store.openedAt.millisecondsSinceEpoch),
            "data": ["bundleId": .string(Self.bundleID), "environment": "Production"],
        ]
        return ["signedPayload": .string(try store.authority.sign(payload))]
    }

    /// A request with the key, and with a body if there is one.
    func request(_ body: JSONValue? = nil) -> Request {
        var headers = ["Authorization": "Bearer \(key)"]
        if body != nil { headers["Content-Type"] = "application/json" }
        return Request(headers: headers, body: body?.utf8 ?? [])
    }
}

extension ServerUnderTest {
    /// Sends one request over a connection of its own.
    func exchange(
        _ method: String, _ target: String, _ request: Request
    ) throws -> HTTPConnection.Answer {
        try HTTPConnection(port: try runningPort()).send(
            method, target, headers: request.headers, body: request.body)
    }

    /// Sends one request and returns the JSON of its answer.
    func send(_ method: String, _ target: String, _ request: Request) throws -> JSONValue {
        try JSONValue(parsing: exchange(method, target, request).body)
    }

    /// Hands in a purchase once.
    func submit(_ purchase: Purchase) throws -> HTTPConnection.Answer {
        try exchange("POST", "/v1/purchases", request(for: purchase))
    }
}

/// Who signs what the load hands in; the server judges it by the machine's clock.
struct SimulatedStore: Sendable {
    let authority: Authority
    let openedAt: Instant

    /// One for all tests, since making its keys takes a while.
    static let shared = Result {
        let now = Instant(
            millisecondsSinceEpoch: Int64(Date().timeIntervalSince1970) * 1000)
        return SimulatedStore(
            authority: try Authority(clock: FixedClock(now), random: SystemRandom()),
            openedAt: now - .seconds(60))
    }
}
