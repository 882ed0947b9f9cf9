// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilTrust

extension TrustStore {
    /// The roots of the shared authority.
    static var simulated: TrustStore {
        get throws {
            TrustStore(
                anchors: try TestAuthority.shared.rootCertificates.map {
                    try TrustAnchor(certificate: Certificate(der: $0))
                })
        }
    }
}

/// Reads a token's date of signing.
func signedDate(_ payload: JSONObject) throws(TrustFailure) -> DatedPayload<JSONObject> {
    guard let milliseconds = payload["signedDate"]?.int64 else {
        throw TrustFailure(.malformedPayload, check: "payload.signedDate")
    }
    return DatedPayload(
        payload, effectiveDate: Instant(millisecondsSinceEpoch: milliseconds))
}

struct HostileEvidenceIsRefused {
    static let tokens = (try? HostileEvidence.tokens) ?? []
    static let receipts = (try? HostileEvidence.receipts) ?? []

    @Test("The hostile material was made")
    func present() throws {
        #expect(try HostileEvidence.tokens.count >= 40)
        #expect(try HostileEvidence.receipts.count >= 40)
    }

    /// What only a reader of payloads can refuse is trusted here.
    private func expectation(_ hostile: HostileCase) -> String {
        switch hostile.verdict {
        case "other-bundle", "other-environment", "dated-in-future": "trusted"
        default: hostile.verdict
        }
    }

    @Test("A token gets its verdict, with or without a known chain", arguments: tokens)
    func token(_ hostile: HostileCase) throws {
        let verifier = TrustVerifier(store: try .simulated)
        let genuine = try TestAuthority.shared.signedTransaction(HostileEvidence.purchase)
        for _ in 0..<2 {
            let (word, check) = verdict { () throws(TrustFailure) in
                try verifier.verify(jws: hostile.evidence[...], reading: signedDate)
            }
            #expect(word == expectation(hostile), "\(check ?? "no check failed")")
            _ = try verifier.verify(jws: Array(genuine.utf8)[...], reading: signedDate)
        }
    }

    @Test("A receipt gets its verdict, with or without a known chain", arguments: receipts)
    func receipt(_ hostile: HostileCase) throws {
        // This module reads no payload; whether one is well-formed is not its business.
        guard hostile.verdict != "malformed-payload" else { return }
        let verifier = TrustVerifier(store: try .simulated)
        let genuine = try #require(Self.receipts.first { $0.name == "genuine-sha256" }).evidence
        for _ in 0..<2 {
            let (word, check) = verdict { () throws(TrustFailure) in
                try verifier.verify(cms: hostile.evidence[...], reading: creationDate)
            }
            #expect(word == expectation(hostile), "\(check ?? "no check failed")")
            _ = try verifier.verify(cms: genuine[...], reading: creationDate)
        }
    }

    @Test("Under Apple's roots nothing of it is trusted", arguments: tokens)
    func appleRoots(_ hostile: HostileCase) {
        let verifier = TrustVerifier(store: .apple)
        let (word, _) = verdict { () throws(TrustFailure) in
            try verifier.verify(jws: hostile.evidence[...], reading: signedDate)
        }
        #expect(word != "trusted")
    }

    @Test("A receipt's signature is no token's, and a token is no container")
    func mixedUp() throws {
        let verifier = TrustVerifier(store: try .simulated)
        for hostile in Self.receipts {
            #expect(throws: TrustFailure.self) {
                try verifier.verify(jws: hostile.evidence[...], reading: signedDate)
            }
        }
        for hostile in Self.tokens {
            #expect(throws: TrustFailure.self) {
                try verifier.verify(cms: hostile.evidence[...], reading: creationDate)
            }
        }
    }
}
