// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import Foundation
import Testing

@testable import counterfoil

@Suite("The commands verify and inspect")
struct VerifyAndInspect {
    private static let now = TestAuthority.clock.now
    private static let bundle = "com.example.game"

    private static var purchase: SimulatedPurchase {
        var purchase = SimulatedPurchase(
            environment: .sandbox, bundleID: bundle, transactionID: "2000000000000001",
            productID: "coins_100", kind: .consumable, purchaseDate: now - .seconds(60))
        purchase.signedDate = now
        return purchase
    }

    private static var receipt: SimulatedReceipt {
        SimulatedReceipt(
            bundleID: bundle, environment: .sandbox, creationDate: now, purchases: [purchase])
    }

    /// Writes evidence and the authority's roots into a folder of their own and runs a command there.
    private func run(
        _ command: String, on evidence: [UInt8], _ options: String..., trusting: Bool = true,
        at now: Instant = Self.now
    ) async throws -> RecordedRun {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("evidence")
        let roots = folder.appendingPathComponent("roots.pem")
        try Data(evidence).write(to: file)
        try Data(TestAuthority.shared.rootCertificatesPEM.joined().utf8).write(to: roots)
        let trust = trusting && command == "verify" ? ["--root", roots.path] : []
        return await RecordedRun([command, file.path] + options + trust, at: now)
    }

    private func token(_ purchase: SimulatedPurchase = Self.purchase) throws -> [UInt8] {
        Array(try TestAuthority.shared.signedTransaction(purchase).utf8)
    }

    @Test("A trusted transaction ends with 0 and shows payload and path")
    func trusted() async throws {
        let json = try await run("verify", on: token(), "--json").json
        #expect(json["kind"] == "jws-transaction" && json["verdict"] == "trusted")
        #expect(json["check"] == .null && json["proven"] == true)
        #expect(json["payload"] == Self.purchase.transactionPayload)
        #expect(json["certificates_are"] == "path" && json["certificates"]?.array?.count == 3)
        let people = try await run("verify", on: token())
        #expect(people.exitCode == .success && people.output.contains("Verdict   trusted"))
        #expect(people.output.contains("Certificate path"))
        #expect(people.output.contains("coins_100") && !people.output.contains("not proven"))
    }

    @Test("A receipt reads from its bytes, and from text that needs mending")
    func receipts() async throws {
        let bytes = try TestAuthority.shared.appReceipt(Self.receipt)
        let text = Base64.encode(bytes, .url) + "\n"
        for evidence in [bytes, Array(text.utf8)] {
            let json = try await run("verify", on: evidence, "--json").json
            #expect(json["kind"] == "app-receipt" && json["verdict"] == "trusted")
            #expect(json["receipt"]?["bundle_id"] == .string(Self.bundle))
            let entry = json["receipt"]?["in_app"]?.array?.first
            #expect(entry?["transaction_id"] == "2000000000000001" && entry?["quantity"] == 1)
            #expect(entry?["expires_date"] == .null)
            #expect(entry?["purchase_date"]?["epoch_ms"]?.int64 != nil)
        }
        let mended = try await run("verify", on: Array(text.utf8), "--json").json
        #expect(mended["repairs"]?.array?.contains("url-alphabet") == true)
    }

    @Test("What is refused ends with 1, names the check, and shows the content as claimed")
    func refused() async throws {
        let stranger = try await run("verify", on: token(), trusting: false)
        #expect(stranger.exitCode == .failure && stranger.output.contains("untrusted-root"))
        #expect(stranger.output.contains("as claimed, not proven"))
        let json = try await run(
            "verify", on: token(), "--json", "--bundle", "com.example.other"
        ).json
        #expect(json["verdict"] == "other-bundle" && json["check"] == "identity.bundle-id")
        #expect(json["expected"] == "com.example.other" && json["actual"] == .string(Self.bundle))
        let environment = try await run("verify", on: token(), "--environment", "production")
        #expect(environment.output.contains("other-environment"))
    }

    @Test("--at moves the present")
    func at() async throws {
        let early = (Self.now - .seconds(3600)).rfc3339
        let json = try await run("verify", on: token(), "--json", "--at", early).json
        #expect(json["verdict"] == "dated-in-future")
        let late = "\((Self.now + .seconds(3600)).millisecondsSinceEpoch)"
        #expect(try await run("verify", on: token(), "--at", late).exitCode == .success)
    }

