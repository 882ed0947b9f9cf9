// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import CounterfoilTrust
import Testing

@testable import CounterfoilEngine

/// One app with its engine on a database of its own, and a store that sells to it.
final class Shop: Sendable {
    // swift-format-ignore: NeverUseForceTry
    static let app = try! AppID("game")
    static let bundleID = "com.example.counterfoil"
    static let openingDay = TestAuthority.clock.now - .seconds(30 * 86_400)

    let clock: ManualClock
    let engine: Engine
    let policy: AppPolicy
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - hasManyWriters: Whether events are numbered after the commit.
    ///   - folder: Where the database lies; a shop opened in the folder of another finds the other's
    ///     books.
    ///   - database: A database of the caller's instead.
    init(
        catalogue: String = Shop.catalogue, sandbox: SandboxPolicy = .isolate,
        deliverFrom: Instant = Shop.openingDay,
        environments: [AppStoreEnvironment] = [.production, .sandbox],
        wallet: WalletPolicy = WalletPolicy(), refunds: RefundPolicy = RefundPolicy(),
        orders: OrderPolicy = OrderPolicy(), ownership: OwnershipPolicy = OwnershipPolicy(),
        hasManyWriters: Bool = false, random: any RandomSource = SystemRandom(),
        clock: ManualClock = ManualClock(), in folder: TemporaryFolder = TemporaryFolder(),
        on database: (any Database)? = nil
    ) async throws {
        let authority = try TestAuthority.shared
        let anchors = try authority.rootCertificates.map { try TrustAnchor(parsing: $0) }
        policy = AppPolicy(
            app: Self.app, bundleID: try BundleID(Self.bundleID), isSimulated: true,
            catalogue: try Catalogue(reading: Array(catalogue.utf8)), sandbox: sandbox,
            deliverFrom: Dictionary(uniqueKeysWithValues: environments.map { ($0, deliverFrom) }),
            orders: orders, verifier: EvidenceVerifier(trusting: TrustStore(anchors: anchors)),
            wallet: wallet, refunds: refunds, ownership: ownership)
        self.folder = folder
        self.clock = clock
        var books: any Database
        if let database {
            books = database
        } else {
            books = try await DatabaseEngine.current.open(in: folder, clock: clock)
        }
        if hasManyWriters { books = ManyWriterDatabase(base: books) }
        engine = try await Engine.open(
            books, policies: [policy], clock: clock, random: random,
            jobSignal: {})
    }

    /// Opens the engine of another server on the same books.
    ///
    /// - Parameters:
    ///   - database: How that server reaches them; by default as the first one does.
    ///   - clock: The clock of that server; by default it agrees with the first one's.
    func anotherServer(
        on database: (any Database)? = nil, clock: ManualClock? = nil
    ) async throws -> Engine {
        try await Engine.open(
            database ?? engine.database, policies: [policy], clock: clock ?? self.clock,
            random: SystemRandom(), jobSignal: {})
    }

    /// Opens another shop on the same books, as a restart with other settings does.
    func reopened(
        catalogue: String = Shop.catalogue, deliverFrom: Instant = Shop.openingDay,
        hasManyWriters: Bool = false
    ) async throws -> Shop {
        await engine.database.close()
        return try await Shop(
            catalogue: catalogue, deliverFrom: deliverFrom, hasManyWriters: hasManyWriters,
            in: folder)
    }

    static let catalogue = """
        {
          units: [
            { id: "coins", kind: "currency", held_by: "counterfoil" },
            { id: "sword", kind: "item", held_by: "game" },
          ],
          products: [
            { id: "coins100", type: "consumable", goods: [{ unit: "coins", amount: 100, bonus: 10 }] },
            { id: "sword1", type: "consumable", goods: [{ unit: "sword", amount: 1 }] },
            { id: "noads", type: "non_consumable", goods: [{ entitlement: "no_ads" }] },
            { id: "starter", type: "non_consumable",
              goods: [{ entitlement: "founder" }, { unit: "coins", amount: 500 }] },
            { id: "pass30", type: "non_renewing", goods: [{ entitlement: "pass", duration: "P30D" }] },
            { id: "vip", type: "auto_renewable", goods: [{ entitlement: "vip" }] },
          ],
        }
        """
}

