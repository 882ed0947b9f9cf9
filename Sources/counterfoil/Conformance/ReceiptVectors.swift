// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilTrust

/// A folder of receipt vectors: `NAME.b64` beside `NAME.expected.json`, and anchors.
struct ReceiptVectors {
    static let expectationEnding = ".expected.json"

    let folder: String
    let now: Instant
    private let apple = EvidenceVerifier(trusting: .apple)

    init(folder: String, now: Instant) {
        self.folder = folder
        self.now = now
    }

    /// Whether a folder is laid out like this.
    static func recognises(_ names: [String]) -> Bool {
        names.contains { $0.hasSuffix(expectationEnding) }
    }

    func outcomes(_ names: [String]) throws -> [VectorOutcome] {
        try names.filter { $0.hasSuffix(Self.expectationEnding) }.map { file in
            let name = String(file.dropLast(Self.expectationEnding.count))
            let expected = try InputFile.document(of: "\(folder)/\(file)")
            let source = expected["file"]?.string ?? "\(name).b64"
            return try outcome(name, expected, InputFile.bytes(of: "\(folder)/\(source)"))
        }
    }

    private func outcome(
        _ name: String, _ expected: JSONValue, _ text: [UInt8]
    ) throws -> VectorOutcome {
        let verifier = try verifier(for: expected)
        let report = report(text, verifier)
        var differences = verdictDifferences(expected, report)
        differences += containerDifferences(expected, report)
        differences += contentDifferences(expected, report)
        if expected["verification"]?["verdict_under_apple_root"] != nil {
            let underApple = self.report(text, apple)
            differences += JSONComparison.differences(
                expected: expected["verification"]?["verdict_under_apple_root"] ?? .null,
                actual: .optional(underApple.verdict?.rawValue), at: "verdict_under_apple_root")
        }
        if report.verdict == .notYetJudged, differences.isEmpty {
            return VectorOutcome(name, notYetJudged: report.kindName ?? "unknown kind")
        }
        return VectorOutcome(name, differences: differences)
    }

    private func report(_ text: [UInt8], _ verifier: EvidenceVerifier) -> EvidenceReport {
        EvidenceReport(verifying: text, by: verifier, as: EvidenceIdentity(), at: now)
    }

    /// Apple's roots, or the anchor that the vector names and its folder holds.
    private func verifier(for expected: JSONValue) throws -> EvidenceVerifier {
        let prefix = "synthetic:receipt-"
        guard let anchor = expected["verification"]?["anchor"]?.string, anchor.hasPrefix(prefix)
        else { return apple }
        let file = "\(folder)/synthetic-\(anchor.dropFirst(prefix.count)).cert.b64"
        return EvidenceVerifier(trusting: TrustStore(anchors: try InputFile.anchors(in: file)))
    }

    private func verdictDifferences(
        _ expected: JSONValue, _ report: EvidenceReport
    ) -> [String] {
        // Decoded all the same; only the signature is nobody's business yet.
        if report.verdict == .notYetJudged { return [] }
        return JSONComparison.differences(
            expected: expected["verification"]?["verdict"] ?? .null,
            actual: .optional(report.verdict?.rawValue), at: "verdict"
        ).map { $0 + (report.failure.map { " (\($0.description))" } ?? "") }
    }

    private func contentDifferences(
        _ expected: JSONValue, _ report: EvidenceReport
    ) -> [String] {
        let actual = report.json
        var differences = ["receipt", "outer", "purchase_info"].flatMap { name in
            expected[name].map {
                JSONComparison.differences(expected: $0, actual: actual[name], at: name)
            } ?? []
        }
        if let device = expected["device_guid_hex"]?.string,
            let matches = expected["verification"]?["guid_hash_matches"],
            case .receipt(let receipt)? = report.content?.body
        {
            let device = Hexadecimal.bytes(of: device) ?? []
            differences += JSONComparison.differences(
                expected: matches, actual: .bool(receipt.isHash(ofDevice: device)),
                at: "guid_hash_matches")
        }
        return differences
    }

    private func containerDifferences(
        _ expected: JSONValue, _ report: EvidenceReport
    ) -> [String] {
        let bytes = report.evidence?.bytes ?? []
        let digest = Hexadecimal.text(of: Digest.sha256(bytes))
        var actual = JSONObject()
        actual.append("byte_length", .integer(bytes.count))
        actual.append("sha256", .string(digest))
        if let content = report.content {
            actual.append("trailing_bytes", .integer(content.trailingByteCount))
            actual.append("certificates", .array(content.certificates.map(Self.json)))
        }
        let facts = [
            ("container", expected["container"]), ("", Self.digests(of: expected)),
            ("normalises_to", expected["normalises_to"]),
        ]
        return facts.flatMap { name, value -> [String] in
            let known = (value?.object?.members ?? []).filter { actual[$0.key] != nil }
            return known.flatMap { member in
                JSONComparison.differences(
                    expected: Self.comparable(member.value), actual: actual[member.key],
                    at: name.isEmpty ? member.key : "\(name).\(member.key)")
            }
        }
    }

    /// Length and digest, which vectors without a readable container have at the top.
    private static func digests(of expected: JSONValue) -> JSONValue {
        let members = ["byte_length", "sha256"].compactMap { key in
            expected[key].map { JSONObject.Member(key: key, value: $0) }
        }
        return .object(JSONObject(members))
    }

    private static func json(_ certificate: Certificate) -> JSONValue {
        [
            "subject_cn": .optional(certificate.subject.commonName),
            "issuer_cn": .optional(certificate.issuer.commonName),
            "serial_hex": .string(serial(Hexadecimal.text(of: certificate.serialNumber))),
            "sha256": .string(Hexadecimal.text(of: certificate.sha256)),
            "not_before": .string(certificate.validity.notBefore.rfc3339),
            "not_after": .string(certificate.validity.notAfter.rfc3339),
        ]
    }

    /// What the two sides both know of a certificate, its serial number without leading zeros.
    private static func comparable(_ value: JSONValue) -> JSONValue {
        guard let certificates = value.array else { return value }
        let known = ["subject_cn", "issuer_cn", "sha256", "not_before", "not_after"]
        return .array(
            certificates.map { certificate in
                var object = JSONObject(
                    (certificate.object?.members ?? []).filter { known.contains($0.key) })
                object.append(
                    "serial_hex", .string(serial(certificate["serial_hex"]?.string ?? "")))
                return .object(object)
            })
    }

    private static func serial(_ digits: String) -> String {
        let significant = digits.drop { $0 == "0" }
        return significant.isEmpty ? "0" : String(significant)
    }
}

extension AppReceipt {
    /// Whether attribute 5 is the hash of this device's identifier; a sign of risk, never a verdict.
    fileprivate func isHash(ofDevice device: [UInt8]) -> Bool {
        guard let deviceHash, let opaqueValue, let bundleIDOctets else { return false }
        return Digest.hash(device + opaqueValue + bundleIDOctets, with: .sha1)[...] == deviceHash
    }
}
