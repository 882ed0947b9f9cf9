// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilDatabaseSQLite
import CounterfoilEngine
import CounterfoilTestSupport
import FaultyFiles
import Foundation
import Testing

/// A disk with an empty database on it, and what the story comes to when nothing fails.
final class Stage: Sendable {
    let premises: Premises
    private let empty: FaultyDisk

    /// The books after a run without a fault.
    let ending: String

    private static let made = Task { try await Stage() }

    /// Setting it up takes a while, so all tests share one.
    static func shared() async throws -> Stage {
        try await made.value
    }

    private init() async throws {
        premises = try Premises()
        empty = FaultyDisk(seed: 0)
        let database = try SQLiteDatabase(
            path: Play.path,
            options: SQLiteOptions(scheduling: .inline, fileSystem: empty.fileSystem))
        _ = try await Engine.open(
            database, policies: [premises.policy], clock: ManualClock(),
            random: SeededRandom(seed: 0), jobSignal: {})
        await database.close()
        let disk = FaultyDisk(seed: 1, copying: empty)
        let play = Play(premises, on: disk, seed: 1, fault: nil)
        ending = try await play.run()
        #expect(play.findings == [])
    }

    /// Plays the story with the fault at every `step`-th operation until it does not strike.
    func loop(
        fault: FaultyDisk.Fault, of operations: FaultyDisk.Operations, step: Int,
        stays: Bool = false,
        server: Play.Server = .good, startsEmpty: Bool = false, stopsAtFinding: Bool = false
    ) async throws -> FaultReport {
        var report = FaultReport(fault: fault)
        var n = 1
        while true {
            let disk = FaultyDisk(seed: UInt64(n), copying: startsEmpty ? nil : empty)
            disk.fail(at: n, of: operations, with: fault, andStays: stays)
            let play = Play(
                premises, on: disk, seed: UInt64(n), fault: fault, stays: stays, server: server)
            let books = try await play.run()
            report.count(play, at: n, sameEnding: books == ending)
            if stopsAtFinding, !report.findings.isEmpty { return report }
            if !play.wasStruck { return report }
            n += step
        }
    }
}

/// What a loop came to.
struct FaultReport {
    let fault: FaultyDisk.Fault
    private(set) var runs = 0
    private(set) var strikes = 0
    private(set) var starts = 0
    private(set) var findings: [String] = []

    init(fault: FaultyDisk.Fault) {
        self.fault = fault
    }

    mutating func count(_ play: Play, at n: Int, sameEnding: Bool) {
        runs += 1
        starts += play.starts
        if play.wasStruck { strikes += 1 }
        findings += play.findings.map { "\(fault) at \(n): \($0)" }
        if !sameEnding { findings.append("\(fault) at \(n): the books end otherwise") }
    }

    /// Expects that something was tried and nothing was found.
    func expectSurvival(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(findings.isEmpty, "\(findings.prefix(5))", sourceLocation: sourceLocation)
        #expect(strikes > 0, "no fault struck", sourceLocation: sourceLocation)
        let line = "\(fault): \(runs) runs, \(strikes) faults, \(starts) starts\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}

/// Numbers that the environment may set.
enum ChosenNumber {
    static func of(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}
