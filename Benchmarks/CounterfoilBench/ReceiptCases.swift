// SPDX-License-Identifier: Apache-2.0
import CYardsticks
import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTrust

/// Row 14.2: app receipts.
struct ReceiptCases {
    private let material: Material

    init(_ material: Material) {
        self.material = material
    }

    func cases() throws -> [Case] {
        let verifier = EvidenceVerifier(trusting: material.store)
        var cases: [Case] = []
        for (purchaseCount, goal) in [(1, 0.65), (300, 0.4)] {
            let receipt = try receipt(purchaseCount)
            let yardstick = try yardstick(
                payloadOf: purchaseCount, name: "RSA-2048 verify + SHA-256 in C")
            func add(
                _ row: String, _ name: String, _ evidence: [UInt8], goal: Double? = nil,
                by makeVerifier: @escaping @Sendable () -> EvidenceVerifier
            ) {
                let work = Work(name: "receipt of \(purchaseCount), \(name)") {
                    [now = material.now] count, _ in
                    for _ in 0..<count {
                        try Self.verify(
                            evidence, of: purchaseCount, by: makeVerifier(), at: now)
                    }
                }
                cases.append(Case(row: row, work: work, yardstick: yardstick, goal: goal))
            }
            add("14.2", "chain cached", receipt, goal: goal) { verifier }
            let text = Array(Base64.encode(receipt, .standard).utf8)
            add("14.2 part", "as base64 text", text) { verifier }
            add("14.2 cold", "chain unknown", receipt) { [store = material.store] in
                EvidenceVerifier(trusting: store)
            }
        }
        return cases
    }

    private static func verify(
        _ bytes: [UInt8], of purchaseCount: Int, by verifier: EvidenceVerifier, at now: Instant
    ) throws {
        let evidence = try verifier.verify(Evidence(bytes), at: now)
        guard case .receipt(let verified) = evidence,
            verified.payload.purchases.count == purchaseCount
        else { throw Unexpected() }
    }

    private func content(_ purchaseCount: Int) -> SimulatedReceipt {
        SimulatedReceipt(
            bundleID: Material.bundleID, environment: .production, creationDate: material.now,
            purchases: (0..<purchaseCount).map(material.purchase))
    }

    private func receipt(_ purchaseCount: Int) throws -> [UInt8] {
        try material.authority.appReceipt(content(purchaseCount))
    }

    private func yardstick(payloadOf purchaseCount: Int, name: String) throws -> Work {
        let payload = material.authority.receiptContainer(content(purchaseCount)).payload
        let key = material.authority.receiptChain.leaf.key
        let signature = try key.signature(of: payload, algorithm: .sha256)
        let encodedKey = key.publicKey.subjectPublicKeyInfo
        return Work(name: name) { count, _ in
            let good = counterfoil_yardstick_rsa(
                encodedKey, encodedKey.count, signature, signature.count, payload, payload.count,
                Int32(count))
            precondition(good == 1, "the yardstick's signature")
        }
    }
}
