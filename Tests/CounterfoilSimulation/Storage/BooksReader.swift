// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilDatabaseSQLite
import CounterfoilReferenceModel
import CounterfoilStore

/// Reads the books by plain SQL on a connection of its own, which sees what is committed and nothing
/// else.
final class BooksReader {
    private let database: SQLiteDatabase

    init(on machine: Machine) throws {
        database = try SQLiteDatabase(path: Machine.books, options: machine.options())
    }

    /// Makes the tables in a new file, so that there is something to read.
    static func create(on machine: Machine, hasEndpoint: Bool = false) throws {
        let database = try SQLiteDatabase(path: Machine.books, options: machine.options())
        try runInline {
            try await database.migrate(Schema.migrations, at: Simulation.start)
            if hasEndpoint { try await database.write { try $0.insert(endpoint) } }
            await database.close()
        }
    }

    /// It does not acknowledge: the model knows grants by what the shop does.
    private static let endpoint = EndpointRecord(
        endpointID: .derived(fromDigest: [UInt8](repeating: 7, count: 32)), app: Shop.app,
        url: "https://hooks.example/", description: nil, types: nil, environment: nil,
        isOrdered: true, acknowledges: false, concurrency: 3, rate: nil,
        secret: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", cursor: 0,
        createdAt: Simulation.start)

    /// The ids of all events that readers can see, in the order of the texts.
    func publishedEvents() throws -> [String] {
        try rows("SELECT event_id FROM events WHERE number IS NOT NULL")
            .map { try $0.uniqueID(0).description }.sorted()
    }

    func close() throws {
        let database = database
        try runInline { await database.close() }
    }

    /// A submission as it stands in the books.
    struct Submission: Sendable {
        let row: Int64
        let id: UniqueID
        let evidence: [UInt8]
        let customer: String
        let claim: String?

        /// The order that the client named.
        let order: String?
        let answer: Answer
    }

    /// The submissions behind a row, in the order of their commits.
    func submissions(after row: Int64) throws -> [Submission] {
        try rows(
            """
            SELECT s.rowid, s.submission_id, s.evidence, a.customer_id, s.claimed_transaction_id,
            s.status, s.reason, s.client, s.claimed_order_id FROM submissions s
            JOIN aliases a ON a.customer_key = s.customer_key WHERE s.rowid > $1 ORDER BY s.rowid
            """, [.integer(row)]
        ).map { row in
            Submission(
                row: try row.integer(0), id: try row.uniqueID(1), evidence: try row.bytes(2),
                customer: try row.text(3), claim: try row.optionalText(4),
                order: try row.optionalUniqueID(8)?.description,
                answer: Answer(
                    status: try row.text(5), reason: try row.optionalText(6),
                    client: try row.text(7)))
        }
    }

    /// The answer that stands in the books for a submission.
    func answer(of submission: UniqueID) throws -> Answer? {
        try rows(
            "SELECT status, reason, client FROM submissions WHERE submission_id = $1",
            [.value(submission)]
        ).first.map {
            Answer(
                status: try $0.text(0), reason: try $0.optionalText(1), client: try $0.text(2))
        }
    }

    /// The registered tokens with the customers that they name, and whether it is by an order.
    func tokens() throws -> [(token: String, customer: String, isOrders: Bool)] {
        try rows(
            """
            SELECT t.token, a.customer_id, t.order_id FROM account_tokens t
            JOIN aliases a ON a.customer_key = t.customer_key ORDER BY t.token
            """
        ).map {
            (
                try $0.uniqueID(0).description, try $0.text(1),
                try $0.optionalUniqueID(2) != nil
            )
        }
    }

    /// A job that stands in the books, by its key.
    func jobs() throws -> [String] {
        try rows("SELECT job_key FROM jobs ORDER BY job_key").map { try $0.text(0) }
    }

    // MARK: Books

