// SPDX-License-Identifier: Apache-2.0

import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilTrust

struct FlippedBits {
    private let verifier: TrustVerifier

    /// Not every byte, since unknown chains are slow; odd, so that every kind of byte has its turn.
    private static let step = 13

    init() throws {
        verifier = TrustVerifier(store: try .simulated)
    }

    @Test("No bit of a token can be changed")
    func token() throws {
        let genuine = try #require(HostileEvidenceIsRefused.tokens.first { $0.name == "genuine" })
        _ = try verifier.verify(jws: genuine.evidence[...], reading: signedDate)
        for position in stride(from: 0, to: genuine.evidence.count, by: Self.step) {
            var bytes = genuine.evidence
            bytes[position] ^= 1 << UInt8(position % 7)
            let (word, _) = verdict { () throws(TrustFailure) in
                try verifier.verify(jws: bytes[...], reading: signedDate)
            }
            #expect(word != "trusted", "byte \(position)")
        }
    }

    @Test(
        "No bit of a receipt's content can be changed",
        arguments: ["genuine-sha256", "genuine-sha1", "genuine-signedAttributes", "genuine-xcode"])
    func receipt(_ name: String) throws {
        let genuine = try #require(HostileEvidenceIsRefused.receipts.first { $0.name == name })
        let content = try verifier.verify(cms: genuine.evidence[...], reading: creationDate).payload
        for position in stride(from: 0, to: genuine.evidence.count, by: Self.step) {
            var bytes = genuine.evidence
            bytes[position] ^= 1 << UInt8(position % 8)
            do throws(TrustFailure) {
                let verified = try verifier.verify(cms: bytes[...], reading: creationDate)
                #expect(verified.payload == content, "byte \(position)")
            } catch {
                #expect(error.verdict != .trusted)
            }
        }
    }
}
