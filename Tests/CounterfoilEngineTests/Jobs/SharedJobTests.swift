// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Jobs of several servers", .onEveryDatabase)
struct JobsOfSeveralServers {
    @Test(
        "A job whose server died is taken over after the lease and goes on where that one stopped")
    func takeover() async throws {
        let shop = try await Shop()
        try await shop.submitReceipt(of: shop.fivePurchases, claiming: "T1")
        let database = WatchedDatabase(shop.engine.database)
        let dying = try await shop.anotherServer(on: database)
        // The claim and two steps are stored (T1 was before); then the server is dead.
        database.beforeEachWrite { number in
            if number > 3 { throw DatabaseError(.unavailable, "the server is dead") }
        }
        await #expect(throws: DatabaseError.self) { try await dying.runDueJobs() }
        #expect(try await shop.storedTransactions() == ["T1", "T2"])
        shop.clock.advance(by: Limits.jobLease - .milliseconds(1))
        #expect(try await shop.engine.runDueJobs() == 0)
        #expect(try await shop.jobPayloads().map { $0.hasSuffix(" T2") } == [true])
        shop.clock.advance(by: .milliseconds(1))
        #expect(try await shop.engine.runDueJobs() == 1)
        #expect(try await shop.storedTransactions() == ["T1", "T2", "T3", "T4", "T5"])
        #expect(try await shop.jobPayloads().isEmpty)
        try await shop.expectBalancedBooks()
    }

    @Test("What a server does after it lost its job is undone")
    func fenced() async throws {
        let shop = try await Shop()
        try await shop.submitReceipt(of: shop.fivePurchases, claiming: "T1")
        let claim = try #require(
            await shop.engine.database.write { transaction in
                try transaction.claimJob(for: Limits.jobLease) { _ in .zero }
            })
        shop.clock.advance(by: Limits.jobLease)
        #expect(try await shop.engine.runDueJobs() == 1)
        let run = JobRun(claim, on: shop.engine.database)
        await #expect(throws: JobRun.Lost.self) {
            try await run.step { transaction in
                try transaction.execute("DELETE FROM transactions")
            }
        }
        #expect(try await shop.storedTransactions().count == 5)
    }

    @Test("A sale that cannot be settled does not keep the others waiting, and stays owed")
    func oneBadSale() async throws {
        let shop = try await Shop()
        try await shop.submitReceipt(of: shop.fivePurchases, claiming: "T1")
        let (refusal, end) = refusalOfT3(in: .current)
        try await shop.engine.database.write { transaction in
            for statement in refusal { try transaction.execute(statement) }
        }
        #expect(try await shop.engine.runDueJobs() == 0)
        #expect(try await shop.storedTransactions() == ["T1", "T2", "T4", "T5"])
        try await shop.engine.database.write { try $0.execute(end) }
        #expect(try await shop.engine.runDueJobs() == 0)
        shop.clock.advance(by: .seconds(1))
        #expect(try await shop.engine.runDueJobs() == 1)
        #expect(try await shop.storedTransactions().count == 5)
    }

    /// The statements that make a database refuse one transaction, and the one that ends that.
    private func refusalOfT3(in engine: DatabaseEngine) -> (begin: [SQL], end: SQL) {
        switch engine {
        case .sqlite, .sqliteInline:
            let trigger: SQL = """
                CREATE TRIGGER no_t3 BEFORE INSERT ON transactions WHEN NEW.transaction_id = 'T3'
                BEGIN SELECT RAISE(ABORT, 'not this one'); END
                """
            return ([trigger], "DROP TRIGGER no_t3")
        case .postgres, .postgresSerializable, .postgresInline:
            let function: SQL = """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN RAISE EXCEPTION ''not this one'' USING ERRCODE = ''check_violation''; END'
                """
            let trigger: SQL = """
                CREATE TRIGGER no_t3 BEFORE INSERT ON transactions FOR EACH ROW
                WHEN (NEW.transaction_id = 'T3') EXECUTE FUNCTION refuse()
                """
            return ([function, trigger], "DROP TRIGGER no_t3 ON transactions")
        }
    }

    @Test("A failing job is put off longer each time and tells why")
    func failing() async throws {
        let shop = try await Shop()
        try await shop.engine.database.write { [clock = shop.clock] transaction in
            try transaction.enqueue(
                JobRecord(
                    key: "j", kind: "of a later version", app: Shop.app, payload: "",
                    tries: 0, createdAt: clock.now))
        }
        for seconds in [1, 2, 4, 8] {
            #expect(try await shop.engine.runDueJobs() == 0)
            #expect(
                try await shop.count("SELECT COUNT(*) FROM jobs WHERE last_error IS NOT NULL") == 1)
            let due = try await shop.count("SELECT run_at FROM jobs")
            #expect(due == (shop.clock.now + .seconds(seconds)).millisecondsSinceEpoch)
            shop.clock.advance(by: .seconds(seconds))
        }
    }

    @Test("A server that stops gives its job back at once")
    func stopping() async throws {
        let shop = try await Shop()
        try await shop.submitReceipt(of: shop.fivePurchases, claiming: "T1")
        let database = WatchedDatabase(shop.engine.database)
        let stopping = try await shop.anotherServer(on: database)
        database.beforeEachWrite { number in
            if number == 3 { withUnsafeCurrentTask { $0?.cancel() } }
        }
        #expect(try await Task { try await stopping.runDueJobs() }.value == 0)
        #expect(try await shop.storedTransactions() == ["T1", "T2"])
        #expect(try await shop.engine.runDueJobs() == 1)
        #expect(try await shop.storedTransactions().count == 5)
    }

    @Test(
        "Two servers that run jobs at the same time do each once",
        arguments: 1...5 as ClosedRange<UInt64>)
    func together(seed: UInt64) async throws {
        let shop = try await Shop()
        let other = try await shop.anotherServer()
        for number in 1...10 {
            let purchases = ["a", "b"].map { shop.purchase("coins100", "T\(number)\($0)") }
            try await shop.submitReceipt(of: purchases, claiming: "T\(number)a")
        }
        let finished = try await withThrowingTaskGroup(of: Int.self) { group in
            for engine in [shop.engine, other] {
                group.addTask { try await engine.runDueJobs() }
            }
            return try await group.reduce(0, +)
        }
        #expect(finished == 10)
        #expect(try await shop.storedTransactions().count == 20)
        try await shop.expectBalancedBooks()
    }
}

extension Shop {
    var fivePurchases: [SimulatedPurchase] {
        (1...5).map { purchase("coins100", "T\($0)") }
    }

    func storedTransactions() async throws -> [String] {
        try await texts("SELECT transaction_id FROM transactions ORDER BY transaction_id")
    }

    func jobPayloads() async throws -> [String] {
        try await texts("SELECT payload FROM jobs ORDER BY job_key")
    }

    private func texts(_ query: SQL) async throws -> [String] {
        try await engine.database.read { try $0.rows(query).map { row in try row.text(0) } }
    }
}
