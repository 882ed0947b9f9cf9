// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTestSupport
import CounterfoilTrust
import Testing

/// What the authority signs, judged by signatures and certificates alone.
private struct Judge {
    private let verifier: TrustVerifier

    init(_ store: TrustStore) {
        verifier = TrustVerifier(store: store)
    }

    init(trusting roots: [[UInt8]]) throws {
        self.init(TrustStore(anchors: try roots.map { try TrustAnchor(parsing: $0) }))
    }

    func verdict(ofToken token: String) -> String {
        verdict { () throws(TrustFailure) in
            _ = try verifier.verify(jws: Array(token.utf8)[...]) { payload in
                DatedPayload(payload, effectiveDate: TestAuthority.clock.now)
            }
        }
    }

    func verdict(ofReceipt receipt: [UInt8]) -> String {
        verdict { () throws(TrustFailure) in
            _ = try verifier.verify(cms: receipt[...]) { content in
                DatedPayload(Array(content), effectiveDate: TestAuthority.clock.now)
            }
        }
    }

    private func verdict(_ verify: () throws(TrustFailure) -> Void) -> String {
        do throws(TrustFailure) {
            try verify()
            return "trusted"
        } catch {
            return error.verdict.rawValue
        }
    }
}

private let purchase = SimulatedPurchase(
    environment: .production, bundleID: "com.example.counterfoil", transactionID: "1",
    productID: "coins", kind: .consumable, purchaseDate: TestAuthority.clock.now)

private let receipt = SimulatedReceipt(
    bundleID: "com.example.counterfoil", environment: .production,
    creationDate: TestAuthority.clock.now)

struct RotatedAuthority {
    @Test("A rotation changes signers, never roots", arguments: Authority.Rotation.allCases)
    func rotation(_ rotation: Authority.Rotation) throws {
        let old = try TestAuthority.shared
        let new = try old.rotated(rotation, clock: TestAuthority.clock, random: SystemRandom())
        #expect(new.rootCertificates == old.rootCertificates)
        for (one, other) in [
            (old.signedDataChain, new.signedDataChain), (old.receiptChain, new.receiptChain),
        ] {
            #expect(one.leaf.certificate != other.leaf.certificate)
            #expect(one.leaf.key.publicKey.kind == other.leaf.key.publicKey.kind)
            let keepsIntermediate =
                one.intermediate.certificate == other.intermediate.certificate
            #expect(keepsIntermediate == (rotation == .leaf))
        }
    }

    @Test(
        "What was signed before and after a rotation is trusted",
        arguments: Authority.Rotation.allCases)
    func verification(_ rotation: Authority.Rotation) throws {
        let old = try TestAuthority.shared
        let new = try old.rotated(rotation, clock: TestAuthority.clock, random: SystemRandom())
        let judge = try Judge(trusting: old.rootCertificates)
        for authority in [old, new] {
            let token = try authority.signedTransaction(purchase)
            #expect(judge.verdict(ofToken: token) == "trusted")
            #expect(judge.verdict(ofReceipt: try authority.appReceipt(receipt)) == "trusted")
        }
    }

    @Test("A saved rotation is what a later start signs with, and so is the next one")
    func saving() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/authority"
        var authority = try Authority.kept(
            in: path, clock: TestAuthority.clock, random: SystemRandom())
        for rotation in [Authority.Rotation.leaf, .intermediate] {
            authority = try authority.rotated(
                rotation, clock: TestAuthority.clock, random: SystemRandom())
            try authority.saveRotation(to: path)
            let loaded = try Authority.kept(
                in: path, clock: TestAuthority.clock, random: SystemRandom())
            #expect(
                loaded.signedDataChain.certificates == authority.signedDataChain.certificates)
            #expect(loaded.receiptChain.certificates == authority.receiptChain.certificates)
        }
    }

    @Test("A chain with a fault gets the fault's verdict", arguments: ChainFault.allCases)
    func faults(_ fault: ChainFault) throws {
        let genuine = try TestAuthority.shared
        let faulty = try genuine.presenting(
            fault, clock: TestAuthority.clock, random: SystemRandom())
        let judge = try Judge(trusting: genuine.rootCertificates)
        #expect(judge.verdict(ofToken: try faulty.signedTransaction(purchase)) == fault.verdict)
        #expect(judge.verdict(ofReceipt: try faulty.appReceipt(receipt)) == fault.verdict)
    }
}

struct NothingSimulatedPassesForApples {
    private static let authorities = Result {
        let genuine = try TestAuthority.shared
        let (clock, random) = (TestAuthority.clock, SystemRandom())
        return try [genuine]
            + Authority.Rotation.allCases.map {
                try genuine.rotated($0, clock: clock, random: random)
            }
            + ChainFault.allCases.map {
                try genuine.presenting($0, clock: clock, random: random)
            }
    }

    @Test("Signed data, receipts of every form and iOS 6 receipts fail under Apple's roots")
    func signatures() throws {
        let judges = [Judge(.apple), Judge(.appleTransactionReceipts)]
        for authority in try Self.authorities.get() {
            for judge in judges {
                let token = try authority.signedTransaction(purchase)
                #expect(judge.verdict(ofToken: token) != "trusted")
                for form in SimulatedReceipt.Form.allCases {
                    let bytes = try authority.appReceipt(receipt, form: form)
                    #expect(judge.verdict(ofReceipt: bytes) != "trusted")
                }
                let old = try authority.transactionReceipt(purchase)
                #expect(judge.verdict(ofReceipt: old) != "trusted")
            }
        }
    }

    @Test("No certificate that the simulator made has a key of Apple's")
    func keys() throws {
        for authority in try Self.authorities.get() {
            for root in authority.rootCertificates {
                let anchor = try TrustAnchor(parsing: root)
                #expect(!TrustStore.isOfApple(anchor))
            }
        }
        #expect(TrustStore.apple.anchors.allSatisfy(TrustStore.isOfApple))
    }
}
