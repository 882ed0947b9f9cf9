// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore
package import CounterfoilCrypto

/// The PKCS #7 container of an app receipt (RFC 5652), of which every part can be made wrong.
package struct SignedDataContainer: Sendable {
    /// How lengths are written.
    package enum Form: Hashable, Sendable {
        /// Definite lengths, as the App Store writes.
        case definite

        /// Indefinite lengths and the payload cut into pieces of this size, as Xcode writes.
        case indefinite(pieceByteCount: Int)
    }

    /// One SignerInfo.
    package struct Signer: Sendable {
        package var identity: SigningIdentity
        package var digest: DigestAlgorithm

        /// The moment in the signed attributes; nil signs the payload alone, as the App Store does.
        package var signedAttributesTime: Instant?

        /// Xcode names sha256WithRSA, the App Store rsaEncryption.
        package var signatureAlgorithm = KnownIdentifiers.rsaEncryption

        package init(_ identity: SigningIdentity, digest: DigestAlgorithm = .sha256) {
            self.identity = identity
            self.digest = digest
        }
    }

    package var payload: [UInt8]
    package var signers: [Signer]

    /// The certificates in DER in the order to embed.
    package var certificates: [[UInt8]]
    package var contentType = KnownIdentifiers.data
    package var form = Form.definite

    /// What stands behind the container.
    package var trailingBytes: [UInt8] = []

    /// What the signatures are made over, where that is not the payload.
    package var signedPayload: [UInt8]?

    package init(payload: [UInt8], signers: [Signer], certificates: [[UInt8]]) {
        self.payload = payload
        self.signers = signers
        self.certificates = certificates
    }

    /// Signs and encodes.
    package func encoded() throws(CryptoError) -> [UInt8] {
        var signerInfos: [[UInt8]] = []
        for signer in signers { signerInfos.append(try signerInfo(signer)) }
        let algorithms = Set(signers.map(\.digest)).map { DER.algorithm($0.identifier) }
        let body =
            DER.integer(1) + DER.set(algorithms)
            + constructed(
                DER.sequenceTag,
                DER.objectIdentifier(contentType) + constructed(0xA0, contentOctets()))
            + (certificates.isEmpty ? [] : DER.context(0, Array(certificates.joined())))
            + DER.set(signerInfos)
        let content = constructed(0xA0, constructed(DER.sequenceTag, body))
        return constructed(
            DER.sequenceTag, DER.objectIdentifier(KnownIdentifiers.signedData) + content)
            + trailingBytes
    }

    private func constructed(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        switch form {
        case .definite: DER.value(tag, contents)
        case .indefinite: [tag, 0x80] + contents + [0, 0]
        }
    }

    private func contentOctets() -> [UInt8] {
        guard case .indefinite(let pieceByteCount) = form else { return DER.octetString(payload) }
        var pieces: [UInt8] = []
        for start in stride(from: 0, to: payload.count, by: max(1, pieceByteCount)) {
            let piece = payload[start...].prefix(max(1, pieceByteCount))
            pieces += DER.octetString(Array(piece))
        }
        return constructed(DER.octetStringTag | 0x20, pieces)
    }

    private func signerInfo(_ signer: Signer) throws(CryptoError) -> [UInt8] {
        let content = signedPayload ?? payload
        let digest = Digest.hash(content, with: signer.digest)
        var attributes: [UInt8] = []
        var signature: [UInt8]
        if let time = signer.signedAttributesTime {
            let set = DER.set([
                attribute(
                    KnownIdentifiers.contentTypeAttribute, DER.objectIdentifier(contentType)),
                attribute(KnownIdentifiers.signingTimeAttribute, DER.time(time)),
                attribute(KnownIdentifiers.messageDigestAttribute, DER.octetString(digest)),
            ])
            signature = try signer.identity.key.signature(of: set, algorithm: signer.digest)
            attributes = [0xA0] + set.dropFirst()
        } else {
            signature = try signer.identity.key.signature(
                ofDigest: digest, algorithm: signer.digest)
        }
        return DER.sequence(
            DER.integer(1), signer.identity.issuerAndSerialNumber,
            DER.algorithm(signer.digest.identifier), attributes,
            DER.algorithm(signer.signatureAlgorithm), DER.octetString(signature))
    }

    private func attribute(_ identifier: String, _ value: [UInt8]) -> [UInt8] {
        DER.sequence(DER.objectIdentifier(identifier), DER.set([value]))
    }
}

extension DigestAlgorithm {
    fileprivate var identifier: String {
        switch self {
        case .sha1: KnownIdentifiers.sha1
        case .sha256: KnownIdentifiers.sha256
        case .sha384: KnownIdentifiers.sha384
        case .sha512: KnownIdentifiers.sha512
        }
    }
}
