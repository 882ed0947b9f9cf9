// SPDX-License-Identifier: Apache-2.0

extension SignedCMS {
    /// The signer of a container that a verifier takes: alone, and named by its certificate.
    struct Signer {
        let signature: ContainerSigner
        let name: ContainerSigner.Identifier
    }

    /// The one signer, if nothing follows the container.
    func onlySigner() throws(TrustFailure) -> Signer {
        guard trailingByteCount == 0 else {
            throw TrustFailure(
                .trailingBytes, .containerEnd, expected: "0 bytes behind the container",
                actual: "\(trailingByteCount)")
        }
        guard let signer = signers.first else {
            throw TrustFailure(.noSigner, .signerCount, expected: "1", actual: "0")
        }
        guard signers.count == 1 else {
            throw TrustFailure(
                .malformed, .signerCount, expected: "1", actual: "\(signers.count)")
        }
        guard let name = signer.identifier else {
            throw TrustFailure(
                .malformed, .signerIdentifier, expected: "issuer and serial number",
                actual: "a key identifier")
        }
        try requireNothingToSpare(in: signer)
        return Signer(signature: signer, name: name)
    }

    /// Refuses what no receipt has and no signature covers: by it one genuine receipt would become
    /// as many pieces of evidence, each of any size, as somebody likes to have kept.
    private func requireNothingToSpare(in signer: ContainerSigner) throws(TrustFailure) {
        guard !hasRevocationLists else {
            throw TrustFailure(.malformed, .revocationLists, expected: "none")
        }
        guard !signer.hasUnsignedAttributes else {
            throw TrustFailure(.malformed, .unsignedAttributes, expected: "none")
        }
        let limit =
            Limits.maximumUnsignedByteCount
            + content.count / Limits.maximumUnsignedShareOfContent
        guard unsignedByteCount <= limit else {
            throw TrustFailure(
                .malformed, .unsignedSize, expected: "at most \(limit) bytes beside the content",
                actual: "\(unsignedByteCount)")
        }
    }

    /// The signer's certificate and the others, in whatever order they lie.
    func certificates(
        of signer: Signer
    ) throws(TrustFailure) -> (leaf: Certificate, others: [Certificate]) {
        var others = try certificates()
        let position = others.firstIndex {
            $0.issuer.der == signer.name.issuer && $0.serialNumber == signer.name.serialNumber
        }
        guard let position else {
            throw TrustFailure(
                .signerCertificateMissing, .signerCertificate,
                expected: "the certificate that the signer names",
                actual: "\(others.count) other certificates")
        }
        return (others.remove(at: position), others)
    }

    /// Everything that the path is built from: all certificates, and which of them signed.
    func chainKey(for signer: Signer) -> ArraySlice<UInt8> {
        ChainCache.key(.receipt, [signer.name.encoding, certificateSet])
    }
}
