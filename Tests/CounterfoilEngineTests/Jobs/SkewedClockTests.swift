// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

/// Servers whose clocks disagree, on a database with a clock of its own.
@Suite("Jobs are due by the database's clock", .onEveryDatabase)
struct JobsAreDueByTheDatabasesClock {
    private static let hour = Duration.seconds(3600)

    /// - Parameter offset: How far the server's clock is ahead of the database's.
    private func shop(
        ahead offset: Duration, in folder: TemporaryFolder, database time: ManualClock
    ) async throws -> Shop {
        let clock = ManualClock()
        clock.advance(by: offset)
        let database = try await DatabaseEngine.current.open(in: folder, clock: time)
        return try await Shop(clock: clock, on: database)
    }

    @Test("What a server owes is due at once, however its clock stands", arguments: [-1, 1])
    func owed(direction: Int) async throws {
        let (folder, time) = (TemporaryFolder(), ManualClock())
        let shop = try await shop(ahead: Self.hour * direction, in: folder, database: time)
        try await shop.submitReceipt(
            of: shop.fivePurchases, claiming: "T1", createdAt: time.now - .seconds(7200))
        let other = try await shop.anotherServer(clock: time)
        #expect(try await other.runDueJobs() == 1)
        #expect(try await shop.storedTransactions().count == 5)
        #expect(try await shop.count("SELECT COUNT(*) FROM jobs") == 0)
        await shop.engine.database.close()
    }

    @Test("What failed is put off for as long as it should, however the clocks stand")
    func postponed() async throws {
        for direction in [-1, 1] {
            let (folder, time) = (TemporaryFolder(), ManualClock())
            let shop = try await shop(ahead: Self.hour * direction, in: folder, database: time)
            try await shop.engine.database.write { [now = shop.clock.now] transaction in
                try transaction.enqueue(
                    JobRecord(
                        key: "j", kind: "of a later version", app: Shop.app, payload: "", tries: 0,
                        createdAt: now))
            }
            for (tries, seconds) in [(1, 1), (2, 2), (3, 4)] {
                #expect(try await shop.engine.runDueJobs() == 0)
                time.advance(by: .seconds(seconds) - .milliseconds(1))
                #expect(try await shop.engine.runDueJobs() == 0)
                #expect(try await shop.count("SELECT tries FROM jobs") == Int64(tries))
                time.advance(by: .milliseconds(1))
            }
            await shop.engine.database.close()
        }
    }
}

@Suite("The words about a failure", .onEveryDatabase)
struct WordsAboutAFailure {
    @Test(
        "A job whose error is long, in whatever script, is put off and keeps the beginning",
        arguments: ["x", "é", "界", "🗡️", "👨‍👩‍👧‍👦", "a\u{301}\u{302}\u{303}", "\0", "a\0"])
    func longError(character: String) async throws {
        let board = try await JobBoard()
        try await board.enqueue(board.job())
        let claim = try #require(await board.claim())
        let message = String(repeating: character, count: 600)
            .storable(byteCount: Limits.jobErrorByteCount)
        #expect(message.utf8.count <= Limits.jobErrorByteCount)
        #expect(try await board.apply { try $0.postpone(claim, for: .zero, error: message) })
        let kept = try await board.database.read { transaction in
            try transaction.row("SELECT last_error FROM jobs")?.text(0)
        }
        #expect(kept == message)
    }

    @Test("A job that fails with a long error in another script is put off like any other")
    func longFailure() async throws {
        let shop = try await Shop()
        try await shop.submitReceipt(of: shop.fivePurchases, claiming: "T1")
        let database = WatchedDatabase(shop.engine.database)
        let server = try await shop.anotherServer(on: database)
        database.beforeEachWrite { number in
            guard number == 2 else { return }
            throw DatabaseError(.unexpectedValue, String(repeating: "界\0", count: 600))
        }
        #expect(try await server.runDueJobs() == 0)
        #expect(try await shop.count("SELECT COUNT(*) FROM jobs WHERE last_error IS NOT NULL") == 1)
        #expect(try await shop.count("SELECT COUNT(*) FROM jobs WHERE lease_until IS NULL") == 1)
    }
}

@Suite("Where a job for a receipt goes on", .onEveryDatabase)
struct WhereAReceiptGoesOn {
    @Test("By the last transaction it settled, wherever that stands in the receipt")
    func stable() async throws {
        let shop = try await Shop()
        // Claimed by nobody, and not in the order of the ids.
        let purchases = ["T3", "T1", "T5", "T2", "T4", "T2"].map { shop.purchase("coins100", $0) }
        try await shop.submitReceipt(of: purchases, claiming: nil)
        let database = WatchedDatabase(shop.engine.database)
        let dying = try await shop.anotherServer(on: database)
        database.beforeEachWrite { number in
            if number > 3 { throw DatabaseError(.unavailable, "the server is dead") }
        }
        await #expect(throws: DatabaseError.self) { try await dying.runDueJobs() }
        #expect(try await shop.storedTransactions() == ["T1", "T2"])
        shop.clock.advance(by: Limits.jobLease)
        #expect(try await shop.engine.runDueJobs() == 1)
        #expect(try await shop.storedTransactions() == ["T1", "T2", "T3", "T4", "T5"])
    }

    @Test(
        "What another version wrote behind the digest starts the job over", arguments: ["", ":4"])
    func otherVersion(rest: String) throws {
        let digest = String(repeating: "ab", count: 32)
        let job = try #require(EvidenceJob(payload: digest + rest))
        #expect(job.sha256.count == 32)
        #expect(job.after == "")
        #expect(EvidenceJob(payload: digest + " T9")?.after == "T9")
        #expect(EvidenceJob(payload: "no digest") == nil)
    }
}
