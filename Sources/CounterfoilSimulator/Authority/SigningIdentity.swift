// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore
package import CounterfoilCrypto

/// A certificate together with the private key of its subject.
package struct SigningIdentity: Sendable {
    /// The certificate in DER.
    package let certificate: [UInt8]
    package let key: PrivateKey

    /// The subject's name in DER.
    let subject: [UInt8]

    /// The issuer's name and the serial number, by which a receipt names its signer, in DER.
    let issuerAndSerialNumber: [UInt8]

    init(
        certificate: [UInt8], key: PrivateKey, subject: [UInt8], issuerAndSerialNumber: [UInt8]
    ) {
        self.certificate = certificate
        self.key = key
        self.subject = subject
        self.issuerAndSerialNumber = issuerAndSerialNumber
    }

    /// Makes a certificate that its own key signed.
    package static func selfSigned(
        _ profile: CertificateProfile, key: PrivateKey, random: some RandomSource
    ) throws(CryptoError) -> SigningIdentity {
        try make(
            profile, key: key, issuer: name(in: profile), issuerKey: key,
            random: random)
    }

    /// Makes a certificate that this identity signs for another key.
    package func issue(
        _ profile: CertificateProfile, key: PrivateKey, random: some RandomSource
    ) throws(CryptoError) -> SigningIdentity {
        try Self.make(
            profile, key: key, issuer: subject, issuerKey: self.key, random: random)
    }

    private static func make(
        _ profile: CertificateProfile, key: PrivateKey, issuer: [UInt8], issuerKey: PrivateKey,
        random: some RandomSource
    ) throws(CryptoError) -> SigningIdentity {
        let serialNumber = DER.integer(
            magnitude: profile.serialNumber ?? [0x01] + random.bytes(8))
        let subject = name(in: profile)
        let digest = profile.signatureDigest ?? issuerKey.usualDigest
        let algorithm = issuerKey.certificateAlgorithm(digest)
        let body = DER.sequence(
            DER.context(0, DER.integer(2)), serialNumber, algorithm, issuer,
            DER.sequence(DER.time(profile.notBefore), DER.time(profile.notAfter)),
            subject, key.publicKey.subjectPublicKeyInfo,
            DER.context(3, extensions(profile, key: key, issuerKey: issuerKey)))
        let signature = try issuerKey.signature(of: body, algorithm: digest)
        return SigningIdentity(
            certificate: DER.sequence(body, algorithm, DER.bitString(signature)), key: key,
            subject: subject, issuerAndSerialNumber: DER.sequence(issuer, serialNumber))
    }

    private static func extensions(
        _ profile: CertificateProfile, key: PrivateKey, issuerKey: PrivateKey
    ) -> [UInt8] {
        var list: [[UInt8]] = []
        func add(_ identifier: String, isCritical: Bool = false, _ value: [UInt8]) {
            list.append(
                DER.sequence(
                    DER.objectIdentifier(identifier), isCritical ? DER.boolean(true) : [],
                    DER.octetString(value)))
        }
        if profile.hasBasicConstraints {
            add(
                KnownIdentifiers.basicConstraints, isCritical: true,
                DER.sequence(
                    profile.isAuthority ? DER.boolean(true) : [],
                    profile.pathLength.map(DER.integer) ?? []))
        }
        add(
            KnownIdentifiers.subjectKeyIdentifier,
            DER.octetString(key.publicKey.keyIdentifier))
        add(
            KnownIdentifiers.authorityKeyIdentifier,
            DER.sequence(DER.value(0x80, issuerKey.publicKey.keyIdentifier)))
        if let usage = profile.keyUsage {
            let unused = UInt8(usage.rawValue.trailingZeroBitCount)
            add(
                KnownIdentifiers.keyUsage, isCritical: true,
                DER.bitString([usage.rawValue], unusedBits: unused % 8))
        }
        for marker in profile.markers { add(marker, DER.null) }
        if let unknown = profile.unknownCriticalExtension {
            add(unknown, isCritical: true, DER.null)
        }
        return DER.value(DER.sequenceTag, Array(list.joined()))
    }

    private static func name(in profile: CertificateProfile) -> [UInt8] {
        if let subject = profile.subject { return subject }
        func part(_ identifier: String, _ value: [UInt8]) -> [UInt8] {
            DER.set([DER.sequence(DER.objectIdentifier(identifier), value)])
        }
        return DER.sequence(
            part(KnownIdentifiers.commonName, DER.utf8(profile.commonName)),
            part(KnownIdentifiers.organizationalUnitName, DER.utf8("Simulated App Store")),
            part(KnownIdentifiers.organizationName, DER.utf8("Counterfoil")),
            part(KnownIdentifiers.countryName, DER.printable("US")))
    }
}

extension PublicKey {
    /// The SHA-1 of the key as RFC 5280 § 4.2.1.2 proposes it, over the whole encoding, which is
    /// as good as over its bits: an identifier only has to be the same wherever it is written.
    fileprivate var keyIdentifier: [UInt8] {
        Digest.hash(subjectPublicKeyInfo, with: .sha1)
    }
}

extension PrivateKey {
    fileprivate var usualDigest: DigestAlgorithm {
        publicKey.kind == .ec(curve: .p384) ? .sha384 : .sha256
    }

    fileprivate func certificateAlgorithm(_ digest: DigestAlgorithm) -> [UInt8] {
        if case .rsa = publicKey.kind {
            return DER.algorithm(
                digest == .sha1 ? KnownIdentifiers.sha1WithRSA : KnownIdentifiers.sha256WithRSA)
        }
        return DER.algorithm(
            digest == .sha384 ? KnownIdentifiers.ecdsaWithSHA384 : KnownIdentifiers.ecdsaWithSHA256,
            hasNull: false)
    }
}
