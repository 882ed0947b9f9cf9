// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilDatabaseSQLite
import CounterfoilEngine
import CounterfoilSimulator
import CounterfoilTestSupport
import CounterfoilTrust
import FaultyFiles

/// What stays the same in every run of a story: one app, its catalogue, what its customers hand in.
struct Premises: Sendable {
    static let bundleID = "com.example.counterfoil"

    let policy: AppPolicy
    let acts: [Act]

    /// One thing that happens.
    enum Act: Sendable {
        /// A customer hands in evidence, perhaps for the second time.
        case submit(Submission)
        case runJobs
    }

    init() throws {
        let authority = try TestAuthority.shared
        let anchors = try authority.rootCertificates.map { try TrustAnchor(parsing: $0) }
        let openingDay = TestAuthority.clock.now - .seconds(30 * 86_400)
        policy = AppPolicy(
            app: try AppID("game"), bundleID: try BundleID(Self.bundleID), isSimulated: true,
            catalogue: try Catalogue(reading: Array(Self.catalogue.utf8)), sandbox: .isolate,
            deliverFrom: [.production: openingDay],
            verifier: EvidenceVerifier(trusting: TrustStore(anchors: anchors)))
        let coins = Self.purchase("coins100", "T1", .consumable)
        let rights = Self.purchase("noads", "T2", .nonConsumable)
        let pass = Self.purchase("pass30", "T3", .nonRenewingSubscription)
        let receipt = [
            Self.purchase("coins100", "T4", .consumable), rights,
            Self.purchase("coins100", "T5", .consumable),
        ]
        acts = [
            .submit(try Self.token(coins, by: "u1")),
            .submit(try Self.token(coins, by: "u2")),
            .submit(try Self.token(rights, by: "u1")),
            .submit(try Self.receipt(of: receipt, claiming: "T4", by: "u2")),
            .runJobs,
            .submit(try Self.token(pass, by: "u2")),
            .submit(try Self.token(coins, by: "u1")),
        ]
    }

    private static func purchase(
        _ product: String, _ transaction: String, _ kind: SimulatedPurchase.Kind
    ) -> SimulatedPurchase {
        SimulatedPurchase(
            environment: .production, bundleID: bundleID, transactionID: transaction,
            productID: product, kind: kind, purchaseDate: TestAuthority.clock.now - .seconds(3600))
    }

    private static func token(
        _ purchase: SimulatedPurchase, by customer: String
    ) throws -> Submission {
        Submission(
            customer: try CustomerID(customer),
            proof: .signedTransaction(try TestAuthority.shared.signedTransaction(purchase)),
            claimedTransactionID: nil, claimedProductID: nil, address: "127.0.0.1")
    }

    private static func receipt(
        of purchases: [SimulatedPurchase], claiming transaction: String, by customer: String
    ) throws -> Submission {
        let receipt = SimulatedReceipt(
            bundleID: bundleID, environment: .production,
            creationDate: TestAuthority.clock.now - .seconds(60), purchases: purchases)
        let bytes = try TestAuthority.shared.appReceipt(receipt)
        return Submission(
            customer: try CustomerID(customer), proof: .receipt(Base64.encode(bytes, .standard)),
            claimedTransactionID: try TransactionID(transaction), claimedProductID: nil,
            address: "127.0.0.1")
    }

    private static let catalogue = """
        {
          units: [{ id: "coins", kind: "currency", held_by: "counterfoil" }],
          products: [
            { id: "coins100", type: "consumable", goods: [{ unit: "coins", amount: 100, bonus: 10 }] },
            { id: "noads", type: "non_consumable", goods: [{ entitlement: "no_ads" }] },
            { id: "pass30", type: "non_renewing", goods: [{ entitlement: "pass", duration: "P30D" }] },
          ],
        }
        """
}
