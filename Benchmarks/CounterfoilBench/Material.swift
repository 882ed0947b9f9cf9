// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTrust

/// An authority of the run's own and what it signs.
struct Material {
    static let bundleID = "com.example.counterfoil"

    let authority: Authority
    let store: TrustStore

    /// A moment in November 2026; nothing measured depends on which.
    let now = Instant(millisecondsSinceEpoch: 1_796_000_000_000)

    init() throws {
        authority = try Authority(clock: FixedClock(now), random: SystemRandom())
        store = TrustStore(
            anchors: try authority.rootCertificates.map { try TrustAnchor(parsing: $0) })
    }

    /// A subscription with about thirty fields, the longest payload that is common.
    func purchase(_ index: Int) -> SimulatedPurchase {
        var purchase = SimulatedPurchase(
            environment: .production, bundleID: Self.bundleID,
            transactionID: String(2_000_000_000_000_000 + index),
            productID: "com.example.counterfoil.vip.monthly", kind: .autoRenewableSubscription,
            purchaseDate: now - .seconds(3_600 + Int64(index)))
        purchase.expiresDate = now + .seconds(30 * 86_400)
        purchase.signedDate = now
        purchase.webOrderLineItemID = String(2_000_000_000_000 + index)
        purchase.subscriptionGroupID = "20000001"
        purchase.price = Money(amountMilli: 9_990, currency: "USD")
        purchase.appTransactionID = String(70_000_000_000_000_000 + index)
        purchase.appAccountToken = UniqueID(bytes: Digest.sha256("\(index)".utf8))
        return purchase
    }
}
