// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilTrust

/// `counterfoil verify`: is this evidence proven?
enum VerifyCommand: Command {
    static let syntax = CommandSyntax(
        name: "verify",
        summary: "Tell whether a receipt or a JWS is proven, and by whom it was signed.",
        operands: .one("FILE|-"),
        options: [
            .value("--at", "INSTANT", "Judge as if it were then: RFC 3339, or milliseconds."),
            .value(
                "--root", "FILE", "Trust this certificate (PEM, DER, base64), not Apple's roots.",
                isRepeatable: true),
            .value("--bundle", "ID", "Refuse evidence of another app."),
            .value("--environment", "E", "Refuse another environment than Production or Sandbox."),
            .flag("--json", "Print one JSON object."),
        ],
        notes: [
            """
            The kind is recognised: app receipt, transaction receipt, JWS of any kind. Certificates
            are judged at the date in the evidence; --at decides where it has none, and what lies in
            the future. --bundle does not apply to renewal infos, which name no app.
            """,
            """
            Of the body of a request, give the value of signed_transaction or receipt_data alone, not
            the JSON around it.
            """,
            "Exit status: 0 trusted, 1 refused, 2 unreadable, 64 usage.",
        ])

    static func run(_ arguments: Arguments, in surroundings: Surroundings) throws -> ExitCode {
        let now = try arguments.value("--at").map(instant) ?? surroundings.clock.now
        let identity = EvidenceIdentity(
            bundleID: try arguments.value("--bundle").map(bundleID),
            environments: try arguments.value("--environment").map { [try environment($0)] })
        let store = try store(arguments.values("--root"))
        let name = arguments.operands[0]
        let text = try InputFile.bytes(of: name)
        if let document = (try? JSONValue(parsing: text))?.object, !document.members.isEmpty {
            surroundings.console.complain(
                "counterfoil verify: \(name) is a JSON document; verify takes the value of its "
                    + "signed_transaction or receipt_data alone\n")
        }
        let report = EvidenceReport(
            verifying: text, by: EvidenceVerifier(trusting: store), as: identity, at: now)
        surroundings.console.print(report, asJSON: arguments.has("--json"))
        return report.exitCode
    }

    private static func instant(_ text: String) throws(UsageError) -> Instant {
        if let instant = Instant(rfc3339: text) { return instant }
        guard let milliseconds = Int64(text) else {
            throw UsageError("--at takes a date such as 2025-12-26T18:39:47Z, or milliseconds")
        }
        return Instant(millisecondsSinceEpoch: milliseconds)
    }

    private static func bundleID(_ text: String) throws(UsageError) -> BundleID {
        do {
            return try BundleID(text)
        } catch {
            throw UsageError("--bundle: \(error)")
        }
    }

    private static func environment(_ text: String) throws(UsageError) -> AppStoreEnvironment {
        let known: [AppStoreEnvironment] = [.production, .sandbox, .xcode, .localTesting]
        guard let match = known.first(where: { $0.rawValue.lowercased() == text.lowercased() })
        else { throw UsageError("--environment takes Production or Sandbox, not \(text)") }
        return match
    }

    private static func store(_ files: [String]) throws(InputError) -> TrustStore {
        guard !files.isEmpty else { return .apple }
        var anchors: [TrustAnchor] = []
        for file in files { anchors += try InputFile.anchors(in: file) }
        return TrustStore(anchors: anchors)
    }
}
