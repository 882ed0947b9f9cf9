// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilTrust

struct FailuresNameTheCheck {
    private func failure(_ name: String) throws -> TrustFailure {
        let verifier = TrustVerifier(store: try .simulated)
        if let token = HostileEvidenceIsRefused.tokens.first(where: { $0.name == name }) {
            return try #require(throws: TrustFailure.self) {
                try verifier.verify(jws: token.evidence[...], reading: signedDate)
            }
        }
        let receipt = HostileEvidenceIsRefused.receipts.first { $0.name == name }
        let evidence = try #require(receipt).evidence
        return try #require(throws: TrustFailure.self) {
            try verifier.verify(cms: evidence[...], reading: creationDate)
        }
    }

    @Test(
        "The check that failed is named",
        arguments: [
            ("two-parts", "jws.segments"), ("padded", "jws.base64"), ("alg-none", "jws.alg"),
            ("no-alg", "jws.alg"), ("crit-unknown", "jws.crit"), ("no-x5c", "jws.x5c"),
            ("chain-of-two", "jws.x5c"), ("header-array", "jws.header"),
            ("x5c-junk", "certificate.structure"), ("swapped-order", "path.issuer"),
            ("leaf-p384", "jws.key"), ("signature-empty", "jws.signature"),
            ("payload-not-json", "jws.payload"), ("payload-list", "jws.payload"),
            ("other-root", "path.intermediate-signature"),
            ("leaf-without-marker", "path.leaf-marker"),
            ("intermediate-without-marker", "path.intermediate-marker"),
            ("intermediate-not-ca", "path.intermediate-ca"),
            ("intermediate-without-signing", "path.intermediate-key-usage"),
            ("leaf-critical-extension", "path.critical-extension"),
            ("leaf-expired", "path.leaf-validity"),
            ("intermediate-expired", "path.intermediate-validity"),
            ("leaf-as-ca", "path.anchor"), ("self-signed", "path.issuer"),
            ("bytes-behind", "cms.trailing-bytes"), ("no-signer", "cms.signer-count"),
            ("two-signers", "cms.signer-count"), ("no-certificates", "cms.signer-certificate"),
            ("digest-sha512", "cms.digest-algorithm"), ("other-content", "cms.content-type"),
            ("payload-swapped-attributes", "cms.message-digest"), ("cut-short", "cms.structure"),
            ("not-pkcs7", "cms.structure"), ("certificate", "cms.structure"),
        ])
    func names(_ name: String, check: String) throws {
        #expect(try failure(name).check == check)
    }

    @Test("A failure says what was expected and what was found")
    func values() throws {
        let algorithm = try failure("alg-none")
        #expect(algorithm.expected == "ES256")
        #expect(algorithm.actual == "none")
        #expect(algorithm.description == "malformed: jws.alg, expected ES256, found none")
        #expect(try failure("no-alg").actual == "no alg")

        let marker = try failure("leaf-without-marker")
        #expect(marker.expected == "extension 1.2.840.113635.100.6.11.1")
        #expect(marker.actual?.contains("CN=Simulated Receipt Signing") == true)

        let issuer = try failure("self-signed")
        #expect(issuer.actual?.contains("CN=Simulated Developer Relations CA - G6") == true)

        let validity = try failure("leaf-expired")
        #expect(validity.actual == HostileEvidence.purchase.signedDate.rfc3339)
        #expect(validity.expected?.hasPrefix("2026-") == true)
    }

    @Test("Each check has a name of its own in the form area.check")
    func form() {
        #expect(Set(Check.allCases.map(\.rawValue)).count == Check.allCases.count)
        for check in Check.allCases {
            #expect(check.rawValue.wholeMatch(of: /[a-z]+\.[a-z0-9-]+/) != nil)
        }
    }
}
