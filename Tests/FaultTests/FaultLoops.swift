// SPDX-License-Identifier: Apache-2.0
import FaultyFiles
import Testing

@testable import CounterfoilDatabaseSQLite

/// The story with a fault at its first operation, its second, and so on, until it succeeds.
@Suite struct EveryFaultIsSurvived {
    /// How many operations lie between two faults; `FAULT_STEP=1` takes each.
    static let step = ChosenNumber.of("FAULT_STEP") ?? 13

    @Test(
        "A fault at any operation costs no answer and no balance",
        arguments: FaultyDisk.Fault.allCases)
    func everyOperation(_ fault: FaultyDisk.Fault) async throws {
        let report = try await Stage.shared().loop(fault: fault, of: .changes, step: Self.step)
        report.expectSurvival()
    }

    @Test(
        "A fault at every sync, truncation, opening and removal costs nothing either",
        arguments: FaultyDisk.Fault.allCases)
    func rareOperations(_ fault: FaultyDisk.Fault) async throws {
        let report = try await Stage.shared().loop(
            fault: fault, of: [.sync, .truncate, .open, .delete, .share], step: 1)
        report.expectSurvival()
    }

    @Test(
        "A fault during the first start of all leaves a database that the next start completes",
        arguments: FaultyDisk.Fault.allCases)
    func firstStart(_ fault: FaultyDisk.Fault) async throws {
        let report = try await Stage.shared().loop(
            fault: fault, of: .changes, step: Self.step * 5, startsEmpty: true)
        report.expectSurvival()
    }

    @Test(
        "A disk that stays full or broken sends everybody away until it is good again",
        arguments: [FaultyDisk.Fault.inputOutputError, .diskFull])
    func staying(_ fault: FaultyDisk.Fault) async throws {
        let report = try await Stage.shared().loop(
            fault: fault, of: .changes, step: Self.step, stays: true)
        report.expectSurvival()
    }

    @Test("A fault while reading costs nothing", arguments: [FaultyDisk.Fault.inputOutputError])
    func reading(_ fault: FaultyDisk.Fault) async throws {
        let report = try await Stage.shared().loop(fault: fault, of: .read, step: Self.step)
        report.expectSurvival()
    }
}

/// The loops would be worth nothing if they passed whatever the server does.
@Suite struct TheFaultLoopsFindBadServers {
    @Test("They find a server that does not wait for the disk")
    func withoutSync() async throws {
        let report = try await Stage.shared().loop(
            fault: .powerFails, of: .changes, step: 7, server: .init(synchronous: .off),
            stopsAtFinding: true)
        #expect(report.findings.contains { $0.contains("P2") }, "\(report.findings)")
    }

    @Test("They find a server that waits only at checkpoints")
    func normalSync() async throws {
        let report = try await Stage.shared().loop(
            fault: .powerFails, of: .changes, step: 7, server: .init(synchronous: .normal),
            stopsAtFinding: true)
        #expect(report.findings.contains { $0.contains("P2") }, "\(report.findings)")
    }

    @Test("They find a server that answers before its commit")
    func earlyReply() async throws {
        let report = try await Stage.shared().loop(
            fault: .inputOutputError, of: .sync, step: 1,
            server: .init { EarlyReplies(database: $0) }, stopsAtFinding: true)
        #expect(report.findings.contains { $0.contains("P2") }, "\(report.findings)")
    }
}
