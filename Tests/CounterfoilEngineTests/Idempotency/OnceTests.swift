// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

extension IdempotencyKey {
    /// A key of the shop for a request that says `request`.
    fileprivate static func named(
        _ key: String, of principal: String = "secret", request: String = "POST /x {}"
    ) -> IdempotencyKey {
        IdempotencyKey(
            app: Shop.app, key: key, principal: principal,
            requestDigest: Digest.sha256(request.utf8))
    }
}

extension Shop {
    /// A write that makes a token for the customer and answers with it.
    fileprivate func makeToken(
        _ key: IdempotencyKey?, for customer: String = "u1", by engine: Engine? = nil
    ) async throws -> StoredReply {
        let engine = engine ?? self.engine
        let registration = engine.registration(of: nil, for: try CustomerID(customer), to: policy)
        return try await engine.once(key) { transaction in
            let token = try registration.run(in: transaction)
            return StoredReply(status: 201, body: ["token": .string(token.description)])
        }
    }

    fileprivate func tokenCount() async throws -> Int64 {
        try await count("SELECT COUNT(*) FROM account_tokens")
    }

    fileprivate func keyCount() async throws -> Int64 {
        try await count("SELECT COUNT(*) FROM idempotency_keys")
    }
}

@Suite("A write that names itself", .onEveryDatabase)
struct AWriteThatNamesItself {
    @Test("Repeated, it has one effect and the same answer")
    func repeated() async throws {
        let shop = try await Shop()
        let first = try await shop.makeToken(.named("k1"))
        let second = try await shop.makeToken(.named("k1"))
        #expect(!first.isRepeat)
        #expect(second.isRepeat)
        #expect(second.status == 201)
        #expect(second.body == first.body)
        #expect(try await shop.tokenCount() == 1)
    }

    @Test("Without a key each call has its effect and nothing is kept")
    func withoutKey() async throws {
        let shop = try await Shop()
        let first = try await shop.makeToken(nil)
        #expect(try await shop.makeToken(nil).body != first.body)
        #expect(try await shop.tokenCount() == 2)
        #expect(try await shop.keyCount() == 0)
    }

    @Test("The same key with another request is refused and changes nothing")
    func otherRequest() async throws {
        let shop = try await Shop()
        _ = try await shop.makeToken(.named("k1"))
        await #expect(throws: IdempotencyConflict.keyReused) {
            try await shop.makeToken(.named("k1", request: "POST /x {1}"))
        }
        #expect(try await shop.tokenCount() == 1)
        #expect(try await shop.makeToken(.named("k1")).isRepeat)
    }

    @Test("Equal keys of two callers are two keys")
    func twoPrincipals() async throws {
        let shop = try await Shop()
        let first = try await shop.makeToken(.named("k1", of: "customer:u1"))
        let second = try await shop.makeToken(.named("k1", of: "customer:u2"))
        #expect(!second.isRepeat)
        #expect(second.body != first.body)
    }

    @Test("A refusal is not remembered: the key is free for the next try")
    func refusal() async throws {
        struct Refused: Error {}
        let shop = try await Shop()
        await #expect(throws: Refused.self) {
            try await shop.engine.once(.named("k1")) { _ in throw Refused() }
        }
        #expect(try await shop.keyCount() == 0)
        // The name is free, also on the server that refused.
        #expect(try await !shop.makeToken(.named("k1")).isRepeat)
    }

    @Test("An answer is given again for seven days and then forgotten")
    func lifetime() async throws {
        let clock = ManualClock()
        let folder = TemporaryFolder()
        let database = try await DatabaseEngine.current.open(in: folder, clock: clock)
        let shop = try await Shop(clock: clock, on: database)
        let first = try await shop.makeToken(.named("k1"))
        clock.advance(by: Limits.idempotencyLifetime - .seconds(1))
        #expect(try await shop.engine.sweepIdempotencyKeys() == 0)
        #expect(try await shop.makeToken(.named("k1")).isRepeat)
        clock.advance(by: .seconds(1))
        let later = try await shop.makeToken(.named("k1"))
        #expect(!later.isRepeat)
        #expect(later.body != first.body)
        #expect(try await shop.keyCount() == 1)
        await database.close()
    }

    @Test("Old answers are swept, and not looked for all the time")
    func sweep() async throws {
        let clock = ManualClock()
        let folder = TemporaryFolder()
        let database = try await DatabaseEngine.current.open(in: folder, clock: clock)
        let shop = try await Shop(clock: clock, on: database)
        let count = Int(Limits.idempotencySweep) + 3
        for number in 0..<count {
            _ = try await shop.engine.once(.named("k\(number)")) { _ in StoredReply(body: [:]) }
        }
        #expect(try await shop.engine.sweepIdempotencyKeys() == 0)
        clock.advance(by: Limits.idempotencyLifetime)
        #expect(try await shop.engine.sweepIdempotencyKeys() == count)
        #expect(try await shop.keyCount() == 0)
        _ = try await shop.makeToken(.named("k1"))
        clock.advance(by: Limits.idempotencySweepInterval - .seconds(1))
        #expect(try await shop.engine.sweepIdempotencyKeys() == 0)
        await database.close()
    }
}

struct AWriteThatIsStillRunning {
    @Test("Only one write of a name is on its way, and the name is free afterwards")
    func running() {
        let keys = RunningKeys()
        #expect(keys.begin(.named("k1")))
        #expect(!keys.begin(.named("k1")))
        #expect(!keys.begin(.named("k1", request: "POST /y")))
        #expect(keys.begin(.named("k1", of: "customer:u1")))
        #expect(keys.begin(.named("k2")))
        keys.end(.named("k1"))
        #expect(keys.begin(.named("k1")))
    }

    @Test(
        "Two servers that get one key at the same time have one effect and one answer",
        arguments: DatabaseEngine.shared)
    func twoServers(on databaseEngine: DatabaseEngine) async throws {
        let folder = TemporaryFolder()
        let databases = [
            try await databaseEngine.open(in: folder), try await databaseEngine.open(in: folder),
        ]
        let shop = try await Shop(on: databases[0])
        let engines = [shop.engine, try await shop.anotherServer(on: databases[1])]
        let count = 40
        let replies = try await withThrowingTaskGroup(of: (Int, StoredReply).self) { group in
            for number in 0..<count {
                for engine in engines {
                    group.addTask {
                        let reply = try await shop.makeToken(
                            .named("k\(number)"), for: "u\(number % 3)", by: engine)
                        return (number, reply)
                    }
                }
            }
            return try await group.reduce(into: [Int: [StoredReply]]()) {
                $0[$1.0, default: []].append($1.1)
            }
        }
        for number in 0..<count {
            let both = try #require(replies[number])
            #expect(both.count == 2)
            #expect(both.filter(\.isRepeat).count == 1)
            #expect(both[0].body == both[1].body)
        }
        #expect(try await shop.tokenCount() == Int64(count))
        for database in databases { await database.close() }
    }
}
