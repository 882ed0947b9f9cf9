// SPDX-License-Identifier: Apache-2.0
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

struct HostileMaterialIsComplete {
    @Test("Every name stands once, so that a failure names its case")
    func names() throws {
        for cases in [try HostileEvidence.tokens, try HostileEvidence.receipts] {
            #expect(Set(cases.map(\.name)).count == cases.count)
        }
    }

    @Test("Every verdict that signed data can get is asked for at least once")
    func verdicts() throws {
        let common: Set = [
            "trusted", "bad-signature", "untrusted-root", "wrong-certificate-purpose",
            "certificate-not-valid-at-creation-date", "signer-certificate-missing", "malformed",
            "malformed-payload", "other-bundle", "other-environment", "dated-in-future",
        ]
        #expect(Set(try HostileEvidence.tokens.map(\.verdict)) == common)
        #expect(
            Set(try HostileEvidence.receipts.map(\.verdict))
                == common.union(["no-signer", "trailing-bytes"]))
    }
}
