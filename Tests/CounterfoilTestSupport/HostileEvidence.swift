// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
package import CounterfoilSimulator

/// The hostile material of the shared authority, made once in a process.
///
/// A verifier that judges it trusts the roots of ``TestAuthority/shared``, expects the bundle id
/// and the environment of ``purchase``, and reads ``TestAuthority/clock``.
package enum HostileEvidence {
    /// The purchase that the genuine cases among them carry.
    package static let purchase = SimulatedPurchase(
        environment: .sandbox, bundleID: "com.example.counterfoil",
        transactionID: "2000000000000001", productID: "coins100", kind: .consumable,
        purchaseDate: TestAuthority.clock.now - .seconds(3600))

    private static let madeTokens = Result { try material().signedData() }
    private static let madeReceipts = Result { try material().receipts() }

    /// Signed transactions and what pretends to be one.
    package static var tokens: [HostileCase] {
        get throws { try madeTokens.get() }
    }

    /// App receipts and what pretends to be one.
    package static var receipts: [HostileCase] {
        get throws { try madeReceipts.get() }
    }

    private static func material() throws -> HostileMaterial {
        HostileMaterial(
            authority: try TestAuthority.shared, clock: TestAuthority.clock,
            random: SystemRandom(), purchase: purchase)
    }
}
