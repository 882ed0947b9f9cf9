// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Books from before there were lots", .onEveryDatabase)
struct BooksFromBeforeLots {
    @Test("Units that were issued earlier become whole lots, and can be spent")
    func migration() async throws {
        let folder = TemporaryFolder()
        let clock = ManualClock()
        let database = try await DatabaseEngine.current.open(in: folder, clock: clock)
        let before = Array(Schema.migrations.prefix { $0.name != "lots" })
        try await database.migrate(before, at: clock.now)
        let customer = UniqueID.derived(fromDigest: Array(repeating: 9, count: 16))
        try await database.write { transaction in
            for statement in Self.customers {
                try transaction.execute(statement, [.value(customer), .value(Shop.app)])
            }
            for (sale, paid, bonus) in [("t:T1", 100, 10), ("t:T2", 50, 0)] {
                let goods = Goods.unit(
                    try WalletBooks.coins, amount: Int64(paid), bonus: Int64(bonus),
                    holder: .counterfoil)
                let transfers = GrantTransfers.of(
                    [goods], sale: WalletBooks.sale(sale), to: customer, at: clock.now)
                for transfer in transfers { try Self.postAsBefore(transfer, in: transaction) }
            }
        }
        let shop = try await Shop(clock: clock, on: database)
        let books = try await WalletBooks(in: shop)
        #expect(
            try await books.lots() == ["t:T1 paid": 100, "t:T1 bonus": 10, "t:T2 paid": 50])
        try await shop.expectBalancedWallets()
        try await books.spend(120)
        #expect(try await books.balances() == [40, 0, 0, 0])
        try await shop.expectBalancedWallets()
        await database.close()
    }

    private static let customers: [SQL] = [
        "INSERT INTO customers (customer_key, app, created_at) VALUES ($1, $2, 0)",
        """
        INSERT INTO aliases (app, customer_id, customer_key, created_at) VALUES ($2, 'u1', $1, 0)
        """,
    ]

    /// What version 0.1 wrote for a transfer.
    private static func postAsBefore(
        _ transfer: TransferRecord, in transaction: any WriteTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO transfers
            (transfer_id, app, environment, unit, amount, kind, sale, revision, created_at)
            VALUES ($1, $2, $3, $4, $5, 'grant', $6, 0, $7)
            """,
            [
                .value(transfer.transferID), .value(transfer.from.app),
                .value(transfer.from.environment), .value(transfer.unit), .value(transfer.amount),
                .value(transfer.sale?.key), .value(transfer.createdAt),
            ])
        for (account, amount) in [
            (transfer.from, -transfer.amount), (transfer.to, transfer.amount),
        ] {
            try transaction.execute(
                """
                INSERT INTO accounts
                (account_id, app, environment, customer_key, unit, kind, balance)
                VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (account_id) DO NOTHING
                """,
                [
                    .value(account.accountID), .value(account.app), .value(account.environment),
                    .value(account.customer), .value(account.unit), .value(account.kind.rawValue),
                    account.kind == .issued ? .null : .integer(0),
                ])
            try transaction.execute(
                "INSERT INTO entries (account_id, transfer_id, amount) VALUES ($1, $2, $3)",
                [.value(account.accountID), .value(transfer.transferID), .integer(amount)])
            try transaction.execute(
                "UPDATE accounts SET balance = balance + $2 WHERE account_id = $1",
                [.value(account.accountID), .integer(amount)])
        }
    }
}