    /// Everything that follows from submissions, with a number that is equal for equal rows.
    func books() throws -> (books: Books, digest: UInt64) {
        var books = Books()
        var digest = Fingerprint()
        books.purchases = try read(purchases, &digest).map(purchase)
        books.ownedByToken = try Set(
            rows("SELECT transaction_id FROM transactions WHERE owner_source = 'token'")
                .map { try $0.text(0) })
        books.orders = try read(orders, &digest).map(order)
        for row in try read("SELECT environment, sale, type FROM sales ORDER BY 1, 2", &digest) {
            let place = Books.Place(environment: try row.text(0), sale: try row.text(1))
            books.sales[place] = try row.text(2)
        }
        books.grants = try read(grants, &digest).map(grant)
        books.accounts = try read(accounts, &digest).map { row in
            Books.Account(
                id: try row.uniqueID(0).description, environment: try row.text(1),
                customer: try row.optionalText(2), unit: try row.text(3), kind: try row.text(4),
                balance: try row.optionalInteger(5))
        }
        books.transfers = try read(transfers, &digest).map(transfer)
        books.entries = try read(
            "SELECT account_id, transfer_id, amount FROM entries ORDER BY 1, 2", &digest
        ).map { row in
            Books.Entry(
                account: try row.uniqueID(0).description,
                transfer: try row.uniqueID(1).description, amount: try row.integer(2))
        }
        try readLots(into: &books, &digest)
        books.periods = try read(periods, &digest).map(period)
        books.events = try read(events, &digest).map(event)
        return (books, digest.value)
    }

    private let purchases: SQL = """
        SELECT t.environment, t.transaction_id, t.original_transaction_id, t.product_id,
        t.type, t.quantity, t.purchase_date, t.original_purchase_date, t.app_account_token,
        t.ownership_signed_date, t.ownership_type, t.price_milli, t.revocation_date,
        a.customer_id, t.sale, t.parked_reason, t.parked_on, t.order_id FROM transactions t
        LEFT JOIN aliases a ON a.customer_key = t.customer_key ORDER BY 1, 2
        """

    private let orders: SQL = """
        SELECT o.order_id, a.customer_id, o.environment, o.product_id, o.account_token, o.state,
        o.paid_by, o.goods, o.catalogue_version FROM orders o
        JOIN aliases a ON a.customer_key = o.customer_key ORDER BY 1
        """

    private let grants: SQL = """
        SELECT g.environment, g.sale, g.revision, a.customer_id, g.transaction_id, g.product_id,
        g.quantity, g.goods, g.catalogue_version, g.state, g.parked_reason FROM grants g
        LEFT JOIN aliases a ON a.customer_key = g.customer_key ORDER BY 1, 2, 3
        """

    private let accounts: SQL = """
        SELECT c.account_id, c.environment, a.customer_id, c.unit, c.kind, c.balance
        FROM accounts c LEFT JOIN aliases a ON a.customer_key = c.customer_key ORDER BY 1
        """

    private let periods: SQL = """
        SELECT p.environment, p.sale, a.customer_id, p.entitlement, p.product_id,
        p.transaction_id, p.purchase_date, p.quantity, p.duration, p.starts_at, p.ends_at
        FROM entitlement_periods p JOIN aliases a ON a.customer_key = p.customer_key
        ORDER BY 1, 2, 4
        """

    private let events: SQL = """
        SELECT e.environment, e.sequence, e.number, e.type, a.customer_id, e.body FROM events e
        LEFT JOIN aliases a ON a.customer_key = e.customer_key ORDER BY e.event_id
        """

    private func rows(_ sql: SQL, _ parameters: [DatabaseValue] = []) throws -> [Row] {
        let database = database
        return try runInline { try await database.read { try $0.rows(sql, parameters) } }
    }

    func read(_ sql: SQL, _ digest: inout Fingerprint) throws -> [Row] {
        let rows = try rows(sql)
        for row in rows {
            for value in row.values { digest.add(value) }
        }
        return rows
    }

    private func purchase(_ row: Row) throws -> Books.Purchase {
        let isKnown = try row.optionalInteger(9) != nil
        let type = try row.optionalText(4).map { text throws -> SaleKind in
            guard let type = Self.types[text] else { throw Damage(text) }
            return type
        }
        return Books.Purchase(
            environment: try row.text(0),
            facts: JoinedFacts(
                transaction: try row.text(1), original: try row.text(2), product: try row.text(3),
                type: type, quantity: try row.integer(5), bought: try row.integer(6),
                firstBought: try row.integer(7),
                token: try row.optionalUniqueID(8)?.description,
                isFamilyShared: isKnown ? try row.optionalText(10) == "FAMILY_SHARED" : nil,
                priceMilli: try row.optionalInteger(11), revoked: try row.optionalInteger(12)),
            owner: try row.optionalText(13), sale: try row.optionalText(14),
            parked: try row.optionalText(15), parkedOn: try row.optionalText(16),
            order: try row.optionalUniqueID(17)?.description)
    }

