// SPDX-License-Identifier: Apache-2.0

import CounterfoilCrypto

/// How a certificate was signed.
///
/// Only what Apple's certificates use is known here. The list is ours, so that no configuration of
/// a library can add to it or take from it: old receipts need SHA-1 for ever.
struct SignatureAlgorithm: Hashable, Sendable {
    enum Family: Sendable {
        case rsa
        case ecdsa
    }

    let family: Family
    let digest: DigestAlgorithm

    private static let known: [OID: SignatureAlgorithm] = [
        OID(1, 2, 840, 113_549, 1, 1, 5): SignatureAlgorithm(family: .rsa, digest: .sha1),
        OID(1, 2, 840, 113_549, 1, 1, 11): SignatureAlgorithm(family: .rsa, digest: .sha256),
        OID(1, 2, 840, 113_549, 1, 1, 12): SignatureAlgorithm(family: .rsa, digest: .sha384),
        OID(1, 2, 840, 113_549, 1, 1, 13): SignatureAlgorithm(family: .rsa, digest: .sha512),
        OID(1, 2, 840, 10045, 4, 3, 2): SignatureAlgorithm(family: .ecdsa, digest: .sha256),
        OID(1, 2, 840, 10045, 4, 3, 3): SignatureAlgorithm(family: .ecdsa, digest: .sha384),
        OID(1, 2, 840, 10045, 4, 3, 4): SignatureAlgorithm(family: .ecdsa, digest: .sha512),
    ]

    /// The algorithm of that name, or nil.
    static func named(_ oid: OID) -> SignatureAlgorithm? {
        known[oid]
    }

    /// Whether a key of this kind makes such signatures.
    func fits(_ kind: PublicKey.Kind) -> Bool {
        switch kind {
        case .rsa: family == .rsa
        case .ec: family == .ecdsa
        case .other: false
        }
    }
}
