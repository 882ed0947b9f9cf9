// SPDX-License-Identifier: Apache-2.0

import CounterfoilCrypto

/// An X.509 certificate, taken apart but not judged.
///
/// Only the fields that Apple's chains need are read, with an own reader: decoding one through a
/// general library costs more than checking the signature of a purchase.
public struct Certificate: Hashable, Sendable {
    /// The certificate as it was found.
    public let der: ArraySlice<UInt8>

    /// The serial number as the INTEGER's octets, most significant first.
    public let serialNumber: ArraySlice<UInt8>

    /// Who signed the certificate.
    public let issuer: DistinguishedName

    /// Whose key the certificate names.
    public let subject: DistinguishedName

    /// When the certificate may be used.
    public let validity: Validity

    /// The DER of the subject's public key.
    public let subjectPublicKeyInfo: ArraySlice<UInt8>

    let extensions: CertificateExtensions
    private let toBeSigned: ArraySlice<UInt8>
    private let signatureAlgorithm: OID
    private let signature: ArraySlice<UInt8>

    /// Takes a DER certificate apart.
    ///
    /// - Throws: ``TrustFailure`` with the verdict `malformed` if the bytes are not exactly one
    ///   certificate.
    public init(der: some Collection<UInt8>) throws(TrustFailure) {
        guard der.count <= Limits.maximumCertificateByteCount else {
            throw TrustFailure(
                .malformed, .certificateStructure,
                expected: "at most \(Limits.maximumCertificateByteCount) bytes",
                actual: "\(der.count)")
        }
        do throws(ASN1Error) {
            try self.init(parsing: Array(der)[...])
        } catch {
            throw TrustFailure(.malformed, .certificateStructure, actual: error.description)
        }
    }

    private init(parsing bytes: ArraySlice<UInt8>) throws(ASN1Error) {
        let whole = try ASN1Reader.only(.sequence, in: bytes, rules: .distinguished)
        var parts = try whole.children()
        let body = try parts.next(.sequence)
        let outerAlgorithm = try parts.next(.sequence)
        signature = try parts.next(.bitString).bitStringOctets()
        try parts.finish()

        var fields = try body.children()
        let version = try Self.version(&fields)
        let serial = try fields.next(.integer)
        let innerAlgorithm = try fields.next(.sequence)
        // The outer copy is not signed, so it must not be able to say anything else.
        guard innerAlgorithm.encoding == outerAlgorithm.encoding else {
            throw ASN1Error(.value, "two signature algorithms", at: outerAlgorithm.offset)
        }
        issuer = DistinguishedName(der: try fields.next(.sequence).encoding)
        validity = try Self.validity(try fields.next(.sequence))
        subject = DistinguishedName(der: try fields.next(.sequence).encoding)
        subjectPublicKeyInfo = try fields.next(.sequence).encoding
        _ = try fields.nextIfPresent(.contextSpecific(1))
        _ = try fields.nextIfPresent(.contextSpecific(2))
        extensions = try Self.extensions(&fields, version)
        try fields.finish()

        var algorithm = try innerAlgorithm.children()
        signatureAlgorithm = try algorithm.next(.objectIdentifier).objectIdentifier()
        der = whole.encoding
        toBeSigned = body.encoding
        serialNumber = try serial.integerOctets()
    }

    private static func version(_ fields: inout ASN1Reader) throws(ASN1Error) -> Int64 {
        guard let tagged = try fields.nextIfPresent(.contextSpecific(0)) else { return 1 }
        var content = try tagged.children()
        let number = try content.next(.integer).int64()
        try content.finish()
        guard 0...2 ~= number else {
            throw ASN1Error(.value, "certificate version \(number)", at: tagged.offset)
        }
        return number + 1
    }

    private static func validity(_ element: ASN1Element) throws(ASN1Error) -> Validity {
        var times = try element.children()
        guard let notBefore = try times.next(), let notAfter = try times.next() else {
            throw ASN1Error(.unexpected, "a validity without two times", at: element.offset)
        }
        try times.finish()
        return Validity(notBefore: try notBefore.instant(), notAfter: try notAfter.instant())
    }

    private static func extensions(
        _ fields: inout ASN1Reader, _ version: Int64
    ) throws(ASN1Error) -> CertificateExtensions {
        guard let tagged = try fields.nextIfPresent(.contextSpecific(3)) else {
            return CertificateExtensions()
        }
        guard version == 3 else {
            throw ASN1Error(.value, "extensions in version \(version)", at: tagged.offset)
        }
        var content = try tagged.children()
        let list = try content.next(.sequence)
        try content.finish()
        return try CertificateExtensions(list)
    }

    /// The SHA-256 digest of the certificate, by which people and lists name it.
    public var sha256: [UInt8] { Digest.sha256(der) }

    /// Whether the key signed this certificate, with an algorithm whose digest is allowed.
    func isSigned(by key: PublicKey, allowing digests: Set<DigestAlgorithm>) -> Bool {
        guard let algorithm = SignatureAlgorithm.named(signatureAlgorithm),
            algorithm.fits(key.kind), digests.contains(algorithm.digest)
        else { return false }
        return key.isValidSignature(signature, of: toBeSigned, algorithm: algorithm.digest)
    }

    /// Certificates are equal when their bytes are.
    public static func == (lhs: Certificate, rhs: Certificate) -> Bool {
        lhs.der == rhs.der
    }

    /// Feeds the bytes, as equality compares them.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(der)
    }
}
