// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilDatabaseSQLite
import CounterfoilTestSupport
import Foundation
import Glibc
import Testing

@Suite struct SQLiteKeepsItsFileSafe {
    @Test("A commit waits for the disk: write-ahead log, synchronous FULL, foreign keys on")
    func settings() async throws {
        try await Engine.sqlite.withDatabase { database in
            let settings = try await database.write { transaction in
                [
                    try transaction.row("PRAGMA journal_mode")?.value(0),
                    try transaction.row("PRAGMA synchronous")?.value(0),
                    try transaction.row("PRAGMA foreign_keys")?.value(0),
                ]
            }
            #expect(settings == [.text("wal"), .integer(2), .integer(1)])
        }
    }

    @Test("The database, its log and its index are for the owner only")
    func mode() async throws {
        let folder = TemporaryFolder()
        let database = try SQLiteDatabase(path: folder.file("books.db"))
        try await database.prepare()
        for name in ["books.db", "books.db-wal", "books.db-shm"] {
            var status = stat()
            #expect(stat(folder.file(name), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        await database.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["books.db"])
    }

    @Test("A missing folder, a folder and a foreign file are refused by name")
    func unusable() async throws {
        let folder = TemporaryFolder()
        let missing = folder.file("missing/books.db")
        await expectFailure(.cannotOpen) {
            do throws(DatabaseError) {
                _ = try SQLiteDatabase(path: missing)
            } catch {
                #expect(error.message == "the folder of the database \(missing) does not exist")
                throw error
            }
        }
        await expectFailure(.cannotOpen) { _ = try SQLiteDatabase(path: folder.path) }
        let foreign = folder.file("letter.txt")
        try Data(String(repeating: "This is not a database. ", count: 100).utf8)
            .write(to: URL(fileURLWithPath: foreign))
        await expectFailure(.corrupt) { _ = try SQLiteDatabase(path: foreign) }
    }

    @Test("Who only looks makes no file where there is none")
    func mistyped() async throws {
        let folder = TemporaryFolder()
        let options = SQLiteOptions(makesFile: false)
        await expectFailure(.cannotOpen) {
            _ = try SQLiteDatabase(path: folder.file("boks.db"), options: options)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        await (try SQLiteDatabase(path: folder.file("books.db"))).close()
        await (try SQLiteDatabase(path: folder.file("books.db"), options: options)).close()
    }

    @Test("A file or a folder that we may not write to is refused by name")
    func readOnly() throws {
        let folder = TemporaryFolder()
        let path = folder.file("books.db")
        close(open(path, O_RDWR | O_CREAT, 0o644))
        defer { chmod(folder.path, 0o700) }
        for (fileMode, folderMode, words) in [
            (mode_t(0o444), mode_t(0o755), "the database \(path) cannot be written to"),
            (0o666, 0o555, "the folder of the database \(path) cannot be written to"),
        ] {
            chmod(path, fileMode)
            chmod(folder.path, folderMode)
            let error = #expect(throws: DatabaseError.self) {
                try asNobody { _ = try SQLiteDatabase(path: path) }
            }
            #expect(error?.code == .readOnly)
            #expect(error?.message == words)
        }
    }

    /// Runs the body without root's right to write anywhere.
    ///
    /// The rights for files belong to a thread and the body does not leave it. Whoever is not root
    /// has no such right, and the call does nothing.
    private func asNobody(_ body: () throws -> Void) throws {
        typealias SetFileUser = @convention(c) (uid_t) -> Int32
        let symbol = try #require(dlsym(nil, "setfsuid"))
        let setFileUser = unsafeBitCast(symbol, to: SetFileUser.self)
        _ = setFileUser(65534)
        defer { _ = setFileUser(geteuid()) }
        try body()
    }

    @Test("What another process reads while we write is whole, and the file passes its own check")
    func integrity() async throws {
        let folder = TemporaryFolder()
        let database = try SQLiteDatabase(path: folder.file("books.db"))
        try await database.prepare()
        let other = try SQLiteDatabase(path: folder.file("books.db"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for place in 0..<200 {
                let target = place % 2 == 0 ? database : other
                group.addTask { try await target.addCounter("w\(place)", 0, place: place) }
            }
            try await group.waitForAll()
        }
        #expect(try await database.counterNames().count == 200)
        await other.close()
        let verdict = try await database.read { try $0.row("PRAGMA integrity_check")?.text(0) }
        #expect(verdict == "ok")
        await database.close()
    }

    @Test("Tables of both layouts refuse values of another type")
    func strictTables() async throws {
        let keyed = Table(
            "keyed", columns: [.text("name", maximum: 8), .integer("amount")],
            primaryKey: ["name"], layout: .keyed)
        try await Engine.sqlite.withDatabase { database in
            try await database.migrate(
                [Migration(1, "tables", [.createTable(keyed), .createTable(counters)])],
                at: testTime)
            for insert: SQL in [
                "INSERT INTO keyed (name, amount) VALUES ('a', 'many')",
                "INSERT INTO counters (name, amount, place) VALUES ('a', 'many', 1)",
            ] {
                await expectFailure(.constraintViolation) {
                    try await database.write { try $0.execute(insert) }
                }
            }
        }
    }
}

@Suite struct SQLiteSurvivesAFullDisk {
    @Test("A full disk fails the writes that need space, and only them")
    func full() async throws {
        try await Engine.sqlite.withDatabase { database in
            try await database.prepare()
            _ = try await database.write { try $0.rows("PRAGMA max_page_count = 40") }
            let codes = try await withThrowingTaskGroup(of: DatabaseError.Code?.self) { group in
                for writer in 0..<64 {
                    group.addTask { try await write(writer, to: database) }
                }
                return try await group.reduce(into: [DatabaseError.Code?]()) { $0.append($1) }
            }
            #expect(codes.filter { $0 == .full }.count == 32, "the large ones")
            #expect(codes.filter { $0 == nil }.count == 32, "the small ones")
            let names = try await database.counterNames()
            #expect(names == (0..<64).filter { $0 % 2 == 0 }.map { "w\($0)" }.sorted())

            _ = try await database.write { try $0.rows("PRAGMA max_page_count = 1000000") }
            #expect(try await write(65, to: database) == nil, "space helps")
        }
    }

    /// Even writers need almost no space, odd ones a megabyte.
    private func write(
        _ writer: Int, to database: any Database
    ) async throws -> DatabaseError.Code? {
        do {
            if writer % 2 == 0 {
                try await database.addCounter("w\(writer)", 0, place: writer)
            } else {
                try await database.write { transaction in
                    try transaction.execute(
                        "INSERT INTO samples (name, data) VALUES ($1, $2)",
                        [.value("w\(writer)"), .bytes(Array(repeating: 7, count: 1 << 20))])
                }
            }
            return nil
        } catch let error as DatabaseError {
            return error.code
        }
    }
}
