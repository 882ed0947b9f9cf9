// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import FaultyFiles
import Synchronization
import Testing

@testable import CounterfoilDatabaseSQLite

private let blobs = Table(
    "blobs", columns: [.integer("number"), .bytes("data", maximum: 1 << 20)],
    primaryKey: ["number"])

/// A database with one table on a disk of its own.
private struct Files {
    let disk = FaultyDisk(seed: 3)

    var options: SQLiteOptions {
        SQLiteOptions(scheduling: .inline, fileSystem: disk.fileSystem)
    }

    var file: SQLiteFile { SQLiteFile(path: "books.db", options: options) }

    func database() async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(path: "books.db", options: options)
        try await database.migrate(
            [Migration(1, "blobs", [.createTable(blobs)])],
            at: Instant(secondsSinceEpoch: 1_800_000_000))
        return database
    }

    var logByteCount: Int { disk.size(of: "books.db-wal") ?? 0 }
}

extension Database {
    fileprivate func add(_ numbers: Range<Int>, of byteCount: Int) async throws {
        try await write { transaction in
            for number in numbers {
                try transaction.execute(
                    "INSERT INTO blobs (number, data) VALUES ($1, $2)",
                    [.value(number), .bytes([UInt8](repeating: 7, count: byteCount))])
            }
        }
    }
}

@Suite struct TheLogStaysShort {
    @Test("However much is written, the log starts over")
    func bounded() async throws {
        let files = Files()
        let database = try await files.database()
        var longest = 0
        for number in 0..<400 {
            try await database.add(number..<(number + 1), of: 100 << 10)
            longest = max(longest, files.logByteCount)
        }
        let limit = (Int(SQLiteLimits.logPages) + 200) * (SQLiteLimits.pageBytes + 24)
        #expect(longest < limit)
        #expect(files.disk.size(of: "books.db") ?? 0 > 30 << 20, "it is all in the file")
        await database.close()
        #expect(files.disk.size(of: "books.db-wal") == nil)
    }

    @Test("A reader that keeps a very long log must give its snapshot back")
    func longReader() async throws {
        let files = Files()
        let database = try await files.database()
        let patience = Patience()
        let reader = try SQLiteConnection.reader(files.file, patience: patience)
        try reader.run("BEGIN")
        _ = try reader.rows("SELECT COUNT(*) FROM blobs", [])
        try await database.add(0..<10, of: 10 << 10)
        let keeper = Checkpointer(file: files.file, turns: WriterTurns(), readers: [patience])

        keeper.shorten(logOf: SQLiteLimits.logPages)
        #expect(!patience.isOver, "a log of the usual length can wait")
        #expect(files.logByteCount > 100 << 10)

        keeper.shorten(logOf: SQLiteLimits.longLogPages)
        #expect(patience.isOver)
        #expect(throws: DatabaseError.self) { try reader.checkPatience() }
        try reader.run("ROLLBACK")
        keeper.shorten(logOf: SQLiteLimits.longLogPages)
        #expect(files.logByteCount == 0)
        keeper.close()
        await database.close()
    }

    @Test("A closure whose snapshot was needed back runs again on a new one, and once only")
    func secondSnapshot() async throws {
        let files = Files()
        let database = try await files.database()
        for ends in [1, 2] {
            let patience = Patience()
            let reader = SnapshotReader(files.file, patience: patience)
            let runs = Mutex(0)
            let outcome = await Result.catching {
                try await withCheckedThrowingContinuation { continuation in
                    let call = PendingCall(continuation) { transaction in
                        let run = runs.withLock { runs in
                            runs += 1
                            return runs
                        }
                        if run <= ends { patience.end() }
                        return try transaction.row("SELECT COUNT(*) FROM blobs")?.integer(0)
                    }
                    reader.run([call])
                }
            }
            #expect(runs.withLock { $0 } == 2)
            if ends == 1 {
                #expect(try outcome.get() == 0)
            } else {
                #expect(throws: DatabaseError.self) { try outcome.get() }
            }
        }
        await database.close()
    }

    @Test("The log is asked for once in so many pages, and afresh when it has started over")
    func watch() {
        var watch = LogWatch()
        let limit = SQLiteLimits.logPages
        let lengths = [1, limit - 1, limit, limit + 1, limit + limit / 2, limit + limit / 2 + 1]
        let answers = (lengths + [3, limit]).map { watch.isDue(at: $0) }
        #expect(answers == [false, false, true, false, true, false, false, true])
    }
}

@Suite struct AStartLooksAtItsFile {
    @Test("A database that somebody else is writing to is busy, not broken")
    func held() async throws {
        let files = Files()
        let database = try await files.database()
        let options = files.options
        let error = try await database.write { transaction in
            try transaction.execute("INSERT INTO blobs (number, data) VALUES (1, x'00')")
            return #expect(throws: DatabaseError.self) {
                _ = try SQLiteDatabase(path: "books.db", options: options)
            }
        }
        #expect(error?.code == .busy)
        #expect(error?.message == "another process holds the database")
        await database.close()
    }

    @Test("The level of durability is what the library says, not what was asked for")
    func level() async throws {
        let files = Files()
        let database = try await files.database()
        let level = try await database.write { try $0.row("PRAGMA synchronous")?.integer(0) }
        #expect(level == SQLiteOptions.Synchronous.full.rawValue)
        await database.close()
    }
}

extension Result where Failure == any Error {
    fileprivate static func catching(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
