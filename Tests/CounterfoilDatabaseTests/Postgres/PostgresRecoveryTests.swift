// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilDatabasePostgres
import CounterfoilTestSupport
import Testing

/// Connections die at every moment, and nobody has to do anything about it.
@Suite(.enabled(if: TestPostgres.isThere))
struct PostgresRecoversByItself {
    @Test("A backend that was ended between two calls is replaced unnoticed")
    func idle() async throws {
        try await withPostgres { database, address in
            let backend = try await database.write { try $0.row("SELECT pg_backend_pid()") }
            let other = try openPostgres(address)
            let number = try #require(try backend?.integer(0))
            _ = try await other.write { transaction in
                try transaction.rows(
                    "SELECT pg_terminate_backend(CAST($1 AS integer))", [.value(number)])
            }
            await other.close()
            try await database.addCounter("a", 1, place: 1)
            #expect(try await database.counterNames() == ["a"])
        }
    }

    @Test("A closure whose backend is ended under it runs again, and is kept once")
    func running() async throws {
        try await withPostgres { database, _ in
            let counter = RunCounter()
            try await database.write { transaction in
                try transaction.execute(insertCounter, [.value("a"), .value(1), .value(1)])
                if counter.next() == 1 {
                    _ = try transaction.rows("SELECT pg_terminate_backend(pg_backend_pid())")
                }
            }
            #expect(counter.runs == 2)
            #expect(try await database.counterNames() == ["a"])
        }
    }

    @Test(
        "Whether a commit without a reply happened nobody says, and it is not done again",
        arguments: [PostgresProxy.Cut.beforeCommit, .afterCommit])
    func unknownCommit(cut: PostgresProxy.Cut) async throws {
        try await withProxy { database, proxy in
            let counter = RunCounter()
            proxy.cutNext(cut)
            await expectFailure(.unavailable) {
                try await database.write { transaction in
                    _ = counter.next()
                    try transaction.execute(insertCounter, [.value("a"), .value(1), .value(1)])
                }
            }
            #expect(counter.runs == 1)
            let names = try await database.counterNames()
            #expect(names == (cut == .afterCommit ? ["a"] : []))
        }
    }

    @Test("What only read is run again when its commit has no reply")
    func unknownEnd() async throws {
        try await withProxy { database, proxy in
            let counter = RunCounter()
            proxy.cutNext(.afterCommit)
            let names = try await database.write { transaction in
                _ = counter.next()
                return try transaction.rows("SELECT name FROM counters LIMIT 1").count
            }
            #expect(names == 0)
            #expect(counter.runs == 2)
        }
    }

    @Test("A commit that the server warns about is not acknowledged")
    func warnedCommit() async throws {
        try await withPostgres { database, _ in
            try await database.write { transaction in
                try transaction.execute(
                    """
                    CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN RAISE WARNING ''not there''; RETURN NULL; END'
                    """)
                try transaction.execute(
                    """
                    CREATE CONSTRAINT TRIGGER warns AFTER INSERT ON counters
                    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION warn()
                    """)
            }
            await expectFailure(.unavailable) { try await database.addCounter("a", 1, place: 1) }
            #expect(try await database.counterNames() == ["a"])
        }
    }

    @Test("While the server is away calls fail as unavailable; when it is back they succeed")
    func away() async throws {
        try await withProxy { database, proxy in
            proxy.setRefusing(true)
            await expectFailure(.unavailable) { try await database.addCounter("a", 1, place: 1) }
            await expectFailure(.unavailable) { _ = try await database.counterNames() }
            proxy.setRefusing(false)
            try await database.addCounter("b", 1, place: 1)
            #expect(try await database.counterNames() == ["b"])
        }
    }

    @Test("Under load and cut every so often, each write that returned is there once")
    func underLoad() async throws {
        try await withProxy(writers: 3) { database, proxy in
            let returned = try await withThrowingTaskGroup(of: String?.self) { group in
                for place in 0..<60 {
                    group.addTask {
                        if place % 10 == 5 {
                            proxy.cutNext(place % 20 == 5 ? .afterCommit : .beforeCommit)
                        }
                        do {
                            try await database.addCounter("w\(place)", 1, place: place)
                        } catch let error as DatabaseError where error.code == .unavailable {
                            return nil
                        }
                        return "w\(place)"
                    }
                }
                return try await group.reduce(into: Set<String>()) { names, name in
                    if let name { names.insert(name) }
                }
            }
            #expect(returned.count >= 54)
            #expect(returned.isSubset(of: try await database.counterNames()))
        }
    }

    private func withProxy(
        writers: Int = 1, _ body: (PostgresDatabase, PostgresProxy) async throws -> Void
    ) async throws {
        try await withPostgres { _, address in
            let proxy = try PostgresProxy(to: address)
            defer { proxy.stop() }
            let database = try openPostgres(proxy.address, writers: writers)
            do {
                try await body(database, proxy)
            } catch {
                await database.close()
                throw error
            }
            await database.close()
        }
    }
}
