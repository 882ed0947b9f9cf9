// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// A path that was found good: leaf, intermediate, anchor.
///
/// A class, since one path is handed out with every piece of evidence that uses it.
public final class CertificatePath: Sendable {
    /// The signer's certificate.
    public let leaf: Certificate

    /// The certificate of the signer's issuer.
    public let intermediate: Certificate

    /// The authority that the path ends in.
    public let anchor: TrustAnchor

    init(leaf: Certificate, intermediate: Certificate, anchor: TrustAnchor) {
        self.leaf = leaf
        self.intermediate = intermediate
        self.anchor = anchor
    }

    /// One certificate of a path, for people.
    public struct Step: Hashable, Sendable {
        /// The whole subject.
        public let subject: String

        /// The serial number in hexadecimal; nil for an anchor, which is known by its digest.
        public let serialNumber: String?

        /// The SHA-256 digest in hexadecimal.
        public let sha256: String

        /// When the certificate may be used.
        public let validity: Validity

        /// Describes a certificate, also one of a path that was refused.
        public init(_ certificate: Certificate) {
            subject = certificate.subject.description
            serialNumber = Hexadecimal.text(of: certificate.serialNumber)
            sha256 = Hexadecimal.text(of: certificate.sha256)
            validity = certificate.validity
        }

        init(_ anchor: TrustAnchor) {
            subject = anchor.subject.description
            serialNumber = nil
            sha256 = Hexadecimal.text(of: anchor.sha256)
            validity = anchor.validity
        }
    }

    /// The certificates from the leaf to the anchor; made anew at each call.
    public var steps: [Step] {
        [Step(leaf), Step(intermediate), Step(anchor)]
    }

    /// Makes sure that the whole path was valid at a moment.
    func requireValidity(at instant: Instant) throws(TrustFailure) {
        try Self.require(leaf.validity, at: instant, .leafValidity)
        try Self.require(intermediate.validity, at: instant, .intermediateValidity)
        try Self.require(anchor.validity, at: instant, .anchorValidity)
    }

    private static func require(
        _ validity: Validity, at instant: Instant, _ check: Check
    ) throws(TrustFailure) {
        guard validity.contains(instant) else {
            throw TrustFailure(
                .certificateNotValidAtCreationDate, check, expected: validity.description,
                actual: instant.description)
        }
    }
}
