// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTestSupport
import CounterfoilTrust

/// An app of the simulated store, and a verifier that trusts the store's authority.
enum TestStore {
    static let bundleID = "com.example.game"
    static let now = TestAuthority.clock.now

    static let verifier = Result {
        let anchors = try TestAuthority.shared.rootCertificates.map {
            try TrustAnchor(parsing: $0)
        }
        return EvidenceVerifier(trusting: TrustStore(anchors: anchors))
    }

    static func purchase(
        _ transactionID: String = "2000000000000001",
        kind: SimulatedPurchase.Kind = .consumable
    ) -> SimulatedPurchase {
        var purchase = SimulatedPurchase(
            environment: .sandbox, bundleID: bundleID, transactionID: transactionID,
            productID: "coins_100", kind: kind, purchaseDate: now - .seconds(60))
        purchase.signedDate = now
        purchase.price = Money(amountMilli: 990, currency: "USD")
        return purchase
    }

    static func receipt(_ purchases: [SimulatedPurchase]) -> SimulatedReceipt {
        SimulatedReceipt(
            bundleID: bundleID, environment: .sandbox, creationDate: now, purchases: purchases)
    }

    static func verify(_ text: some Collection<UInt8>) throws -> VerifiedEvidence {
        try verifier.get().verify(text: text, at: now)
    }

    static func transaction(
        _ purchase: SimulatedPurchase
    ) throws -> VerifiedPayload<JWSTransaction> {
        let text = try TestAuthority.shared.signedTransaction(purchase)
        guard case .transaction(let transaction) = try verify(text.utf8) else {
            throw WrongKind()
        }
        return transaction
    }

    static func receipt(
        _ receipt: SimulatedReceipt, form: SimulatedReceipt.Form = .sha256
    ) throws -> VerifiedPayload<AppReceipt> {
        let bytes = try TestAuthority.shared.appReceipt(receipt, form: form)
        guard case .receipt(let verified) = try verify(bytes) else { throw WrongKind() }
        return verified
    }

    struct WrongKind: Error {}
}
