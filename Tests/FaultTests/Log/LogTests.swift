// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilTestSupport
import FaultyFiles
import Glibc
import Synchronization
import Testing

@testable import CounterfoilDatabaseSQLite

private let blobs = Table(
    "blobs", columns: [.integer("number"), .bytes("data", maximum: 1 << 20)],
    primaryKey: ["number"])

/// A database with one table on a disk of its own.
private struct Files {
    let disk: FaultyDisk

    init(seed: UInt64 = 3) {
        disk = FaultyDisk(seed: seed)
    }

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

private final class LongRead: Sendable {
    let runs = Atomic(0)
    let isOver = Atomic(false)
}

@Suite struct ALongReadGivesWay {
    private let folder = TemporaryFolder()

    private var logByteCount: Int {
        var status = stat()
        return stat(folder.file("books.db-wal"), &status) == 0 ? Int(status.st_size) : 0
    }

    @Test("A read that keeps the log of a busy server begins again, and the log is cut")
    func wholeDatabase() async throws {
        let database = try SQLiteDatabase(path: folder.file("books.db"))
        try await database.migrate(
            [Migration(1, "blobs", [.createTable(blobs)])],
            at: Instant(secondsSinceEpoch: 1_800_000_000))
        let read = LongRead()
        let counted = Task {
            try await database.read { transaction in
                let run = read.runs.add(1, ordering: .relaxed).newValue
                var count: Int64?
                repeat {
                    count = try transaction.row("SELECT COUNT(*) FROM blobs")?.integer(0)
                    sched_yield()
                    // The first run holds on to its snapshot until that is taken from it.
                } while run == 1 && !read.isOver.load(ordering: .relaxed)
                return count
            }
        }
        while read.runs.load(ordering: .relaxed) == 0 { await Task.yield() }
        var written = 0
        var longest = 0
        while read.runs.load(ordering: .relaxed) == 1, written < 400 {
            try await database.add(written..<(written + 1), of: 1 << 20)
            written += 1
            longest = max(longest, logByteCount)
        }
        read.isOver.store(true, ordering: .relaxed)
        #expect(try await counted.value ?? 0 > 0, "what was written since")
        #expect(read.runs.load(ordering: .relaxed) == 2)
        #expect(longest >= 100 << 20)
        while logByteCount >= longest / 2, written < 800 {
            try await database.add(written..<(written + 1), of: 1 << 20)
            written += 1
        }
        #expect(logByteCount < longest / 2)
        await database.close()
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

    @Test("What a failed sync left in the log is written anew before it is used", arguments: 1...6)
    func rewritten(_ seed: UInt64) async throws {
        let files = Files(seed: seed)
        await (try await files.database()).close()
        let database = try await files.database()
        // A reader is beside it, as in a server: the last connection takes the log along.
        _ = try await database.read { try $0.row("SELECT COUNT(*) FROM blobs")?.integer(0) }
        // The first sync is that of the log's head, the second that of the commit. Nothing is opened
        // again afterwards, since that would begin the log anew.
        files.disk.fail(at: 2, of: [.sync, .open], with: .inputOutputError, andStays: true)
        await #expect(throws: DatabaseError.self) { try await database.add(0..<5, of: 3_000) }
        files.disk.heal()
        files.disk.crash(.processDies)
        await database.close()

        // The log can be read, but is on no disk; the start copies from it, and the power fails
        // at any moment of that.
        var counts: Set<Int64?> = []
        for n in 1...40 {
            let disk = FaultyDisk(seed: UInt64(n), copying: files.disk)
            disk.fail(at: n, with: .powerFails)
            let options = SQLiteOptions(scheduling: .inline, fileSystem: disk.fileSystem)
            let first = try? SQLiteDatabase(path: "books.db", options: options)
            if !disk.hasStruck { disk.crash() }
            disk.heal()
            await first?.close()
            let second = try SQLiteDatabase(path: "books.db", options: options)
            let (verdict, count) = try await second.read { transaction in
                (
                    try transaction.rows("PRAGMA integrity_check").first?.text(0),
                    try transaction.row("SELECT COUNT(*) FROM blobs")?.integer(0)
                )
            }
            #expect(verdict == "ok", "power failed at \(n)")
            #expect(count == 0 || count == 5, "power failed at \(n)")
            counts.insert(count)
            await second.close()
        }
        #expect(counts.contains(5), "the log could be read")
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
