// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilTestSupport
import Foundation
import Testing

@testable import counterfoil

struct RootsOfSimulatedApps {
    private static let now = Instant(secondsSinceEpoch: 1_796_000_000)

    @Test(
        "A simulated app that is told to trust a root of Apple's is refused",
        arguments: OutsideVectors.names(in: "apple/certs/apple-real", ending: ".cer")
            .filter { $0.contains("Root") })
    func roots(name: String) async throws {
        guard let vectors = OutsideVectors.folder else { return }
        let folder = TemporaryFolder()
        let root = vectors.appendingPathComponent("apple/certs/apple-real/\(name).cer").path
        let start = await RecordedRun(
            "init", "--folder", folder.path, "--root", root, at: Self.now)
        #expect(start.exitCode == .success, "\(start.errors)")
        let check = await RecordedRun(
            "serve", "--check", "--config", folder.file("counterfoil.json"), at: Self.now)
        #expect(check.exitCode == .unreadable)
        #expect(check.errors.contains("holds a root of Apple's"), "\(check.errors)")
    }

    @Test("The roots of Apple are there, or it is said how many are skipped")
    func presence() throws {
        try OutsideVectors.require(3, of: "Roots of simulated apps")
    }
}
