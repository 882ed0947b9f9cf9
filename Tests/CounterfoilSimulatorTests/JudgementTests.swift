// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import CounterfoilTrust
import Testing

/// Signatures and certificates only: the payload's own faults are the business of its readers.
struct HostileMaterialIsJudged {
    private static let verifier = Result {
        TrustVerifier(
            store: TrustStore(
                anchors: try TestAuthority.shared.rootCertificates.map {
                    try TrustAnchor(parsing: $0)
                }))
    }

    private func verdict(
        of hostileCase: HostileCase, _ verify: (TrustVerifier) throws -> Void
    ) throws -> String {
        do {
            try verify(try Self.verifier.get())
            return "trusted"
        } catch let failure as TrustFailure {
            return failure.verdict.rawValue
        }
    }

    private func expected(_ hostileCase: HostileCase) -> String {
        hostileCase.isTrulySigned ? "trusted" : hostileCase.verdict
    }

    @Test("Tokens get their verdict, twice", arguments: try HostileEvidence.tokens)
    func tokens(hostileCase: HostileCase) throws {
        for _ in 0..<2 {
            let verdict = try verdict(of: hostileCase) { verifier in
                _ = try verifier.verify(jws: hostileCase.evidence[...]) { payload in
                    DatedPayload(payload, effectiveDate: TestAuthority.clock.now)
                }
            }
            // Payloads that are no JSON object are found by the verifier itself.
            guard hostileCase.verdict != "malformed-payload" else { continue }
            #expect(verdict == expected(hostileCase))
        }
    }

    @Test("Receipts get their verdict, twice", arguments: try HostileEvidence.receipts)
    func receipts(hostileCase: HostileCase) throws {
        for _ in 0..<2 {
            let verdict = try verdict(of: hostileCase) { verifier in
                _ = try verifier.verify(cms: hostileCase.evidence[...]) { content in
                    DatedPayload(Array(content), effectiveDate: TestAuthority.clock.now)
                }
            }
            #expect(verdict == expected(hostileCase))
        }
    }
}
