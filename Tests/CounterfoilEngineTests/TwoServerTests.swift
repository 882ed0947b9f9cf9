// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilTestSupport
import Synchronization
import Testing

@testable import CounterfoilEngine

@Suite("Two servers on one database")
struct TwoServersOnOneDatabase {
    @Test(
        "Handed the same purchases at the same time, they call each new once",
        arguments: DatabaseEngine.shared)
    func sameEvidence(on databaseEngine: DatabaseEngine) async throws {
        let folder = TemporaryFolder()
        let databases = [
            try await databaseEngine.open(in: folder), try await databaseEngine.open(in: folder),
        ]
        let shop = try await Shop(on: databases[0])
        let engines = [shop.engine, try await shop.anotherServer(on: databases[1])]
        let count = 24
        let submissions = try (0..<count).map { number in
            let token = try TestAuthority.shared.signedTransaction(
                shop.purchase("coins100", "T\(number)"))
            return Submission(
                customer: try CustomerID("u\(number % 4)"), proof: .signedTransaction(token),
                claimedTransactionID: nil, claimedProductID: nil, address: "127.0.0.1")
        }
        let words = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for (number, submission) in submissions.enumerated() {
                for engine in engines + engines {
                    group.addTask {
                        let outcome = try await engine.submit(submission, to: shop.policy)
                        return (number, outcome.words)
                    }
                }
            }
            return try await group.reduce(into: [Int: [String]]()) {
                $0[$1.0, default: []].append($1.1)
            }
        }
        for number in 0..<count {
            let expected = ["already_fulfilled finish", "already_fulfilled finish"]
            #expect(
                words[number]?.sorted()
                    == expected + ["already_fulfilled finish", "fulfilled finish"])
        }
        for engine in engines { try await engine.numberEvents() }
        let events = try await shop.engine.events(of: Shop.app, after: 0, limit: 500)
        #expect(events.map(\.number) == Array(1...Int64(count)))
        try await shop.expectBalancedBooks()
        #expect(try await Rebuild(databases[1]).run().agrees)
        for database in databases { await database.close() }
    }

    @Test(
        "Customers who hand in different sales of one original at the same time are not both its owner",
        arguments: DatabaseEngine.shared)
    func firstOwner(on databaseEngine: DatabaseEngine) async throws {
        let folder = TemporaryFolder()
        let databases = [
            try await databaseEngine.open(in: folder), try await databaseEngine.open(in: folder),
        ]
        let shop = try await Shop(on: databases[0])
        let engines = [shop.engine, try await shop.anotherServer(on: databases[1])]
        let count = 24
        var handedIn: [(Submission, Submission)] = []
        for number in 0..<count {
            var refunded = shop.purchase("noads", "A\(number)", .nonConsumable)
            refunded.purchaseDate = shop.clock.now - .seconds(9000)
            refunded.originalPurchaseDate = refunded.purchaseDate
            refunded.revocation = .init(date: shop.clock.now - .seconds(5000))
            var again = shop.purchase("noads", "B\(number)", .nonConsumable)
            again.originalTransactionID = refunded.transactionID
            again.originalPurchaseDate = refunded.purchaseDate
            // The refund is known before anybody claims either of them.
            try await shop.submitReceipt(of: [refunded], by: "u0", claiming: nil)
            try await shop.engine.runDueJobs()
            let (one, other) = try (
                submission(of: refunded, by: "u1"), submission(of: again, by: "u2")
            )
            handedIn.append((one, other))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (one, other) in handedIn {
                for (engine, submission) in zip(engines, [one, other]) {
                    group.addTask { _ = try await engine.submit(submission, to: shop.policy) }
                }
            }
            try await group.waitForAll()
        }
        try await shop.engine.runDueJobs()
        let owners = try await shop.count(
            """
            SELECT COUNT(*) FROM (SELECT DISTINCT original_transaction_id, customer_key
            FROM transactions WHERE customer_key IS NOT NULL) AS owners
            """)
        #expect(owners == Int64(count))
        for engine in engines { try await engine.numberEvents() }
        try await shop.expectBalancedBooks()
        for database in databases { await database.close() }
    }

    private func submission(
        of purchase: SimulatedPurchase, by customer: String
    ) throws -> Submission {
        Submission(
            customer: try CustomerID(customer),
            proof: .signedTransaction(try TestAuthority.shared.signedTransaction(purchase)),
            claimedTransactionID: nil, claimedProductID: nil, address: "127.0.0.1")
    }

    @Test(
        "Two copies of one sale that both come to be delivered deliver it once",
        arguments: DatabaseEngine.shared)
    func sameSale(on databaseEngine: DatabaseEngine) async throws {
        let folder = TemporaryFolder()
        let databases = [
            try await databaseEngine.open(in: folder), try await databaseEngine.open(in: folder),
        ]
        let shop = try await Shop(on: databases[0])
        let engines = [shop.engine, try await shop.anotherServer(on: databases[1])]
        let (count, token) = (24, UniqueID.random(SeededRandom(seed: 3)))
        func copy(_ letter: String, of number: Int) -> SimulatedPurchase {
            var purchase = shop.purchase("starter", "T\(number)\(letter)", .nonConsumable)
            purchase.originalTransactionID = "T\(number)a"
            purchase.appAccountToken = token
            return purchase
        }
        // The sales are there, and have waited for their owner.
        for number in 0..<count {
            let words = try await shop.submit(copy("a", of: number), by: "u2").words
            #expect(words == "parked unknown_token keep")
        }
        _ = try await shop.engine.registerToken(token, for: CustomerID("u1"), to: shop.policy)
        let news = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<count {
                for (letter, engine) in zip(["b", "c"], engines) {
                    group.addTask {
                        let outcome = try await shop.submit(
                            copy(letter, of: number), by: "u1", to: engine)
                        return outcome.words == "fulfilled finish" ? 1 : 0
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(news == count)
        #expect(try await shop.coins() == [Int64(500 * count), 0])
        for engine in engines { try await engine.numberEvents() }
        try await shop.expectBalancedBooks()
        for database in databases { await database.close() }
    }

    @Test(
        "Copies of one purchase that tell different things are joined, whoever takes them in",
        arguments: DatabaseEngine.shared)
    func copies(on databaseEngine: DatabaseEngine) async throws {
        let folder = TemporaryFolder()
        let databases = [
            try await databaseEngine.open(in: folder), try await databaseEngine.open(in: folder),
        ]
        let shop = try await Shop(on: databases[0])
        let engines = [shop.engine, try await shop.anotherServer(on: databases[1])]
        // A receipt tells no price, a signed transaction does; the receipt here is the newer copy.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                var purchase = shop.purchase("coins100", "T\(number)")
                purchase.price = Money(amountMilli: 990, currency: "USD")
                let receipt = SimulatedReceipt(
                    bundleID: Shop.bundleID, environment: .production,
                    creationDate: shop.clock.now - .seconds(60), purchases: [purchase])
                let proofs: [Submission.Proof] = [
                    .signedTransaction(try TestAuthority.shared.signedTransaction(purchase)),
                    .receipt(
                        Base64.encode(try TestAuthority.shared.appReceipt(receipt), .standard)),
                ]
                for (proof, engine) in zip(proofs, engines) {
                    let submission = Submission(
                        customer: try CustomerID("u1"), proof: proof,
                        claimedTransactionID: try TransactionID("T\(number)"),
                        claimedProductID: nil, address: "127.0.0.1")
                    group.addTask { _ = try await engine.submit(submission, to: shop.policy) }
                }
            }
            try await group.waitForAll()
        }
        let withPrice = try await shop.count(
            "SELECT COUNT(*) FROM transactions WHERE price_milli = 990")
        #expect(withPrice == 16)
        #expect(try await shop.coins() == [1600, 160])
        try await shop.expectBalancedBooks()
        for database in databases { await database.close() }
    }
}
