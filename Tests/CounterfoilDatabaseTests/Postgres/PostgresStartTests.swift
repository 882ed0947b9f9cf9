// SPDX-License-Identifier: Apache-2.0
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilDatabasePostgres
import CounterfoilTestSupport
import Testing

@Suite(.enabled(if: TestPostgres.isThere))
struct PostgresIsRefusedByName {
    @Test("Nobody listens")
    func absent() throws {
        try expectRefusal(
            "postgres://u:secret@127.0.0.1:\(QuietPort.find())/d", saying: "Connection refused",
            as: .unavailable)
    }

    @Test("The password is wrong, and is not shown")
    func password() throws {
        let address = try #require(TestPostgres.address)
        let pieces = address.split(separator: "@")
        guard address.split(separator: ":").count > 3 else { return }
        let user = pieces[0].split(separator: ":").dropLast().joined(separator: ":")
        try expectRefusal(
            "\(user):secret@\(pieces[1])", saying: "password authentication failed")
    }

    @Test("There is no such database")
    func database() throws {
        let address = try #require(TestPostgres.address)
        try expectRefusal(
            address.split(separator: "/").dropLast().joined(separator: "/")
                .replacing("postgres:/", with: "postgres://") + "/nowhere",
            saying: "database \"nowhere\" does not exist")
    }

    @Test("Encryption is wanted and the server has none")
    func encryption() throws {
        try expectRefusal(
            try TestPostgres.address(adding: "sslmode=require"), saying: "does not support SSL",
            as: .unavailable)
    }

    @Test("A server that comes up while it is awaited is taken")
    func awaited() async throws {
        let proxy = try PostgresProxy(to: try #require(TestPostgres.address))
        defer { proxy.stop() }
        proxy.setRefusing(true)
        let counter = RunCounter()
        var options = PostgresOptions(
            random: SystemRandom(), scheduling: .inline, allowsWeakDurability: true)
        options.waitsForServer = { error in
            _ = counter.next()
            proxy.setRefusing(false)
            return error.code == .unavailable
        }
        let database = try PostgresDatabase(address: proxy.address, options: options)
        #expect(counter.runs == 1)
        await database.close()
    }

    @Test("A server that refuses us is not awaited")
    func notAwaited() throws {
        let address = try #require(TestPostgres.address)
        var options = PostgresOptions(random: SystemRandom(), scheduling: .inline)
        options.waitsForServer = { _ in
            Issue.record("it was awaited")
            return false
        }
        #expect(throws: DatabaseError.self) {
            _ = try PostgresDatabase(address: address, options: options)
        }
    }

