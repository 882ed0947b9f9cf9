// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
public import CounterfoilCrypto

/// An authority that a path may end in, known in advance and never taken from evidence.
public struct TrustAnchor: Sendable {
    /// The name that a path's last issuer must have.
    public let subject: DistinguishedName

    /// The key that must have signed the path's last certificate.
    public let key: PublicKey

    /// The SHA-256 digest of the anchor's certificate, for people.
    public let sha256: [UInt8]

    /// When the anchor may be used.
    public let validity: Validity

    /// How many intermediates may follow below, where limited.
    let pathLengthLimit: Int64?

    /// Trusts a certificate, such as the root of a simulated app.
    ///
    /// - Throws: ``TrustFailure`` if the certificate says that it is no authority, or if its key is
    ///   of no use.
    public init(certificate: Certificate) throws(TrustFailure) {
        guard certificate.extensions.isAuthority != false else {
            throw TrustFailure(
                .wrongCertificatePurpose, .anchorPurpose, expected: "CA",
                actual: certificate.subject.description)
        }
        key = try certificate.publicKey(orVerdict: .malformed)
        subject = certificate.subject
        sha256 = certificate.sha256
        validity = certificate.validity
        pathLengthLimit = certificate.extensions.pathLengthLimit
    }

    /// Trusts the one certificate in a file: PEM, DER, or base64 of DER.
    ///
    /// - Throws: ``TrustFailure`` if the bytes are none of these, hold several certificates, or hold
    ///   one that ``init(certificate:)`` refuses.
    public init(parsing file: some Collection<UInt8>) throws(TrustFailure) {
        try self.init(certificate: Certificate(parsing: file))
    }

    /// Trusts every certificate in a file: any number of PEM blocks, or one in DER or base64 of DER.
    ///
    /// - Throws: As ``init(parsing:)``, for the first that cannot be trusted.
    public static func all(in file: some Collection<UInt8>) throws(TrustFailure) -> [TrustAnchor] {
        var anchors: [TrustAnchor] = []
        for part in AnchorText.parts(of: Array(file)) {
            anchors.append(try TrustAnchor(parsing: part))
        }
        return anchors
    }

    /// Makes one of the constants.
    init(
        pinned sha256: String, from notBefore: String, to notAfter: String, subject: String,
        subjectPublicKeyInfo: String
    ) {
        guard let digest = Hexadecimal.bytes(of: sha256),
            let notBefore = Instant(rfc3339: notBefore), let notAfter = Instant(rfc3339: notAfter),
            let name = Base64.decode(subject.utf8, .standard),
            let encodedKey = Base64.decode(subjectPublicKeyInfo.utf8, .standard)
        else { preconditionFailure("a pin in the source does not decode") }
        do {
            key = try PublicKey(subjectPublicKeyInfo: encodedKey)
        } catch {
            preconditionFailure("a pinned key does not decode: \(error)")
        }
        self.subject = DistinguishedName(der: name[...])
        self.sha256 = digest
        validity = Validity(notBefore: notBefore, notAfter: notAfter)
        pathLengthLimit = nil
    }
}

extension Certificate {
    /// Decodes the key.
    func publicKey(orVerdict verdict: Verdict) throws(TrustFailure) -> PublicKey {
        do {
            return try PublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo)
        } catch {
            throw TrustFailure(verdict, .certificateKey, actual: error.message)
        }
    }
}
