// SPDX-License-Identifier: Apache-2.0

import CounterfoilCrypto

/// What a path must be good for.
struct PathPolicy: Sendable {
    /// The extension that marks a signer of purchases by its mere presence.
    let leafMarker: OID

    /// The extension that marks the authority of Apple's developer relations.
    let intermediateMarker: OID

    /// Digests under which certificates of the path may be signed.
    let digests: Set<DigestAlgorithm>

    /// Without the markers any certificate under Apple's roots could sign a purchase: a developer's
    /// own, for one.
    private static let receiptSigning = OID(1, 2, 840, 113_635, 100, 6, 11, 1)
    private static let developerRelations = OID(1, 2, 840, 113_635, 100, 6, 2, 1)

    /// App receipts; their certificates were signed with SHA-1 until 2025.
    static let receipt = PathPolicy(
        leafMarker: receiptSigning, intermediateMarker: developerRelations,
        digests: [.sha1, .sha256, .sha384, .sha512])

    /// JWS, which are younger than the end of SHA-1.
    static let token = PathPolicy(
        leafMarker: receiptSigning, intermediateMarker: developerRelations,
        digests: [.sha256, .sha384, .sha512])

    /// Every extension that this module understands, so that it may be critical.
    var understoodExtensions: Set<OID> {
        CertificateExtensions.understood.union([leafMarker, intermediateMarker])
    }
}