    @Test("The server may lose what it acknowledged, and nobody allowed that")
    func durability() throws {
        let error = try expectRefusal(
            try #require(TestPostgres.address), saying: "fsync is off", isWeakAllowed: false)
        #expect(error?.message.contains("full_page_writes is off") == true)
        #expect(error?.message.contains("allow_weak_durability") == true)
    }

    @Test(
        "The address is none, and is not shown",
        arguments: ["postgres://u:secret%@h/d", "nonsense=secret", "postgres://h/d?secret=1"])
    func address(text: String) throws {
        try expectRefusal(text, saying: "the address of the database cannot be read")
    }

    @discardableResult
    private func expectRefusal(
        _ address: String, saying words: String, as code: DatabaseError.Code = .cannotOpen,
        isWeakAllowed: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> DatabaseError? {
        let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) {
            _ = try openPostgres(address, isWeakAllowed: isWeakAllowed)
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(
            error?.message.contains(words) == true, "\(error?.debugDescription ?? "")",
            sourceLocation: sourceLocation)
        #expect(
            error?.debugDescription.contains("secret") == false, sourceLocation: sourceLocation)
        return error
    }
}

@Suite(.enabled(if: TestPostgres.isThere))
struct SeveralServersShareADatabase {
    @Test("Many that start at once make the schema once", arguments: DatabaseEngine.shared)
    func starting(engine: DatabaseEngine) async throws {
        try await TestPostgres.withPlace {
            let folder = TemporaryFolder()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let database = try await engine.open(in: folder)
                        try await database.prepare()
                        await database.close()
                    }
                }
                try await group.waitForAll()
            }
            let database = try await engine.open(in: folder)
            let applied = try await database.read {
                try $0.row("SELECT COUNT(*) FROM schema_migrations")?.integer(0)
            }
            #expect(applied == 1)
            await database.close()
        }
    }

    @Test("Two that wait for each other's row are both served, one after the other")
    func deadlock() async throws {
        try await withPostgres(writers: 2) { database, _ in
            try await database.addCounter("a", 0, place: 1)
            try await database.addCounter("b", 0, place: 2)
            let meeting = Meeting()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for order in [["a", "b"], ["b", "a"]] {
                    group.addTask {
                        let counter = RunCounter()
                        try await database.write { transaction in
                            let update: SQL =
                                "UPDATE counters SET amount = amount + 1 WHERE name = $1"
                            _ = try transaction.change(update, [.value(order[0])])
                            if counter.next() == 1 { meeting.attend() }
                            _ = try transaction.change(update, [.value(order[1])])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let sum = try await database.read {
                try $0.row("SELECT SUM(amount) FROM counters")?.integer(0)
            }
            #expect(sum == 4)
        }
    }

    @Test(
        "What each of two decides by the other's row is decided one after the other when serializable"
    )
    func serializable() async throws {
        try await withPostgres(writers: 2, isolation: .serializable) { database, _ in
            try await database.addCounter("a", 1, place: 1)
            try await database.addCounter("b", 1, place: 2)
            let meeting = Meeting()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in ["a", "b"] {
                    group.addTask {
                        let counter = RunCounter()
                        try await database.write { transaction in
                            let sum = try transaction.row("SELECT SUM(amount) FROM counters")
                            if counter.next() == 1 { meeting.attend() }
                            // One of the two must stay.
                            if try sum?.integer(0) == 2 {
                                try transaction.execute(
                                    "UPDATE counters SET amount = 0 WHERE name = $1",
                                    [.value(name)])
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let sum = try await database.read {
                try $0.row("SELECT SUM(amount) FROM counters")?.integer(0)
            }
            #expect(sum == 1)
        }
    }

    @Test("What a serializable reader was told, a writer that was slower may not contradict")
    func serializableRead() async throws {
        try await withPostgres(writers: 2, isolation: .serializable) { database, _ in
            try await database.addCounter("batch", 1, place: 1)
            let began = Meeting()
            let reported = Meeting()
            let counter = RunCounter()
            async let receipt: Void = database.write { transaction in
                let batch = try transaction.row("SELECT amount FROM counters WHERE place = 1")
                if counter.next() == 1 {
                    began.attend()
                    reported.attend()
                }
                try transaction.execute(
                    insertCounter,
                    [.value("receipt"), .value(try batch?.integer(0) ?? 0), .value(2)])
            }
            try await database.write { transaction in
                began.attend()
                try transaction.execute("UPDATE counters SET amount = 2 WHERE place = 1")
            }
            // The report of batch 1, which is closed now.
            let report = try await database.read { transaction in
                try transaction.rows("SELECT name, amount FROM counters LIMIT 10").count
            }
            #expect(report == 1)
            try await database.write { _ in reported.attend() }
            try await receipt
            #expect(counter.runs == 2)
        }
    }

    @Test("What one holds another leaves out, and takes when it is free")
    func skipping() async throws {
        try await withPostgres(writers: 2) { database, _ in
            try await database.addCounter("a", 1, place: 1)
            try await database.addCounter("b", 1, place: 2)
            let first = Meeting()
            let second = Meeting()
            let select: SQL = "SELECT name FROM counters WHERE amount = $1 ORDER BY place LIMIT 1"
            async let held = database.write { transaction in
                let name = try transaction.unlockedRows(select, [.value(1)]).first?.text(0)
                first.attend()
                second.attend()
                return name
            }
            let other = try await database.write { transaction in
                first.attend()
                let name = try transaction.unlockedRows(select, [.value(1)]).first?.text(0)
                second.attend()
                return name
            }
            #expect(try await held == "a")
            #expect(other == "b")
        }
    }
}
