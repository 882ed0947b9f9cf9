// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilEngine
import CounterfoilSimulator
import CounterfoilTrust

/// Engines of two callers on the same books, and what the books hold after a race.
struct RaceBooks {
    private static let coins: Int64 = 100

    let trials: RaceTrials

    /// - Parameters:
    ///   - databases: One for each caller, of the same data; or the same one twice.
    ///   - authority: Signs what is handed in.
    ///   - now: A moment at which the authority's certificates are valid.
    init(
        on databases: (any Database, any Database), authority: Authority, at now: Instant
    ) async throws {
        let anchors = try authority.rootCertificates.map { try TrustAnchor(parsing: $0) }
        let app = try AppID("game")
        let policy = AppPolicy(
            app: app, bundleID: try BundleID(Material.bundleID), isSimulated: true,
            catalogue: try Catalogue(reading: Array(Self.catalogue.utf8)), sandbox: .isolate,
            deliverFrom: [.production: now - .seconds(86_400)],
            verifier: EvidenceVerifier(trusting: TrustStore(anchors: anchors)))
        func open(_ database: any Database) async throws -> Engine {
            try await Engine.open(
                database, policies: [policy], clock: FixedClock(now), random: SystemRandom(),
                jobSignal: {})
        }
        trials = RaceTrials(
            engines: (try await open(databases.0), try await open(databases.1)), policy: policy
        ) { trial in
            try authority.signedTransaction(
                SimulatedPurchase(
                    environment: .production, bundleID: Material.bundleID,
                    transactionID: String(3_000_000_000_000_000 + trial), productID: "coins",
                    kind: .consumable, purchaseDate: now - .seconds(60)))
        }
    }

    private static let catalogue = """
        {
          units: [{ id: "coins", kind: "currency", held_by: "counterfoil" }],
          products: [
            { id: "coins", type: "consumable", goods: [{ unit: "coins", amount: \(coins) }] },
          ],
        }
        """

    /// What is wrong in the books after so many trials; empty if each sale was delivered once.
    func faults(after count: Int) async throws -> [String] {
        let found = try await trials.engines.0.database.read { transaction in
            [
                "grants": try transaction.row("SELECT COUNT(*) FROM grants")?.integer(0),
                "transfers": try transaction.row("SELECT COUNT(*) FROM transfers")?.integer(0),
                "events": try transaction.row("SELECT COUNT(*) FROM events")?.integer(0),
                "coins": try transaction.row(
                    "SELECT CAST(SUM(balance) AS BIGINT) FROM accounts WHERE kind = 'paid'"
                )?.integer(0),
            ]
        }
        let expected = Int64(count)
        let amounts = [
            "grants": expected, "transfers": expected, "events": expected,
            "coins": expected * Self.coins,
        ]
        return amounts.keys.sorted().filter { found[$0] != amounts[$0] }
            .map { "\($0): \(found[$0].flatMap(\.self) ?? 0) in place of \(amounts[$0] ?? 0)" }
    }
}
