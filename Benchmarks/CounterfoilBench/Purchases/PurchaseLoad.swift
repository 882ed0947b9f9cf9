// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilDatabaseSQLite
import CounterfoilSimulator

/// Row 14.3: purchases through HTTP, and the memory of the server that took them (row 14.7).
struct PurchaseLoad {
    static let name = "purchase through HTTP"

    /// So many clients at once, and so many purchases of all of them together in a round.
    static let steps: [(clients: Int, purchases: Int)] = [(1, 80), (16, 400), (64, 800)]
    static let rounds = 5

    /// Purchases before the first round: the server's caches and its files grow to their size.
    private static let warmUp = 200

    let results: [PurchaseResult]

    /// Anonymous memory after everything, with 64 clients connected.
    let loadedMemory: Int64

    /// How much the database file grew by one purchase.
    let storedBytes: Int64

    /// How many statements a purchase runs, on average.
    let statements: Int

    /// The name of the database that holds all those purchases.
    let database = "served"

    init(in installation: Installation, progress: (String) -> Void) throws {
        progress("signing purchases and recording their statements")
        let total = Self.warmUp + Self.rounds * Self.steps.map(\.purchases).reduce(0, +)
        let material = try PurchaseMaterial(total, in: installation)
        try installation.copyDatabase(PurchaseMaterial.emptyDatabase, to: database)
        try installation.copyDatabase(PurchaseMaterial.emptyDatabase, to: "replayed")
        let server = try installation.server(database: database)
        let replay = try Replay(material.recording, path: installation.database("replayed"))
        let verification = try Work.p256Verification(
            by: installation.authority.signedDataChain.leaf.key)
        var rest = material.requests[...]
        var results = Self.steps.map { PurchaseResult(clients: $0.clients) }
        func measure(_ clients: Int, _ count: Int) throws -> PurchaseRound {
            let requests = rest.prefix(count)
            rest = rest.dropFirst(count)
            let connections = try LoadClients(clients, port: server.port)
            let before = try server.usage()
            let times = try connections.send(requests, accepting: PurchaseMaterial.isFulfilled)
            let ours = try server.usage() - before
            let yardstick = try replay.run(count, perCommit: clients)
            let verified = try Measurement.sample(verification, count: 500, threads: 1)
            return PurchaseRound(
                count: count, ours: ours, times: times, replay: yardstick,
                verificationMicroseconds: verified.processorMicroseconds)
        }
        _ = try measure(16, Self.warmUp)
        for round in 0..<Self.rounds {
            progress("\(Self.name): round \(round + 1) of \(Self.rounds)")
            for (index, step) in Self.steps.enumerated() {
                results[index].rounds.append(try measure(step.clients, step.purchases))
            }
        }
        let idle = try LoadClients(64, port: server.port)
        loadedMemory = try server.anonymousMemory()
        withExtendedLifetime(idle) {}
        try server.stop()
        for name in [database, "replayed"] {
            try Self.check(installation.database(name), holds: total)
        }
        let growth =
            try installation.databaseByteCount(database)
            - installation.databaseByteCount(PurchaseMaterial.emptyDatabase)
        self.results = results
        storedBytes = growth / Int64(total)
        statements = material.recording.calls.count / total
    }

    /// Both sides must have done the same work.
    private static func check(_ path: String, holds count: Int) throws {
        let found = try waiting {
            let database = try SQLiteDatabase(path: path)
            let count = try await database.read {
                try $0.row("SELECT count(*) FROM grants")?.integer(0)
            }
            await database.close()
            return count
        }
        guard found == Int64(count) else {
            throw BenchmarkFailure("\(path) holds \(found ?? 0) of \(count) purchases")
        }
    }
}

/// What one round of purchases brought.
struct PurchaseRound {
    let count: Int
    let ours: Usage
    let times: [Double]
    let replay: Usage
    let verificationMicroseconds: Double

    var processorMicroseconds: Double { ours.processorSeconds / Double(count) * 1e6 }

    var replayMicroseconds: Double { replay.processorSeconds / Double(count) * 1e6 }

    /// Our processor time as a multiple of the yardsticks' together; 1 is as good as they are.
    var processorMultiple: Double {
        processorMicroseconds / (replayMicroseconds + verificationMicroseconds)
    }
}

/// All rounds with one number of clients.
struct PurchaseResult {
    let clients: Int
    var rounds: [PurchaseRound] = []

    /// The design's goals: for the multiple, and for the slowest answers of 64 clients.
    static let multipleGoal = 1.5
    static let slowestGoalMilliseconds = 60.0

    func median(_ value: (PurchaseRound) -> Double) -> Double {
        rounds.map(value).median
    }

    var rate: Double { median { Double($0.count) / $0.ours.seconds } }

    var replayRate: Double { median { Double($0.count) / $0.replay.seconds } }

    var bytesWritten: Double { median { Double($0.ours.bytesWritten) / Double($0.count) } }

    var replayBytesWritten: Double {
        median { Double($0.replay.bytesWritten) / Double($0.count) }
    }

    /// The time within which so many of a thousand answers came, of all rounds together.
    func milliseconds(ofThousand share: Int) -> Double {
        let times = rounds.flatMap(\.times).sorted()
        guard !times.isEmpty else { return 0 }
        return times[min(times.count - 1, times.count * share / 1_000)] * 1_000
    }
}
