// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore

/// Evidence together with what a careful verifier must say about it.
package struct HostileCase: Sendable, CustomStringConvertible {
    /// A short name, unique among the cases of its kind.
    package let name: String

    /// What is wrong with it, or why it must be accepted although it looks odd.
    package let reason: String

    /// The verdict as text, for example `bad-signature`; `trusted` for the odd but genuine.
    package let verdict: String

    /// The text of a token, or the bytes of a receipt.
    package let evidence: [UInt8]

    /// Makes a case.
    package init(
        _ name: String, _ reason: String, verdict: String, evidence: some Sequence<UInt8>
    ) {
        self.name = name
        self.reason = reason
        self.verdict = verdict
        self.evidence = Array(evidence)
    }

    package var description: String { "\(name): \(reason)" }

    /// Whether signature and certificates are in order, and only what is signed must be refused.
    package var isTrulySigned: Bool {
        [
            "trusted", "other-bundle", "other-environment", "dated-in-future", "malformed-payload",
        ].contains(verdict)
    }
}

/// Everything that a forger, a broken client or a hostile sender may hand in instead of a purchase.
///
/// The verdicts hold for a verifier that trusts the authority's roots, expects the purchase's
/// bundle id and environment, and whose clock shows the moment given here.
package struct HostileMaterial: Sendable {
    let authority: Authority
    let now: Instant
    let random: any RandomSource
    let purchase: SimulatedPurchase

    /// - Parameters:
    ///   - authority: Whose roots the verifier trusts.
    ///   - clock: Shows the verifier's moment, at which the authority's certificates are valid.
    ///   - random: For serial numbers.
    ///   - purchase: A purchase that the verifier would accept.
    package init(
        authority: Authority, clock: some WallClock, random: some RandomSource,
        purchase: SimulatedPurchase
    ) {
        self.authority = authority
        now = clock.now
        self.random = random
        self.purchase = purchase
    }

    var otherPurchase: SimulatedPurchase {
        var other = purchase
        other.productID += ".other"
        other.transactionID += "1"
        return other
    }

    var otherEnvironment: AppStoreEnvironment {
        purchase.environment == .sandbox ? .production : .sandbox
    }

    /// Constructed values inside each other, each complete, far deeper than real data goes.
    static func nestingBomb(depth: Int = 20_000) -> [UInt8] {
        // From the inside out, so the lengths are known; written backward and turned at the end.
        var reversed: [UInt8] = []
        for _ in 0..<depth {
            reversed += DER.length(reversed.count).reversed()
            reversed.append(DER.sequenceTag)
        }
        return reversed.reversed()
    }

    /// The same with indefinite lengths and without an end.
    static func endlessNesting(depth: Int = 20_000) -> [UInt8] {
        Array(repeatElement([DER.sequenceTag, 0x80], count: depth).joined())
    }

    /// A value that claims two gigabytes and has eight bytes.
    static let lengthOverrun: [UInt8] =
        [DER.sequenceTag, 0x84, 0x7F, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 8)
}
