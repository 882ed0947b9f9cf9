// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilDatabaseSQLite
import CounterfoilEngine
import CounterfoilServer
import CounterfoilSimulator

/// Purchases to hand in, as requests for the server and as recorded statements for its yardstick.
///
/// Both begin with the same database: brought up to date, with one key, and empty. Each customer
/// buys four times.
struct PurchaseMaterial {
    /// The database that nobody has written purchases to.
    static let emptyDatabase = "empty"

    /// The key that the database knows.
    let secretKey: String
    let requests: [[UInt8]]
    let recording: Recording

    init(_ count: Int, in installation: Installation) throws {
        let configuration = try installation.readConfiguration(database: Self.emptyDatabase)
        let clock = FixedClock(installation.now)
        guard let app = configuration.apps.first else { throw BenchmarkFailure("no app") }
        let secretKey = try installation.makeSecretKey(database: Self.emptyDatabase)
        let policy = try app.policy(reading: TextFile.bytes)
        try waiting {
            let database = try configuration.database.open(
                random: SystemRandom(), readSecret: TextFile.bytes)
            _ = try await Engine.open(
                database, policies: [policy], clock: clock, random: SystemRandom(), jobSignal: {})
            await database.close()
        }
        let purchases = try (0..<count).map { index in
            (
                customer: "player-\(index / 4)",
                token: try installation.authority.signedTransaction(
                    Self.purchase(index, at: installation.now))
            )
        }
        self.secretKey = secretKey
        requests = purchases.map { purchase in
            JSONRequest.bytes(
                "/v1/purchases", key: secretKey,
                [
                    "customer_id": .string(purchase.customer),
                    "signed_transaction": .string(purchase.token),
                ])
        }
        let name = "recorded"
        try installation.copyDatabase(Self.emptyDatabase, to: name)
        let inline: any Database =
            if let postgres = installation.postgres {
                try postgres.open(name)
            } else {
                try SQLiteDatabase(
                    path: installation.database(name), options: SQLiteOptions(scheduling: .inline))
            }
        recording = try waiting {
            let database = RecordingDatabase(inline)
            let keys = KeyRing(database: database, clock: clock, random: SystemRandom())
            let engine = try await Engine.open(
                database, policies: [policy], clock: clock, random: SystemRandom(), jobSignal: {})
            for purchase in purchases {
                database.beginPiece()
                guard case .valid = try await keys.standing(ofKey: secretKey) else {
                    throw BenchmarkFailure("the key is unknown")
                }
                let submission = Submission(
                    customer: try CustomerID(purchase.customer),
                    proof: .signedTransaction(purchase.token), claimedTransactionID: nil,
                    claimedProductID: nil, address: "127.0.0.1")
                let outcome = try await engine.submit(submission, to: policy)
                guard outcome.decision == .fulfilled else {
                    throw BenchmarkFailure("a purchase was not fulfilled: \(outcome)")
                }
            }
            await database.close()
            return database.recorded
        }
    }

    private static func purchase(_ index: Int, at now: Instant) -> SimulatedPurchase {
        var purchase = SimulatedPurchase(
            environment: .production, bundleID: Material.bundleID,
            transactionID: String(2_000_000_000_000_000 + index),
            productID: Installation.productID, kind: .consumable,
            purchaseDate: now - .seconds(60))
        purchase.price = Money(amountMilli: 990, currency: "USD")
        purchase.appTransactionID = String(70_000_000_000_000_000 + index / 4)
        return purchase
    }

    /// Whether an answer says that the purchase was delivered now.
    static func isFulfilled(_ answer: [UInt8]) -> Bool {
        let value = JSONRequest.answer(answer, status: 200)
        return value?["status"]?.string == "fulfilled" && value?["client"]?.string == "finish"
    }
}
