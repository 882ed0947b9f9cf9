// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilTrust

struct RememberedChains {
    private let authority: Authority
    private let chain: VerifiedChain

    init() throws {
        authority = try TestAuthority.shared
        let path = try PathBuilder(store: .simulated, policy: .token).path(
            from: Certificate(der: authority.signedDataChain.leaf.certificate),
            through: [Certificate(der: authority.signedDataChain.intermediate.certificate)])
        chain = VerifiedChain(
            path: path, leafKey: try path.leaf.publicKey(orVerdict: .malformed))
    }

    private func key(_ number: UInt8) -> ArraySlice<UInt8> { [number, 7, number][...] }

    private func verifier(
        _ chains: ChainCache, _ headers: ChainCache = ChainCache(capacity: 4)
    ) throws -> TrustVerifier {
        TrustVerifier(
            store: try .simulated, chains: chains, headers: headers,
            lane: ChainLane(running: 1, waiting: 0))
    }

    private func token(signedAt date: Instant) throws -> ArraySlice<UInt8> {
        let payload: JSONValue = ["signedDate": .integer(date.millisecondsSinceEpoch)]
        return Array(try authority.sign(payload).utf8)[...]
    }

    @Test("The entry that was not used for longest goes, and never one more is kept")
    func leastRecentlyUsed() {
        let cache = ChainCache(capacity: 3)
        for number in 1...3 { cache.insert(chain, for: key(UInt8(number))) }
        #expect(cache.chain(for: key(1)) === chain)
        cache.insert(chain, for: key(4))
        #expect(cache.count == 3)
        #expect(cache.chain(for: key(2)) == nil)
        #expect(cache.chain(for: key(1)) === chain)
        cache.insert(chain, for: key(5))
        #expect(cache.chain(for: key(3)) == nil)
        #expect(cache.chain(for: key(4)) === chain)
        #expect(cache.count == 3)
    }

    @Test("An entry inserted again is one entry, used just now")
    func again() {
        let cache = ChainCache(capacity: 2)
        cache.insert(chain, for: key(1))
        cache.insert(chain, for: key(2))
        cache.insert(chain, for: key(1))
        #expect(cache.count == 2)
        cache.insert(chain, for: key(3))
        #expect(cache.chain(for: key(2)) == nil)
        #expect(cache.chain(for: key(1)) === chain)
    }

    @Test("A key is all its bytes, and where one part ends belongs to it")
    func keys() {
        let cache = ChainCache(capacity: 8)
        cache.insert(chain, for: ChainCache.key(.token, [[1, 2], [3]]))
        #expect(cache.chain(for: ChainCache.key(.token, [[1, 2], [3]])) === chain)
        #expect(cache.chain(for: ChainCache.key(.token, [[1], [2, 3]])) == nil)
        #expect(cache.chain(for: ChainCache.key(.token, [[1, 2], [3], []])) == nil)
        #expect(cache.chain(for: ChainCache.key(.token, [[1, 2], [4]])) == nil)
        #expect(cache.chain(for: ChainCache.key(.receipt, [[1, 2], [3]])) == nil)
    }

    @Test("What is refused is never remembered", arguments: HostileEvidenceIsRefused.tokens)
    func positiveOnly(_ hostile: HostileCase) throws {
        let (chains, headers) = (ChainCache(capacity: 4), ChainCache(capacity: 4))
        let verifier = try verifier(chains, headers)
        let (word, _) = verdict { () throws(TrustFailure) in
            try verifier.verify(jws: hostile.evidence[...], reading: signedDate)
        }
        #expect(chains.count == (word == "trusted" ? 1 : 0))
        #expect(headers.count == (word == "trusted" ? 1 : 0))
    }

    @Test(
        "Refused receipts are not remembered either", arguments: HostileEvidenceIsRefused.receipts)
    func positiveReceiptsOnly(_ hostile: HostileCase) throws {
        let chains = ChainCache(capacity: 4)
        let verifier = try verifier(chains)
        let (word, _) = verdict { () throws(TrustFailure) in
            try verifier.verify(cms: hostile.evidence[...], reading: creationDate)
        }
        #expect(chains.count == (word == "trusted" ? 1 : 0))
    }

