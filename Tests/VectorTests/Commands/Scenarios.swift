// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilTestSupport
import Foundation
import Testing

@testable import counterfoil

/// The scenario files that the documentation shows.
struct Scenarios {
    private static let now = Instant(secondsSinceEpoch: 1_796_000_000)

    /// This file is Tests/VectorTests/Commands/Scenarios.swift of the package.
    private static let folder = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../../docs/scenarios").standardizedFileURL

    private static let names =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".json") }.sorted()

    @Test("Field case 64 and every other scenario comes out as its file says", arguments: names)
    func play(name: String) async throws {
        let keys = TemporaryFolder()
        let run = await RecordedRun(
            "simulate", "--scenario", Self.folder.appendingPathComponent(name).path, "--folder",
            keys.file("simulator"), at: Self.now)
        #expect(run.exitCode == .success, "\(run.output)\(run.errors)")
    }

    @Test("There are scenarios, field case 64 among them")
    func presence() {
        #expect(Self.names.contains("refund-and-reversal.json"))
    }

    @Test("A scenario that fails ends with status 1, one that cannot be read with 2")
    func failure() async throws {
        let folder = TemporaryFolder()
        let storeKit = Self.folder.appendingPathComponent("Game.storekit").path
        func run(_ text: String, _ more: [String] = []) async throws -> RecordedRun {
            let path = folder.file("scenario.json")
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            return await RecordedRun(
                ["simulate", "--scenario", path, "--folder", folder.file("simulator")] + more,
                at: Self.now)
        }
        let failing = #"{ title: "x", steps: [ { notifications: ["REFUND"] } ] }"#
        let failed = try await run(failing, ["--storekit", storeKit, "--json"])
        #expect(failed.exitCode == .failure)
        #expect(try failed.json["success"] == false)
        #expect(try await run("{ title: 1 }", ["--storekit", storeKit]).exitCode == .unreadable)
        #expect(try await run(failing).exitCode == .usage)
    }
}
