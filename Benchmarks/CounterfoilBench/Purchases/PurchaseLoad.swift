// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
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

    /// How many rows a purchase adds, its customer's included.
    let rowsPerPurchase: Double

    /// How many bytes the evidence of a purchase takes where it is stored.
    let evidenceBytes: Int64

    /// The name of the database that holds all those purchases.
    let database = "served"

    init(in installation: Installation, progress: (String) -> Void) throws {
        progress("signing purchases and recording their statements")
        let total = Self.warmUp + Self.rounds * Self.steps.map(\.purchases).reduce(0, +)
        let material = try PurchaseMaterial(total, in: installation)
        try installation.copyDatabase(PurchaseMaterial.emptyDatabase, to: database)
        try installation.copyDatabase(PurchaseMaterial.emptyDatabase, to: "replayed")
        let server = try installation.server(database: database)
        let replay: any PurchaseYardstick =
            if let postgres = installation.postgres {
                try PostgresReplay(
                    material.recording, address: postgres.address(of: "replayed"))
            } else {
                try Replay(material.recording, path: installation.database("replayed"))
            }
        let verification = try Work.p256Verification(
            by: installation.authority.signedDataChain.leaf.key)
        var rest = material.requests[...]
        var results = Self.steps.map { PurchaseResult(clients: $0.clients) }
        func measure(_ clients: Int, _ count: Int) throws -> PurchaseRound {
            let requests = rest.prefix(count)
            rest = rest.dropFirst(count)
            let connections = try LoadClients(clients, port: server.port)
            let log = try installation.postgres?.logByteCount()
            let before = try server.usage()
            let times = try connections.send(requests, accepting: PurchaseMaterial.isFulfilled)
                .map(\.seconds)
            var ours = try server.usage() - before
            let middle = try installation.postgres?.logByteCount()
            var yardstick = try replay.run(count, clients: clients)
            if let log, let middle, let end = try installation.postgres?.logByteCount() {
                ours.bytesWritten = middle - log
                yardstick.bytesWritten = end - middle
            }
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
            let found = try installation.number("SELECT COUNT(*) FROM grants", in: name)
            // Both sides must have done the same work.
            guard found == Int64(total) else {
                throw BenchmarkFailure("\(name) holds \(found) of \(total) purchases")
            }
        }
        let rows = try installation.number(Self.rowCount, in: database)
        rowsPerPurchase = Double(rows) / Double(total)
        evidenceBytes =
            try installation.number(
                "SELECT CAST(SUM(LENGTH(bytes)) AS BIGINT) FROM evidence", in: database)
            / Int64(total)
        let growth =
            try installation.databaseByteCount(database)
            - installation.databaseByteCount(PurchaseMaterial.emptyDatabase)
        self.results = results
        storedBytes = growth / Int64(total)
        statements = material.recording.calls.count / total
    }

    /// The rows of all tables that a purchase writes to.
    private static let rowCount: SQL = """
        SELECT (SELECT COUNT(*) FROM evidence) + (SELECT COUNT(*) FROM submissions)
        + (SELECT COUNT(*) FROM transactions) + (SELECT COUNT(*) FROM sales)
        + (SELECT COUNT(*) FROM sale_keys) + (SELECT COUNT(*) FROM grants)
        + (SELECT COUNT(*) FROM transfers) + (SELECT COUNT(*) FROM entries)
        + (SELECT COUNT(*) FROM accounts) + (SELECT COUNT(*) FROM wallets)
        + (SELECT COUNT(*) FROM customers) + (SELECT COUNT(*) FROM aliases)
        + (SELECT COUNT(*) FROM events) + (SELECT COUNT(*) FROM jobs)
        + (SELECT COUNT(*) FROM originals) + (SELECT COUNT(*) FROM lots)
        + (SELECT COUNT(*) FROM lot_uses)
        """
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

    /// Our purchases a second, of those that the yardstick made.
    var rateRatio: Double {
        median { $0.replay.seconds / $0.ours.seconds }
    }

    static let rateRatioGoal = 0.6

    var rate: Double { median { Double($0.count) / $0.ours.seconds } }

    var replayRate: Double { median { Double($0.count) / $0.replay.seconds } }

    var bytesWritten: Double { median { Double($0.ours.bytesWritten) / Double($0.count) } }

    var replayBytesWritten: Double {
        median { Double($0.replay.bytesWritten) / Double($0.count) }
    }

    /// The time within which so many of a thousand answers came, of all rounds together.
    func milliseconds(ofThousand share: Int) -> Double {
        rounds.flatMap(\.times).milliseconds(ofThousand: share)
    }
}
