// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilTrust

struct BoundedLane {
    @Test("Work beyond the lane is turned away, and a place is free again afterwards")
    func overflow() throws {
        let lane = ChainLane(running: 1, waiting: 0)
        let inner = try lane.run { () throws(TrustFailure) in
            verdict { () throws(TrustFailure) in
                try lane.run { () throws(TrustFailure) in 1 }
            }
        }
        #expect(inner == ("busy", "lane.full"))
        #expect(try lane.run { () throws(TrustFailure) in 2 } == 2)
    }

    @Test("Work that fails gives its place back")
    func failing() throws {
        let lane = ChainLane(running: 1, waiting: 0)
        for _ in 0..<3 {
            let failure = try #require(throws: TrustFailure.self) {
                try lane.run { () throws(TrustFailure) -> Int in
                    throw TrustFailure(.malformed, check: "test.check")
                }
            }
            #expect(failure.verdict == .malformed)
        }
        #expect(try lane.run { () throws(TrustFailure) in 1 } == 1)
    }

    @Test("A full lane does not hold up chains that are known")
    func known() throws {
        let lane = ChainLane(running: 1, waiting: 0)
        let verifier = TrustVerifier(
            store: try .simulated, chains: ChainCache(capacity: 4),
            headers: ChainCache(capacity: 4), lane: lane)
        let receipt = try #require(
            HostileEvidenceIsRefused.receipts.first { $0.name == "genuine-sha256" })
        let token = try #require(HostileEvidenceIsRefused.tokens.first { $0.name == "genuine" })
        _ = try verifier.verify(jws: token.evidence[...], reading: signedDate)
        let words = try lane.run { () throws(TrustFailure) in
            [
                verdict { () throws(TrustFailure) in
                    try verifier.verify(jws: token.evidence[...], reading: signedDate)
                }.0,
                verdict { () throws(TrustFailure) in
                    try verifier.verify(cms: receipt.evidence[...], reading: creationDate)
                }.0,
            ]
        }
        #expect(words == ["trusted", "busy"])
    }
}
