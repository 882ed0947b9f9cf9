// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilTrust

/// The data of Apple's own libraries, with the expectations of its README.
///
/// One vector is one signed file, one model, or one chain of certificates.
struct AppleVectors {
    let folder: String
    let now: Instant

    /// Whether a folder is laid out like this.
    static func recognises(_ names: [String]) -> Bool {
        names.contains("mock_signed_data") || names.contains("models")
    }

    func outcomes() -> [VectorOutcome] {
        signedFiles() + xcodeFiles() + models() + chains()
    }

    // MARK: - Signed files

    /// One question to a signed file, and the verdict that answers it.
    private struct Question {
        let identity: EvidenceIdentity
        let verdict: Verdict
    }

    private func question(
        bundle: String? = nil, appAppleID: Int64? = nil, _ environment: AppStoreEnvironment,
        _ verdict: Verdict
    ) throws -> Question {
        let identity = EvidenceIdentity(
            bundleID: try bundle.map { try BundleID($0) }, appAppleID: appAppleID,
            environments: [environment])
        return Question(identity: identity, verdict: verdict)
    }

    private func signedFiles() -> [VectorOutcome] {
        [
            vector("mock_signed_data/testNotification") { name in
                let questions = [
                    try question(bundle: "com.example", .sandbox, .trusted),
                    try question(
                        bundle: "com.example", appAppleID: 1234, .production, .otherEnvironment),
                    try question(
                        bundle: "com.example", appAppleID: 1235, .production, .otherBundle),
                ]
                return try ask(questions, name)
                    + payload(
                        name, "jws-notification",
                        [
                            "notificationType": "TEST", "signedDate": 1_681_314_324_000,
                            "notificationUUID": "9ad56bd2-0bc6-42e0-af24-fd996d87a1e6",
                            "data": [
                                "appAppleId": 1234, "environment": "Sandbox",
                                "bundleId": "com.example",
                            ],
                        ])
            },
            vector("mock_signed_data/renewalInfo") { name in
                let questions = [
                    try question(.sandbox, .trusted),
                    try question(.production, .otherEnvironment),
                ]
                return try ask(questions, name)
                    + payload(
                        name, "jws-renewal-info",
                        [
                            "environment": "Sandbox", "signedDate": 1_672_956_154_000,
                        ])
            },
            vector("mock_signed_data/wrongBundleId") { name in
                let questions = [
                    try question(bundle: "com.example", .sandbox, .otherBundle),
                    try question(bundle: "com.example.wrong", .sandbox, .otherEnvironment),
                ]
                return try ask(questions, name)
                    + payload(
                        name, "jws-notification",
                        [
                            "notificationType": "TEST", "data": ["bundleId": "com.example.wrong"],
                        ])
            },
            vector("mock_signed_data/legacyTransaction", notYetJudged: "transaction-receipt") {
                name in
                let report = EvidenceReport(inspecting: try bytes(name))
                return JSONComparison.differences(
                    expected: ["transaction-id": "33993399"], actual: report.json["purchase_info"],
                    at: "purchase_info")
            },
        ]
    }

    private func ask(_ questions: [Question], _ name: String) throws -> [String] {
        let root = try TrustAnchor(parsing: bytes("certs/testCA.der"))
        let verifier = EvidenceVerifier(trusting: TrustStore(anchors: [root]))
        let text = try bytes(name)
        return questions.flatMap { question in
            let report = EvidenceReport(
                verifying: text, by: verifier, as: question.identity, at: now)
            return verdict(report, question.verdict)
        }
    }

    private func verdict(_ report: EvidenceReport, _ expected: Verdict) -> [String] {
        guard report.verdict != expected else { return [] }
        let found = report.failure?.description ?? report.verdict?.rawValue ?? "none"
        return ["verdict: expected \(expected), found \(found)"]
    }

    private func payload(
        _ name: String, _ kind: String, _ expected: JSONValue
    ) throws -> [String] {
        let report = EvidenceReport(inspecting: try bytes(name))
        return JSONComparison.differences(
            expected: ["kind": .string(kind), "payload": expected], actual: report.json, at: "")
    }

    // MARK: - Xcode

    /// Data that Xcode signed: it decodes, and nobody believes it.
    private func xcodeFiles() -> [VectorOutcome] {
        [
            vector("xcode/xcode-app-receipt-with-transaction") { name in
                try untrusted(name)
                    + JSONComparison.differences(
                        expected: ["in_app": [["transaction_id": "0"]]],
                        actual: EvidenceReport(inspecting: try bytes(name)).json["receipt"],
                        at: "receipt")
            },
            vector("xcode/xcode-signed-app-transaction") { name in
                guard case .appTransaction(let payload) = try signed(name) else {
                    return ["kind: expected an app transaction"]
                }
                return try untrusted(name)
                    + AppleExpectations.xcodeAppTransaction(payload).differences
            },
            vector("xcode/xcode-signed-transaction") { name in
                guard case .transaction(let payload) = try signed(name) else {
                    return ["kind: expected a transaction"]
                }
                return try untrusted(name)
                    + AppleExpectations.xcodeTransaction(payload).differences
            },
        ]
    }

