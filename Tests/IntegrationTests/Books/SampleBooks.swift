// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore
import CounterfoilTestSupport

/// A small set of books that balances, with its client's log: two customers, three purchases.
struct SampleBooks {
    private let app: AppID
    private let environment = AppStoreEnvironment.production
    private let random = SeededRandom(seed: 7)
    private let now = Instant(secondsSinceEpoch: 1_800_000_000)

    init() throws {
        app = try AppID("game")
    }

    /// Writes the database and the log into the folder.
    ///
    /// - Parameter engine: Where the books are kept before they come into the file.
    func write(to folder: TemporaryFolder, on engine: DatabaseEngine = .sqlite) async throws {
        let database = try await engine.open(in: folder)
        try await database.migrate(Schema.migrations, at: now)
        let log = try ClientLog(path: folder.file("client.log"))
        for (number, name) in ["ann", "ann", "bob"].enumerated() {
            let purchase = Purchase(
                app: app.rawValue, environment: environment.rawValue,
                transactionID: "20000000\(number)", customer: name, unit: "coins", amount: 100)
            try log.sent(purchase)
            let submission = fresh()
            try await store(purchase, submission, in: database)
            _ = try log.acknowledged(
                purchase.transactionID, status: "fulfilled", client: "finish",
                submission: submission.description)
        }
        if engine.isShared {
            try await BooksFile.copy(database, of: app, to: folder.file("books.db"))
        }
        await database.close()
    }

    private func fresh() -> UniqueID {
        .timeOrdered(at: now, random: random)
    }

    private func store(
        _ purchase: Purchase, _ submission: UniqueID, in database: any Database
    ) async throws {
        let (epoch, freshKey) = (fresh(), fresh())
        let (grantID, transferID, eventID) = (fresh(), fresh(), fresh())
        let sale = SaleReference(
            app: app, environment: environment, key: "t:\(purchase.transactionID)")
        try await database.write { [app, environment, now] transaction in
            let epoch = try transaction.ensureEpoch(fresh: epoch)
            let customer = try transaction.ensureCustomer(
                app, CustomerID(purchase.customer), freshKey: freshKey, at: now)
            let product = try ProductID("com.example.coins")
            _ = try transaction.lockSale(
                SaleRecord(
                    reference: sale, type: "Consumable", productID: product, customer: customer,
                    revision: 0, createdAt: now))
            try transaction.lockWallet(app, environment, customer)
            var grant = GrantRecord(
                sale: sale, revision: 0, grantID: grantID, customer: customer,
                transactionID: try TransactionID(purchase.transactionID), productID: product,
                quantity: 1, state: .due, createdAt: now)
            grant.goods = "[]"
            try transaction.save(grant)
            try post(purchase, transferID, sale, to: customer, in: transaction)
            try transaction.publish(
                EventRecord(
                    eventID: eventID, app: app, environment: environment, customer: customer,
                    epoch: epoch,
                    sequence: try transaction.nextSequence(app, environment, customer),
                    type: "purchase.fulfilled", body: "{}", createdAt: now))
            try record(purchase, submission, of: customer, in: transaction)
        }
    }

    private func post(
        _ purchase: Purchase, _ id: UniqueID, _ sale: SaleReference, to customer: UniqueID,
        in transaction: any WriteTransaction
    ) throws {
        let unit = try UnitID(purchase.unit)
        // The ids are derived in the engine; here they only have to be the same each time.
        let issued = AccountRecord(
            accountID: .derived(fromDigest: Array(repeating: 1, count: 16)), app: app,
            environment: environment, customer: nil, unit: unit, kind: .issued)
        let paid = AccountRecord(
            accountID: .derived(fromDigest: customer.bytes), app: app, environment: environment,
            customer: customer, unit: unit, kind: .paid)
        let transfer = TransferRecord(
            transferID: id, from: issued, to: paid, amount: purchase.amount, kind: .grant,
            sale: sale, revision: 0, createdAt: now)
        try transaction.post(transfer, opening: [issued, paid])
        try transaction.add(LotRecord(transfer, on: paid))
    }

    private func record(
        _ purchase: Purchase, _ id: UniqueID, of customer: UniqueID,
        in transaction: any WriteTransaction
    ) throws {
        let transactionID = try TransactionID(purchase.transactionID)
        try transaction.insert(
            SubmissionRecord(
                submissionID: id, app: app, environment: environment, customer: customer,
                origin: "api", address: "127.0.0.1", receivedAt: now,
                evidence: Array(repeating: 0, count: 32), claimedTransactionID: transactionID,
                claimedProductID: nil, transactionID: transactionID, status: "fulfilled",
                reason: nil, detail: nil, client: "finish", isSuspectConfiguration: false))
    }
}