// What the store sells.
extension Shop {
    /// A purchase an hour ago, in production.
    func purchase(
        _ product: String, _ transaction: String = "T1",
        _ kind: SimulatedPurchase.Kind = .consumable
    ) -> SimulatedPurchase {
        SimulatedPurchase(
            environment: .production, bundleID: Self.bundleID, transactionID: transaction,
            productID: product, kind: kind, purchaseDate: clock.now - .seconds(3600))
    }

    /// Hands in a signed transaction.
    ///
    /// - Parameter server: Another one on the same books.
    @discardableResult
    func submit(
        _ purchase: SimulatedPurchase, by customer: String = "u1", claiming: String? = nil,
        to server: Engine? = nil
    ) async throws -> SubmissionOutcome {
        let token = try TestAuthority.shared.signedTransaction(purchase)
        return try await submit(
            .signedTransaction(token), by: customer, claiming: claiming, to: server)
    }

    /// Hands in a receipt that holds the purchases.
    @discardableResult
    func submitReceipt(
        of purchases: [SimulatedPurchase], by customer: String = "u1", claiming: String?,
        createdAt: Instant? = nil
    ) async throws -> SubmissionOutcome {
        let receipt = SimulatedReceipt(
            bundleID: Self.bundleID, environment: .production,
            creationDate: createdAt ?? clock.now - .seconds(60), purchases: purchases)
        let bytes = try TestAuthority.shared.appReceipt(receipt)
        return try await submit(
            .receipt(Base64.encode(bytes, .standard)), by: customer, claiming: claiming)
    }

    /// Hands in and claims a purchase by a receipt that does not tell its type, as old ones do not.
    func submitUntypedReceipt(of purchase: SimulatedPurchase) async throws -> SubmissionOutcome {
        var receipt = SimulatedReceipt(
            bundleID: Self.bundleID, environment: .production,
            creationDate: clock.now - .seconds(30))
        let entry = purchase.receiptAttributes.filter { $0.type != 1707 }
        receipt.additionalAttributes = [
            ReceiptAttribute(type: 17, value: ReceiptAttribute.encoded(entry))
        ]
        let bytes = try TestAuthority.shared.appReceipt(receipt)
        return try await submit(
            .receipt(Base64.encode(bytes, .standard)), claiming: purchase.transactionID)
    }

    @discardableResult
    func submit(
        _ proof: Submission.Proof, by customer: String = "u1", claiming: String? = nil,
        to server: Engine? = nil
    ) async throws -> SubmissionOutcome {
        let submission = Submission(
            customer: try CustomerID(customer), proof: proof,
            claimedTransactionID: try claiming.map { try TransactionID($0) },
            claimedProductID: nil, address: "127.0.0.1")
        return try await (server ?? engine).submit(submission, to: policy)
    }
}

// What the books say.
extension Shop {
    func view(
        _ customer: String = "u1", in environment: AppStoreEnvironment = .production
    ) async throws -> CustomerView? {
        try await engine.customer(try CustomerID(customer), of: Self.app, in: environment)
    }

    /// What the customer has of coins, paid and bonus.
    func coins(_ customer: String = "u1") async throws -> [Int64] {
        let balance = try await view(customer)?.balances.first { $0.unit.rawValue == "coins" }
        return [balance?.paid ?? 0, balance?.bonus ?? 0]
    }

    func rights(_ customer: String = "u1") async throws -> [String] {
        try await view(customer)?.entitlements.filter(\.isActive).map(\.id.rawValue) ?? []
    }

    func eventTypes() async throws -> [String] {
        try await engine.numberEvents()
        return try await engine.events(of: Self.app, after: 0, limit: 500)
            .map { $0.json["type"]?.string ?? "" }
    }

    func count(_ query: SQL) async throws -> Int64 {
        try await engine.database.read { try $0.row(query)?.integer(0) ?? 0 }
    }

    /// Each event fits the schema that docs/events has of its type.
    func expectDocumentedEvents(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await engine.numberEvents()
        for event in try await engine.events(of: Self.app, after: 0, limit: 500) {
            let faults = try JSONSchema.faults(ofEvent: event.json)
            #expect(faults == [], sourceLocation: sourceLocation)
        }
    }

