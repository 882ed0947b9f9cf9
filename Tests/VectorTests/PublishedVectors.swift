// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilTestSupport
import Foundation
import Testing

@testable import counterfoil

@Suite("Published vectors")
struct PublishedVectors {
    private static let now = Instant(secondsSinceEpoch: 1_796_000_000)

    @Test("Every vector comes out as it should, or is listed as not yet judged")
    func conformance() async throws {
        guard try OutsideVectors.require(2, of: "PublishedVectors"),
            let folder = OutsideVectors.folder
        else { return }
        let run = await RecordedRun(
            "conformance", folder.appendingPathComponent("receipts").path,
            folder.appendingPathComponent("apple").path, at: Self.now)
        #expect(run.exitCode == .success, "\(run.output)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 2)
        let counts = run.output.matches(of: /(\d+) (not yet judged|passed|failed)/)
            .compactMap { Int($0.1) }
        let receipts = OutsideVectors.names(in: "receipts", ending: ".expected.json").count
        let models = OutsideVectors.names(in: "apple/models", ending: ".json").count
        let signedFiles = OutsideVectors.names(in: "apple/mock_signed_data", ending: "").count
        let xcodeFiles = OutsideVectors.names(in: "apple/xcode", ending: "").count
        let chains = 3
        #expect(
            counts.reduce(0, +) == receipts + models + signedFiles + xcodeFiles + chains)
        #expect(counts.last == 0)
    }

    @Test("A vector whose expectation is changed fails, and the difference is named")
    func sensitivity() async throws {
        guard try OutsideVectors.require(1, of: "PublishedVectors sensitivity") else { return }
        let name = "sandbox-sha256-202512-2iap"
        let expected = try OutsideVectors.text("receipts/\(name).expected.json")
        let changes = [
            ("\"verdict\": \"trusted\"", "\"verdict\": \"malformed\"", "verdict"),
            ("\"quantity\": 1", "\"quantity\": 2", "receipt.in_app[0].quantity"),
            ("1766770987000", "1766770987001", "receipt.in_app[0].purchase_date.epoch_ms"),
            ("\"byte_length\": 5665", "\"byte_length\": 5666", "container.byte_length"),
            (
                "\"serial_hex\": \"2\"", "\"serial_hex\": \"3\"",
                "container.certificates[2].serial_hex"
            ),
            ("\"trailing_bytes\": 0", "\"trailing_bytes\": 1", "container.trailing_bytes"),
            ("\"type_13\": 180602", "\"type_13\": 180603", "receipt.type_13"),
            ("\"bundle_id\": \"dev.", "\"bundle_id\": \"Dev.", "receipt.bundle_id"),
        ]
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("vectors-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(OutsideVectors.bytes("receipts/\(name).b64"))
            .write(to: folder.appendingPathComponent("\(name).b64"))
        for (original, change, place) in changes {
            #expect(expected.contains(original))
            try Data(expected.replacingOccurrences(of: original, with: change).utf8)
                .write(to: folder.appendingPathComponent("\(name).expected.json"))
            let run = await RecordedRun("conformance", folder.path, at: Self.now)
            #expect(run.exitCode == .failure && run.lastLine == "0 passed, 1 failed")
            #expect(run.output.hasPrefix("\(name): \(place): "), "\(run.output)")
        }
    }
}
