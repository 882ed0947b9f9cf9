// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore
import CounterfoilTestSupport

@testable import CounterfoilEngine

/// One customer's wallet, used from a test without evidence or routes.
struct WalletBooks {
    let shop: Shop
    let customer: UniqueID
    let policy: AppPolicy

    static var coins: UnitID {
        get throws { try UnitID("coins") }
    }

    init(_ wallet: WalletPolicy = WalletPolicy(), in shop: Shop? = nil) async throws {
        let shop = if let shop { shop } else { try await Shop() }
        self.shop = shop
        policy = shop.policy.with(wallet)
        let key = shop.engine.freshID()
        let now = shop.clock.now
        customer = try await shop.engine.database.write { transaction in
            try transaction.ensureCustomer(Shop.app, CustomerID("u1"), freshKey: key, at: now)
        }
    }

    /// Does something to the wallet in a transaction of its own.
    @discardableResult
    func change<Result: Sendable>(
        on engine: Engine? = nil, _ body: @escaping @Sendable (inout Wallet) throws -> Result
    ) async throws -> Result {
        let (policy, customer, now) = (policy, customer, shop.clock.now)
        return try await (engine ?? shop.engine).database.write { transaction in
            var wallet = try Wallet.locked(
                transaction, policy, .production, of: customer, at: now)
            return try body(&wallet)
        }
    }

    /// What stands on paid, bonus, held and debt.
    func balances() async throws -> [Int64] {
        try await change { wallet in
            let coins = try Self.coins
            return [.paid, .bonus, .held, .debt].map { wallet.balance(coins, $0) }
        }
    }

    /// What is left in each lot with anything in it, by its sale and account.
    func lots() async throws -> [String: Int64] {
        let rows = try await shop.engine.database.read { transaction in
            try transaction.rows(
                """
                SELECT COALESCE(l.sale, '-'), a.kind, l.remaining, l.price_milli
                FROM lots l JOIN accounts a ON a.account_id = l.account_id WHERE l.is_open = 1
                """
            ).map { ("\(try $0.text(0)) \(try $0.text(1))", try $0.integer(2)) }
        }
        return Dictionary(rows, uniquingKeysWith: +)
    }

    /// Gives the goods of a sale that needs no evidence.
    func issue(_ sale: String, paid: Int64 = 0, bonus: Int64 = 0, price: Money? = nil) async throws
    {
        try await change { wallet in
            let goods = [
                Goods.unit(try Self.coins, amount: paid, bonus: bonus, holder: .counterfoil)
            ]
            try wallet.issue(goods, of: Self.sale(sale), price: price)
        }
    }

    func takeBack(
        _ sale: String, paid: Int64 = 0, bonus: Int64 = 0, revision: Int64 = 1
    ) async throws -> Wallet.TakenBack {
        try await change { wallet in
            try wallet.takeBack(
                try Self.coins, paid: paid, bonus: bonus, of: [sale],
                for: Self.refund(sale, revision))
        }
    }

    /// Undoes every transfer of a refund.
    func reverse(_ sale: String, revision: Int64 = 1) async throws {
        try await change { wallet in
            let refund = Self.refund(sale, revision)
            let act = WalletAct(.reversal, .sale(Self.sale(sale), revision: revision + 1))
            for id in try wallet.refundTransfers(refund) { try wallet.mirror(id, for: act) }
        }
    }

    func spend(_ amount: Int64, on engine: Engine? = nil) async throws {
        let id = shop.engine.freshID()
        try await change(on: engine) { wallet in
            try wallet.spend(amount, of: Self.coins, for: WalletAct(.spend, .operation(id)))
        }
    }

    func reserve(_ amount: Int64) async throws -> HoldRecord {
        let (id, now, customer) = (shop.engine.freshID(), shop.clock.now, customer)
        return try await change { wallet in
            let hold = HoldRecord(
                holdID: id, app: Shop.app, environment: .production, customer: customer,
                unit: try Self.coins, amount: amount, expiresAt: now + .seconds(60),
                createdAt: now)
            try wallet.reserve(hold)
            return hold
        }
    }

    static func sale(_ key: String) -> SaleReference {
        SaleReference(app: Shop.app, environment: .production, key: key)
    }

    static func refund(_ sale: String, _ revision: Int64) -> WalletAct {
        WalletAct(.refund, .sale(self.sale(sale), revision: revision))
    }
}

extension Wallet {
    /// The transfers that a refund made, of each account that it took from.
    func refundTransfers(_ act: WalletAct) throws -> [UniqueID] {
        let coins = try WalletBooks.coins
        let ids = [AccountKind.paid, .bonus, .debt].map { act.takingID($0, coins) }
        return try ids.filter { try transaction.transfer($0) != nil }
    }
}

extension AppPolicy {
    func with(_ wallet: WalletPolicy) -> AppPolicy {
        AppPolicy(
            app: app, bundleID: bundleID, isSimulated: isSimulated, catalogue: catalogue,
            sandbox: sandbox, deliverFrom: deliverFrom, verifier: verifier, wallet: wallet)
    }
}