    @Test("A known chain is checked in time at every use")
    func timesAreChecked() throws {
        let verifier = try verifier(ChainCache(capacity: 4))
        let now = TestAuthority.clock.now
        _ = try verifier.verify(jws: token(signedAt: now), reading: signedDate)
        for days in [-401, 761] {
            let other = try token(signedAt: now + CertificateProfile.days(Int64(days)))
            let failure = try #require(throws: TrustFailure.self) {
                try verifier.verify(jws: other, reading: signedDate)
            }
            #expect(failure.verdict == .certificateNotValidAtCreationDate)
            #expect(failure.check == "path.leaf-validity")
        }
        _ = try verifier.verify(jws: token(signedAt: now), reading: signedDate)
    }

    @Test("The last second of a certificate counts, the next does not")
    func lastSecond() throws {
        let verifier = try verifier(ChainCache(capacity: 4))
        let end = chain.path.leaf.validity.notAfter
        _ = try verifier.verify(
            jws: token(signedAt: end + .milliseconds(999)), reading: signedDate)
        _ = try verifier.verify(
            jws: token(signedAt: chain.path.leaf.validity.notBefore), reading: signedDate)
        let late = try token(signedAt: end + .seconds(1))
        #expect(throws: TrustFailure.self) {
            try verifier.verify(jws: late, reading: signedDate)
        }
    }

    @Test("Another header with known certificates finds the chain")
    func otherHeader() throws {
        let chains = ChainCache(capacity: 4)
        let headers = ChainCache(capacity: 4)
        let verifier = try verifier(chains, headers)
        let now = TestAuthority.clock.now
        _ = try verifier.verify(jws: token(signedAt: now), reading: signedDate)
        let signer = JWSSigner(
            key: authority.signedDataChain.leaf.key,
            header: JWSSigner.header(
                certificates: authority.signedDataChain.certificates,
                additional: [.init(key: "kid", value: "another")]))
        let payload: JSONValue = ["signedDate": .integer(now.millisecondsSinceEpoch)]
        let other = Array(try signer.sign(payload.utf8).utf8)
        _ = try verifier.verify(jws: other[...], reading: signedDate)
        #expect(chains.count == 1)
        #expect(headers.count == 2)
    }

    @Test("The third certificate of a token is used for nothing")
    func thirdCertificate() throws {
        let verifier = try verifier(ChainCache(capacity: 4))
        let certificates = authority.signedDataChain.certificates
        let payload: JSONValue = [
            "signedDate": .integer(TestAuthority.clock.now.millisecondsSinceEpoch)
        ]
        for third in [[0, 1, 2], certificates[0], authority.receiptChain.root.certificate] {
            let signer = JWSSigner(
                key: authority.signedDataChain.leaf.key,
                header: JWSSigner.header(certificates: certificates.dropLast() + [third]))
            let token = Array(try signer.sign(payload.utf8).utf8)
            let verified = try verifier.verify(jws: token[...], reading: signedDate)
            #expect(verified.path.anchor.sha256 == Digest.sha256(certificates[2]))
        }
    }

    @Test("One changed byte in any certificate of a container makes the chain unknown")
    func wholeSet() throws {
        let chains = ChainCache(capacity: 8)
        let verifier = try verifier(chains)
        var container = authority.receiptContainer(
            SimulatedReceipt(
                bundleID: "com.example", environment: .sandbox,
                creationDate: TestAuthority.clock.now, purchases: []))
        _ = try verifier.verify(cms: container.encoded()[...], reading: creationDate)
        var root = container.certificates[2]
        root[root.count - 1] ^= 1
        container.certificates[2] = root
        _ = try verifier.verify(cms: container.encoded()[...], reading: creationDate)
        #expect(chains.count == 2)
    }

    @Test("Many threads on one unknown chain agree")
    func threads() async throws {
        let verifier = TrustVerifier(store: try .simulated, maximumWaitingChainCount: 1000)
        let token = try token(signedAt: TestAuthority.clock.now)
        let subjects = try await withThrowingTaskGroup(of: DistinguishedName.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    try verifier.verify(jws: token, reading: signedDate).path.leaf.subject
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(subjects == [chain.path.leaf.subject])
    }
}
