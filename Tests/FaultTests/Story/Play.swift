// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilEngine
import CounterfoilTestSupport
import FaultyFiles

@testable import CounterfoilDatabaseSQLite

/// One run of the story on a disk that fails: clients repeat what was not answered, the server is
/// started again after a crash, and what it said is held against what is there.
final class Play {
    /// How the server of a run is built; the tests of the tests build bad ones.
    struct Server: Sendable {
        var synchronous = SQLiteOptions.Synchronous.full
        var wrap: @Sendable (SQLiteDatabase) -> any Database = { $0 }

        static let good = Server()
    }

    static let path = "books.db"

    /// A run that gets nowhere in so many tries never will: a fault strikes once.
    private static let mostTries = 4

    private let premises: Premises
    private let disk: FaultyDisk
    private let server: Server
    private let random: SeededRandom
    private let clock = ManualClock()
    private let fault: FaultyDisk.Fault?

    /// Whether the disk stays bad until a client has been sent away twice.
    private let stays: Bool
    private var engine: Engine?
    private var answers: [Answer] = []

    /// What was found wrong.
    private(set) var findings: [String] = []
    private(set) var starts = 0

    init(
        _ premises: Premises, on disk: FaultyDisk, seed: UInt64, fault: FaultyDisk.Fault?,
        stays: Bool = false, server: Server = .good
    ) {
        self.premises = premises
        self.disk = disk
        self.server = server
        self.fault = fault
        self.stays = stays
        random = SeededRandom(seed: seed)
    }

    /// Whether the planned fault has happened.
    private(set) var wasStruck = false

    /// Plays everything, loses power, and returns what the books then say.
    func run() async throws -> String {
        for act in premises.acts {
            try await untilAnswered { [self] in try await perform(act, on: $0) }
        }
        heal()
        disk.crash()
        try await stop()
        // Jobs that failed are due again.
        clock.advance(by: .seconds(7_200))
        // The clients hand everything in again: what was lost is delivered now, the rest once.
        for act in premises.acts {
            try await untilAnswered { [self] in try await perform(act, on: $0) }
        }
        let engine = try await start()
        try await engine.runDueJobs()
        try await check(engine)
        let summary = try await Books(engine.database).summary()
        try await stop()
        return summary
    }

    private func perform(_ act: Premises.Act, on engine: Engine) async throws {
        switch act {
        case .submit(let submission):
            let outcome = try await engine.submit(submission, to: premises.policy)
            answers.append(Answer(outcome))
        case .runJobs:
            try await engine.runDueJobs()
        }
    }

    /// Repeats the act as a client does, and restarts the server when it has died.
    private func untilAnswered(_ act: (Engine) async throws -> Void) async throws {
        for attempt in 0..<Self.mostTries {
            if stays, attempt == 2 { heal() }
            do {
                try await act(try await start())
                if !hasCrashed { return }
            } catch let error as DatabaseError {
                if ![.unavailable, .full, .busy, .cannotOpen].contains(error.code) {
                    findings.append("an unexpected error: \(error.debugDescription)")
                }
            }
            if hasCrashed { try await stop() }
        }
        findings.append("an act did not succeed in \(Self.mostTries) tries")
    }

    private func heal() {
        wasStruck = wasStruck || disk.hasStruck
        disk.heal()
    }

    private var crashIsHandled = false

    /// Whether the planned crash has come and the server that met it still stands.
    private var hasCrashed: Bool {
        fault?.isCrash == true && disk.hasStruck && !crashIsHandled
    }

    /// The server, started if it is not there; every start checks what was said before.
    private func start() async throws -> Engine {
        if let engine { return engine }
        var options = SQLiteOptions(
            scheduling: .inline, clock: clock, fileSystem: disk.fileSystem)
        options.synchronous = server.synchronous
        let database = server.wrap(try SQLiteDatabase(path: Self.path, options: options))
        let started: Engine
        do {
            started = try await Engine.open(
                database, policies: [premises.policy], clock: clock, random: random,
                jobSignal: {})
        } catch {
            await database.close()
            throw error
        }
        starts += 1
        engine = started
        try await check(started)
        return started
    }

    private func stop() async throws {
        if fault?.isCrash == true, disk.hasStruck { crashIsHandled = true }
        await engine?.database.close()
        engine = nil
    }

    private func check(_ engine: Engine) async throws {
        disk.pause()
        defer { disk.resume() }
        let books = Books(engine.database)
        findings += try await books.missing(of: answers)
        findings += try await books.faults()
    }
}

/// What a client was told.
struct Answer: Sendable {
    let submissionID: UniqueID
    let status: String
    let client: String
    let transactionID: TransactionID?

    init(_ outcome: SubmissionOutcome) {
        submissionID = outcome.submissionID
        status = outcome.decision.status.rawValue
        client = outcome.decision.client.rawValue
        transactionID = outcome.transactionID
    }
}