    /// Promise P4: each unit adds up to zero, each balance is the sum of its entries, and each grant
    /// stands once; nor has a rebuild anything to say.
    func expectBalancedBooks(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await expectBalancedWallets(sourceLocation: sourceLocation)
        let faults: [(String, SQL)] = [
            (
                "sales with two grants",
                """
                SELECT COUNT(*) FROM (SELECT sale FROM grants WHERE revision = 0
                GROUP BY app, environment, sale HAVING COUNT(*) > 1) AS g
                """
            ),
            (
                "sequences with gaps",
                """
                SELECT COUNT(*) FROM (SELECT customer_key FROM events
                WHERE customer_key IS NOT NULL GROUP BY app, environment, customer_key
                HAVING MAX(sequence) <> COUNT(*) OR MIN(sequence) <> 1) AS e
                """
            ),
        ]
        for (name, query) in faults {
            let found = try await count(query)
            #expect(found == 0, "\(found) \(name)", sourceLocation: sourceLocation)
        }
        try await expectDocumentedEvents(sourceLocation: sourceLocation)
        let report = try await Rebuild(engine.database).run()
        #expect(report.agrees, "\(report.json.text)", sourceLocation: sourceLocation)
    }

    /// Promise P4 of the ledger alone, so that it may be asked after each step.
    func expectBalancedWallets(
        _ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for (name, query) in Self.ledgerFaults {
            let found = try await count(query)
            #expect(found == 0, "\(found) \(name) \(comment)", sourceLocation: sourceLocation)
        }
    }

    private static let ledgerFaults: [(String, SQL)] = [
        (
            "transfers whose entries do not add up to zero",
            """
            SELECT COUNT(*) FROM (SELECT transfer_id FROM entries GROUP BY transfer_id
            HAVING SUM(amount) <> 0 OR COUNT(*) <> 2) AS t
            """
        ),
        (
            "balances that are not the sum of their entries",
            """
            SELECT COUNT(*) FROM accounts WHERE balance IS NOT NULL AND balance <>
            (SELECT COALESCE(SUM(amount), 0) FROM entries
            WHERE entries.account_id = accounts.account_id)
            """
        ),
        (
            "balances that are not what is left of their lots",
            """
            SELECT COUNT(*) FROM accounts a WHERE kind IN ('paid', 'bonus', 'debt')
            AND CASE kind WHEN 'debt' THEN -balance ELSE balance END <>
            (SELECT COALESCE(SUM(remaining), 0) FROM lots
            WHERE lots.account_id = a.account_id)
            """
        ),
        (
            "lots with more or less in them than their uses leave",
            """
            SELECT COUNT(*) FROM lots l WHERE remaining <> amount -
            (SELECT COALESCE(SUM(u.amount), 0) FROM lot_uses u WHERE u.lot_id = l.lot_id)
            """
        ),
        (
            "entries that neither make a lot nor use one",
            """
            SELECT COUNT(*) FROM entries e JOIN accounts a ON a.account_id = e.account_id
            WHERE a.kind IN ('paid', 'bonus', 'debt')
            AND CASE a.kind WHEN 'debt' THEN -e.amount ELSE e.amount END <>
            COALESCE((SELECT l.amount FROM lots l WHERE l.account_id = e.account_id
            AND l.lot_id = e.transfer_id), 0)
            - COALESCE((SELECT SUM(u.amount) FROM lot_uses u
            WHERE u.transfer_id = e.transfer_id AND u.account_id = e.account_id), 0)
            """
        ),
        (
            "balances of what is held that are not that of the open holds",
            """
            SELECT COUNT(*) FROM accounts a WHERE kind = 'held' AND balance <>
            (SELECT COALESCE(SUM(h.amount), 0) FROM holds h
            WHERE h.customer_key = a.customer_key AND h.environment = a.environment
            AND h.unit = a.unit AND h.state = 'open')
            """
        ),
        (
            "accounts below zero, or debts above it",
            """
            SELECT COUNT(*) FROM accounts WHERE kind IN ('paid', 'bonus', 'held')
            AND balance < 0 OR kind = 'debt' AND balance > 0
            """
        ),
    ]
}

extension SubmissionOutcome {
    /// The answer in the words of the interface.
    var words: String {
        [decision.status.rawValue, decision.reason?.rawValue, decision.client.rawValue]
            .compactMap(\.self).joined(separator: " ")
    }
}
