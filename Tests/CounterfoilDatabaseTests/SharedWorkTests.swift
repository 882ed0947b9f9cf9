// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilDatabaseSQLite
import CounterfoilTestSupport
import Testing

/// What several servers on one database need of it to share their work.
@Suite struct TransactionsTellTimeAndLeaveHeldRowsAlone {
    @Test(
        "The database's clock is that of its machine and never runs back",
        arguments: Engine.allCases)
    func clock(engine: Engine) async throws {
        try await engine.withDatabase { database in
            let (first, second) = try await database.write { transaction in
                (try transaction.currentTime(), try transaction.currentTime())
            }
            let third = try await database.write { try $0.currentTime() }
            #expect(first <= second && second <= third)
            // The tests' machine may be wrong about the year, but not about the decade.
            #expect(first > Instant(secondsSinceEpoch: 1_700_000_000))
        }
    }

    @Test("SQLite goes by the clock that it was given")
    func givenClock() async throws {
        let clock = ManualClock(testTime)
        let folder = TemporaryFolder()
        let database = try SQLiteDatabase(
            path: folder.file("books.db"),
            options: SQLiteOptions(scheduling: .inline, clock: clock))
        let first = try await database.write { try $0.currentTime() }
        clock.advance(by: .milliseconds(1))
        let second = try await database.write { try $0.currentTime() }
        #expect((first, second) == (testTime, testTime + .milliseconds(1)))
        await database.close()
    }

    @Test("SQLite says that it has one writer")
    func singleWriter() async throws {
        for engine in [Engine.sqlite, .sqliteInline] {
            try await engine.withDatabase { database in
                let hasSingleWriter = try await database.write { $0.hasSingleWriter }
                #expect(hasSingleWriter)
            }
        }
    }

    @Test("Rows that nobody holds come as from the plain query", arguments: Engine.allCases)
    func unlockedRows(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            for (place, name) in ["a", "b", "c"].enumerated() {
                try await database.addCounter(name, place, place: place)
            }
            let names = try await database.write { transaction in
                try transaction.unlockedRows(selectPositive, [.value(0), .value(2)])
                    .map { try $0.text(0) }
            }
            #expect(names == ["b", "c"])
        }
    }

    @Test("A failed choice of rows fails the closure", arguments: Engine.allCases)
    func failure(engine: Engine) async throws {
        try await engine.withDatabase { database in
            await expectFailure(.statement) {
                _ = try await database.write { transaction in
                    try transaction.unlockedRows("SELECT nothing FROM nowhere", [])
                }
            }
        }
    }

    @Test(
        "Every row is worked on once by many who choose at the same time",
        arguments: Engine.allCases)
    func choosing(engine: Engine) async throws {
        try await engine.withDatabase { database in
            try await database.prepare()
            for place in 1...40 {
                try await database.addCounter("r\(place)", 1, place: place)
            }
            let chosen = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var mine: [String] = []
                        while true {
                            let names = try await database.write { transaction in
                                let rows = try transaction.unlockedRows(
                                    selectPositive, [.value(0), .value(3)])
                                let names = try rows.map { try $0.text(0) }
                                for name in names {
                                    try transaction.execute(
                                        "UPDATE counters SET amount = 0 WHERE name = $1",
                                        [.value(name)], expecting: .one)
                                }
                                return names
                            }
                            if names.isEmpty { return mine }
                            mine += names
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            // One who found the last rows held by another may end early; nobody gets a row twice.
            #expect(Set(chosen).count == chosen.count)
            #expect(chosen.count == 40)
        }
    }
}

private let selectPositive: SQL =
    "SELECT name FROM counters WHERE amount > $1 ORDER BY place LIMIT $2"