    @Test(
        "What cannot be read ends with 2 and still prints one object",
        arguments: ["", "2000000000000001", "a.b.c", "{}", "AAAA"])
    func unreadable(text: String) async throws {
        let verified = try await run("verify", on: Array(text.utf8), "--json")
        #expect(verified.exitCode == .unreadable)
        #expect(try verified.json["verdict"] == "malformed")
        #expect(try verified.json["check"]?.string?.isEmpty == false)
        let inspected = try await run("inspect", on: Array(text.utf8))
        #expect(inspected.exitCode == .unreadable)
    }

    @Test("inspect decodes what nobody vouches for, and says so")
    func inspect() async throws {
        let people = try await run("inspect", on: token())
        #expect(people.exitCode == .success)
        #expect(people.output.contains("decoded without asking who signed it"))
        #expect(people.output.contains("Certificates in the evidence"))
        let json = try await run("inspect", on: token(), "--json").json
        #expect(json["verdict"] == .null && json["proven"] == false)
        #expect(json["payload"]?["productId"] == "coins_100")
    }

    @Test("A notification shows what lies inside")
    func notification() async throws {
        let inner = try TestAuthority.shared.signedTransaction(Self.purchase)
        let payload: JSONValue = [
            "notificationType": "ONE_TIME_CHARGE",
            "signedDate": .integer(Self.now.millisecondsSinceEpoch),
            "data": [
                "bundleId": .string(Self.bundle), "environment": "Sandbox",
                "signedTransactionInfo": .string(inner),
            ],
        ]
        let text = Array(try TestAuthority.shared.sign(payload).utf8)
        let json = try await run("verify", on: text, "--json").json
        #expect(json["kind"] == "jws-notification" && json["verdict"] == "trusted")
        #expect(json["transaction"]?["transactionId"] == "2000000000000001")
        #expect(try await run("verify", on: text).output.contains("Inside: transaction"))
    }

    @Test("A transaction receipt is decoded and not yet judged")
    func transactionReceipt() async throws {
        let inner = Base64.encode(Array("{ \"product-id\" = \"coins\"; }".utf8), .standard)
        let text = Array("{ \"purchase-info\" = \"\(inner)\"; \"pod\" = \"100\"; }".utf8)
        let run = try await run("verify", on: text, "--json")
        #expect(run.exitCode == .failure)
        #expect(try run.json["verdict"] == "not-yet-judged")
        #expect(try run.json["purchase_info"]?["product-id"] == "coins")
    }

    @Test("What strangers write cannot steer the terminal")
    func terminal() async throws {
        var purchase = Self.purchase
        purchase.additionalMembers.append("note", "\u{1B}[31mred\u{202E}")
        let output = try await run("verify", on: token(purchase)).output
        #expect(!output.contains("\u{1B}") && !output.contains("\u{202E}"))
        #expect(output.contains("[31mred"))
    }

    @Test(
        "Words that make no sense end with 64 and the way to the help",
        arguments: [
            ["verify"], ["verify", "a", "b"], ["verify", "a", "--at", "noon"],
            ["verify", "a", "--environment", "Moon"], ["verify", "a", "--bundle", ""],
            ["inspect"], ["conformance"], ["dance"], [],
        ])
    func usage(words: [String]) async {
        let run = await RecordedRun(words, at: Self.now)
        #expect(run.exitCode == .usage && run.output.isEmpty)
        #expect(run.errors.contains(words.isEmpty ? "Usage:" : "--help tells more"))
    }

    @Test("A file that is not there ends with 2")
    func missingFile() async {
        for words in [["/nonexistent"], ["-", "--root", "/nonexistent"]] {
            let run = await RecordedRun(["verify"] + words, at: Self.now)
            #expect(run.exitCode == .unreadable && run.errors.contains("No such file"))
        }
    }

    @Test(
        "A file of roots without a certificate ends with 2 and is named", arguments: ["", "text"])
    func noRoots(text: String) async throws {
        let folder = TemporaryFolder()
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file("roots.pem")))
        let roots = folder.file("roots.pem")
        let run = await RecordedRun("verify", "-", "--root", roots, at: Self.now)
        #expect(run.exitCode == .unreadable)
        #expect(run.errors.contains("roots.pem holds no certificate to trust"), "\(run.errors)")
    }

    @Test("Help is a result, not a complaint")
    func help() async {
        for words in [["--help"], ["verify", "--help"], ["conformance", "-h"]] {
            let run = await RecordedRun(words, at: Self.now)
            #expect(run.exitCode == .success && run.output.contains("Usage:") && run.errors.isEmpty)
        }
    }
}