    private func untrusted(_ name: String) throws -> [String] {
        let report = EvidenceReport(
            verifying: try bytes(name), by: EvidenceVerifier(trusting: .apple),
            as: EvidenceIdentity(), at: now)
        return verdict(report, .untrustedRoot)
    }

    private func signed(_ name: String) throws -> SignedContent? {
        let content = try EvidenceContent(Evidence(bytes(name)))
        guard case .signed(let signed) = content.body else { return nil }
        return signed
    }

    // MARK: - Models

    /// JSON bodies: those of signed payloads are decoded, the others belong to services that a later
    /// version calls.
    private func models() -> [VectorOutcome] {
        let names: [String]
        do {
            names = try InputFile.names(in: "\(folder)/models").filter { $0.hasSuffix(".json") }
        } catch {
            return [VectorOutcome("models", differences: [error.description])]
        }
        return names.map { name in
            guard let expectation = AppleExpectations.models[name] else {
                return VectorOutcome("models/\(name)", notYetJudged: "service body")
            }
            return vector("models/\(name)") { path in
                try expectation(JSONValue(parsing: bytes(path))).differences
            }
        }
    }

    // MARK: - Chains

    private func chains() -> [VectorOutcome] {
        let real = ["apple-real/prod-receipt-signing-2025.cer", "apple-real/AppleWWDRCAG6.cer"]
        let november = Instant(secondsSinceEpoch: 1_761_962_975)
        let later = Instant(secondsSinceEpoch: 1_830_297_600)
        let roots = [
            "apple-real/AppleRootCA-G3.cer", "apple-real/AppleRootCA-G2.cer",
            "apple-real/AppleIncRootCertificate.cer",
        ]
        let test = ["testLeaf.pem", "testIntermediate.pem"]
        return [
            vector("certs/apple-real") { _ in
                try path(real, .apple, at: november, .trusted)
                    + path(real, .apple, at: later, .certificateNotValidAtCreationDate)
                    + path(real, store(roots), at: november, .trusted)
                    + path(real, store(["testCA.der"]), at: november, .untrustedRoot)
            },
            vector("certs/testLeaf") { _ in
                try ["testCA.der", "testCA.pem"].flatMap { root in
                    try path(test, store([root]), at: november, .trusted)
                } + path(test, .apple, at: november, .untrustedRoot)
                    + path(
                        test, store(["testCA.der"]), at: Instant(secondsSinceEpoch: 2_280_946_846),
                        .certificateNotValidAtCreationDate)
            },
            vector("certs/testInvalidOIDLeaf") { _ in
                try path(
                    ["testInvalidOIDLeaf.pem", "testIntermediate.pem"], store(["testCA.der"]),
                    at: november, .wrongCertificatePurpose)
            },
        ]
    }

    private func store(_ roots: [String]) throws -> TrustStore {
        TrustStore(anchors: try roots.map { try TrustAnchor(parsing: bytes("certs/\($0)")) })
    }

    private func path(
        _ certificates: [String], _ store: TrustStore, at instant: Instant, _ expected: Verdict
    ) throws -> [String] {
        let chain = try certificates.map { try Certificate(parsing: bytes("certs/\($0)")) }
        let found: TrustFailure?
        do throws(TrustFailure) {
            _ = try TrustVerifier(store: store).path(
                from: chain[0], through: Array(chain.dropFirst()), at: instant)
            found = nil
        } catch {
            found = error
        }
        guard (found?.verdict ?? .trusted) != expected else { return [] }
        return [
            "path at \(instant): expected \(expected), found \(found?.description ?? "trusted")"
        ]
    }

    // MARK: - One vector

    /// Runs one vector; a file that cannot be read is a difference like any other.
    private func vector(
        _ name: String, notYetJudged reason: String? = nil,
        _ differences: (String) throws -> [String]
    ) -> VectorOutcome {
        do {
            let found = try differences(name)
            if let reason, found.isEmpty { return VectorOutcome(name, notYetJudged: reason) }
            return VectorOutcome(name, differences: found)
        } catch {
            return VectorOutcome(name, differences: ["\(error)"])
        }
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        try InputFile.bytes(of: "\(folder)/\(name)")
    }
}
