// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilTestSupport
import Foundation
import Testing

@testable import counterfoil

/// Material of the generator beside the project, made with a test authority of its own.
@Suite("Generated vectors", .serialized)
struct GeneratedVectors {
    private static let bundle = "com.example.counterfoil"

    /// Why each hostile case is refused, by the generator's names.
    private static let tokenVerdicts = [
        "signature-flipped": "bad-signature", "payload-swapped": "bad-signature",
        "signature-empty": "bad-signature", "signature-zero": "bad-signature",
        "signature-der": "bad-signature", "two-parts": "malformed", "four-parts": "malformed",
        "alg-none": "malformed", "alg-hs256": "malformed",
        "no-x5c": "signer-certificate-missing", "chain-of-two": "untrusted-root",
        "chain-of-one": "untrusted-root", "other-root": "untrusted-root",
        "other-root-true-root-shown": "untrusted-root",
        "leaf-without-marker": "wrong-certificate-purpose",
        "intermediate-without-marker": "wrong-certificate-purpose", "leaf-as-ca": "untrusted-root",
        "leaf-expired": "certificate-not-valid-at-creation-date", "leaf-p384": "bad-signature",
        "swapped-order": "untrusted-root", "other-bundle": "other-bundle",
        "other-environment": "other-environment", "crit-unknown": "malformed",
        "x5c-junk": "malformed", "payload-not-json": "malformed-payload",
    ]

    private static let receiptVerdicts = [
        "payload-edited": "bad-signature", "other-bundle": "other-bundle",
        "other-root": "untrusted-root", "other-root-true-root-shown": "untrusted-root",
        "leaf-without-marker": "wrong-certificate-purpose",
        "intermediate-without-marker": "wrong-certificate-purpose", "leaf-as-ca": "untrusted-root",
        "leaf-expired": "certificate-not-valid-at-creation-date", "self-signed": "untrusted-root",
        "bytes-behind": "trailing-bytes", "cut-short": "malformed", "not-pkcs7": "malformed",
    ]

    @Test("Everything hostile is refused for its reason, everything else is accepted")
    func negatives() async throws {
        guard
            let folder = try generate([
                "--transactions", "20", "--renewals", "5", "--notifications", "14",
                "--app-transactions", "3", "--receipts", "5", "--entries", "4", "--negatives",
            ])
        else { return }
        defer { try? FileManager.default.removeItem(at: folder) }
        try await expectAccepted(in: folder)
        for (file, field, verdicts) in [
            ("negatives.jsonl", "jws", Self.tokenVerdicts),
            ("negatives-receipts.jsonl", "receipt", Self.receiptVerdicts),
        ] {
            let cases = try lines(folder, file).map { try JSONValue(parsing: $0.utf8) }
            #expect(cases.count == verdicts.count)
            for hostile in cases {
                let name = hostile["name"]?.string ?? ""
                let run = try await verify(hostile[field]?.string ?? "", in: folder)
                let found = try run.json
                #expect(
                    found["verdict"]?.string == verdicts[name], "\(name): \(run.output)")
                #expect(found["check"]?.string != nil && run.exitCode != .success)
            }
        }
    }

    @Test(
        "Material in every form that the generator offers is accepted",
        arguments: [
            ["--receipt-digest", "sha1"], ["--signed-attrs"], ["--entries", "0"],
            ["--environment", "Production"], ["--leaves", "3"], ["--revoked-every", "2"],
            ["--leaf-days=-800:-100", "--now", "\(Self.now - 200 * 86_400_000)"],
        ])
    func variants(options: [String]) async throws {
        let counts = ["--transactions", "6", "--receipts", "2", "--notifications", "3"]
        guard let folder = try generate(counts + options) else { return }
        defer { try? FileManager.default.removeItem(at: folder) }
        let isProduction = options.contains("Production")
        try await expectAccepted(in: folder, environment: isProduction ? "Production" : "Sandbox")
    }

    /// The generator signs by the machine's clock.
    private static let now = Int64(Date().timeIntervalSince1970 * 1000)

    private func expectAccepted(
        in folder: URL, environment: String = "Sandbox"
    ) async throws {
        for (file, expectations) in [
            ("transactions.jws", "transactions.jsonl"), ("renewals.jws", "renewals.jsonl"),
            ("notifications.jws", ""), ("apptransactions.jws", "apptransactions.jsonl"),
            ("receipts.b64", ""),
        ] {
            let expected = expectations.isEmpty ? [] : try lines(folder, expectations)
            for (position, text) in try lines(folder, file).enumerated() {
                let run = try await verify(text, in: folder, environment: environment)
                #expect(run.exitCode == .success, "\(file): \(run.output)")
                guard !expected.isEmpty else { continue }
                #expect(try run.json["payload"] == JSONValue(parsing: expected[position].utf8))
            }
        }
    }

    private func verify(
        _ text: String, in folder: URL, environment: String = "Sandbox"
    ) async throws -> RecordedRun {
        let file = folder.appendingPathComponent("evidence")
        try Data(text.utf8).write(to: file)
        let roots = ["jws/root.pem", "rsa/root.der"].flatMap {
            ["--root", folder.appendingPathComponent("ca/\($0)").path]
        }
        return await RecordedRun(
            ["verify", file.path, "--json", "--bundle", Self.bundle, "--environment", environment]
                + roots, at: Instant(millisecondsSinceEpoch: Self.now + 60_000))
    }

    private func lines(_ folder: URL, _ file: String) throws -> [String] {
        let data = try Data(contentsOf: folder.appendingPathComponent(file))
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Runs the generator; nil where it or its Python library is absent.
    private func generate(_ options: [String]) throws -> URL? {
        guard try OutsideVectors.require(1, of: "GeneratedVectors"),
            let script = OutsideVectors.folder?.appendingPathComponent("../tools/make_vectors.py")
        else { return nil }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("generated-\(UUID().uuidString)")
        let (status, text) = try ChildProcess.run(
            "/usr/bin/env",
            ["python3", script.standardizedFileURL.path, "--out", folder.path] + options)
        guard status == 0 else {
            let isCI = ProcessInfo.processInfo.environment["CI"] == "true"
            #expect(text.contains("ModuleNotFoundError") && !isCI, "\(text)")
            print("GeneratedVectors: skipped, the generator's Python library is absent")
            return nil
        }
        return folder
    }
}
