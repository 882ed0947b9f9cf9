// SPDX-License-Identifier: Apache-2.0

import CounterfoilCrypto

/// One signature in a container: SignerInfo of RFC 5652 § 5.3.
struct ContainerSigner: Sendable {
    /// The issuer's name and serial number of the signer's certificate; nil where the signer is named
    /// in the other way, by a key identifier.
    let identifier: Identifier?

    private let digestAlgorithm: OID
    private let signedAttributes: ASN1Element?
    private let signatureAlgorithm: OID
    private let signature: ArraySlice<UInt8>

    /// Whether it carries attributes that nobody signed.
    let hasUnsignedAttributes: Bool

    struct Identifier: Sendable {
        let issuer: ArraySlice<UInt8>
        let serialNumber: ArraySlice<UInt8>
        let encoding: ArraySlice<UInt8>
    }

    init(_ element: ASN1Element) throws(ASN1Error) {
        try element.require(.sequence)
        var fields = try element.children()
        _ = try fields.next(.integer)
        if let name = try fields.nextIfPresent(.sequence) {
            var parts = try name.children()
            identifier = Identifier(
                issuer: try parts.next(.sequence).encoding,
                serialNumber: try parts.next(.integer).integerOctets(), encoding: name.encoding)
            try parts.finish()
        } else {
            _ = try fields.next(.contextSpecific(0))
            identifier = nil
        }
        digestAlgorithm = try Self.algorithm(fields.next(.sequence))
        signedAttributes = try fields.nextIfPresent(.contextSpecific(0))
        signatureAlgorithm = try Self.algorithm(fields.next(.sequence))
        signature = try fields.next(.octetString).octets()
        hasUnsignedAttributes = try fields.nextIfPresent(.contextSpecific(1)) != nil
        try fields.finish()
    }

    private static func algorithm(_ element: ASN1Element) throws(ASN1Error) -> OID {
        var fields = try element.children()
        return try fields.next(.objectIdentifier).objectIdentifier()
    }

    private static let rsaEncryption = OID(1, 2, 840, 113_549, 1, 1, 1)
    private static let digests: [OID: DigestAlgorithm] = [
        OID(1, 3, 14, 3, 2, 26): .sha1, OID(2, 16, 840, 1, 101, 3, 4, 2, 1): .sha256,
    ]

    /// The hash function that the signer names.
    ///
    /// The signature algorithm of every real receipt says `rsaEncryption` and nothing about the
    /// hash, so it comes from the digest algorithm; where the former does name one, they must agree.
    private func digest() throws(TrustFailure) -> DigestAlgorithm {
        guard let digest = Self.digests[digestAlgorithm] else {
            throw TrustFailure(
                .malformed, .digestAlgorithm, expected: "SHA-1 or SHA-256",
                actual: digestAlgorithm.description)
        }
        let named = SignatureAlgorithm.named(signatureAlgorithm)
        let isConsistent =
            signatureAlgorithm == Self.rsaEncryption
            || named == SignatureAlgorithm(family: .rsa, digest: digest)
        guard isConsistent else {
            throw TrustFailure(
                .malformed, .signatureAlgorithm, expected: "RSA with \(digest)",
                actual: signatureAlgorithm.description)
        }
        return digest
    }

    /// Makes sure that the key signed the content.
    ///
    /// Without signed attributes the signature is over the content itself. With them it is over
    /// their encoding as a SET, and they must hold the content's type and digest.
    func requireSignature(
        over content: ArraySlice<UInt8>, by key: PublicKey
    ) throws(TrustFailure) {
        let digest = try digest()
        guard case .rsa = key.kind else {
            throw TrustFailure(
                .badSignature, .containerSignature, expected: "an RSA key", actual: "\(key.kind)")
        }
        var signed = Digest.hash(content, with: digest)
        if let signedAttributes {
            let attributes = try SignedAttributes(signedAttributes)
            try attributes.require(contentType: SignedCMS.data, messageDigest: signed)
            signed = Digest.hash(attributes.signedEncoding, with: digest)
        }
        guard key.isValidSignature(signature, ofDigest: signed, algorithm: digest) else {
            throw TrustFailure(.badSignature, .containerSignature)
        }
    }
}