    private func order(_ row: Row) throws -> Books.Order {
        Books.Order(
            id: try row.uniqueID(0).description, customer: try row.text(1),
            environment: try row.text(2), product: try row.text(3),
            token: try row.uniqueID(4).description, state: try row.text(5),
            paidBy: try row.optionalText(6),
            goods: try goods(JSONValue(parsing: row.text(7).utf8)), assortment: try row.text(8))
    }

    private static let types: [String: SaleKind] = [
        "Consumable": .consumable, "Non-Consumable": .nonConsumable,
        "Non-Renewing Subscription": .nonRenewing, "Auto-Renewable Subscription": .autoRenewable,
    ]

    private func grant(_ row: Row) throws -> Books.Grant {
        let revision = try row.integer(2)
        let goods = try row.optionalText(7).map { try self.goods(JSONValue(parsing: $0.utf8)) }
        return Books.Grant(
            place: Books.Place(environment: try row.text(0), sale: try row.text(1)),
            revision: revision,
            grant: Family.Grant(
                customer: try row.optionalText(3), transaction: try row.text(4),
                product: try row.text(5), quantity: try row.integer(6),
                goods: revision == 0 ? goods : goods.map(Good.sorted),
                assortment: try row.optionalText(8), state: try row.text(9),
                reason: try row.optionalText(10)))
    }

    private func period(_ row: Row) throws -> Books.Period {
        Books.Period(
            place: Books.Place(environment: try row.text(0), sale: try row.text(1)),
            customer: try row.text(2), right: try row.text(3), product: try row.text(4),
            transaction: try row.text(5), bought: try row.integer(6),
            quantity: try row.integer(7), length: try row.optionalText(8),
            starts: try row.integer(9), ends: try row.optionalInteger(10))
    }

    private func event(_ row: Row) throws -> Books.Event {
        let data = try JSONValue(parsing: try row.text(5).utf8)["data"]
        // What happens to an order is told apart by the order and its states.
        let change = ["order_id", "previous_state", "state"].compactMap { data?[$0]?.string }
        let name =
            data?["transaction_id"]?.string
            ?? (change.count == 3 ? change.joined(separator: " ") : nil)
        let type = try row.text(3)
        guard let transaction = name ?? data.flatMap(Self.walletChange) else {
            throw Damage("an event")
        }
        let goods = try self.goods(data?["goods"] ?? .null)
        return Books.Event(
            environment: try row.text(0), sequence: try row.optionalInteger(1),
            number: try row.optionalInteger(2),
            event: Family.Event(
                type: type, transaction: transaction, customer: try row.optionalText(4),
                goods: type == "grant.reversed" ? Good.sorted(goods) : goods,
                contender: data?["contender_customer_id"]?.string))
    }

    private func goods(_ value: JSONValue) throws -> [Good] {
        try (value.array ?? []).map { good in
            if let right = good["entitlement"]?.string {
                return .right(right, period: good["duration"]?.string)
            }
            guard let unit = good["unit"]?.string, let paid = good["amount"]?.int64,
                let bonus = good["bonus"]?.int64
            else { throw Damage("goods") }
            return .unit(
                unit, paid: paid, bonus: bonus,
                isOurs: good["held_by"]?.string == "counterfoil")
        }
    }

    /// That the books hold something which nobody can read.
    struct Damage: Error {
        let what: String

        init(_ what: String) {
            self.what = what
        }
    }
}

/// A number for a sequence of values (FNV-1a); nobody attacks it.
struct Fingerprint {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        value = (value ^ 0xFF) &* 0x0000_0100_0000_01B3
    }

    mutating func add(_ stored: DatabaseValue) {
        switch stored {
        case .null: add([0])
        case .integer(let number):
            add((0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
        case .text(let text): add(text.utf8)
        case .bytes(let bytes): add(bytes)
        }
    }
}
