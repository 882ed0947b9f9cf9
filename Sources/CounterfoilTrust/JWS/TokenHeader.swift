// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto

/// The part of a JWS header that decides who signed.
struct TokenHeader {
    /// The DER of the certificates that form the path: leaf and intermediate.
    ///
    /// The list holds a third one, the root. It is used for nothing: the anchor is ours.
    let leaf: [UInt8]
    let intermediate: [UInt8]

    private static let algorithm = "ES256"
    private static let certificateCount = 3

    /// Judges a header: the algorithm before anything else is believed.
    init(_ header: JSONObject) throws(TrustFailure) {
        guard case .string(Self.algorithm)? = header["alg"] else {
            throw TrustFailure(
                .malformed, .algorithm, expected: Self.algorithm,
                actual: header["alg"].map { $0.string ?? $0.kindName } ?? "no alg")
        }
        // Whatever it lists must be understood, and this reader understands no extension.
        guard header["crit"] == nil else {
            throw TrustFailure(.malformed, .criticalHeaders, expected: "none")
        }
        guard let list = header["x5c"] else {
            throw TrustFailure(
                .signerCertificateMissing, .certificateList,
                expected: "\(Self.certificateCount) certificates", actual: "none")
        }
        guard let entries = list.array else {
            throw TrustFailure(
                .malformed, .certificateList, expected: "an array", actual: list.kindName)
        }
        guard entries.count == Self.certificateCount else {
            throw TrustFailure(
                .untrustedRoot, .certificateList, expected: "\(Self.certificateCount) certificates",
                actual: "\(entries.count)")
        }
        leaf = try Self.der(entries[0])
        intermediate = try Self.der(entries[1])
    }

    /// Everything that the path is built from.
    var chainKey: ArraySlice<UInt8> {
        ChainCache.key(.token, [leaf[...], intermediate[...]])
    }

    /// The certificates, which stand in the order of the path.
    func certificates() throws(TrustFailure) -> (leaf: Certificate, others: [Certificate]) {
        let leaf = try Certificate(der: leaf)
        let intermediate = try Certificate(der: intermediate)
        guard leaf.issuer == intermediate.subject else {
            throw TrustFailure(
                .untrustedRoot, .issuer, expected: leaf.issuer.description,
                actual: intermediate.subject.description)
        }
        return (leaf, [intermediate])
    }

    private static func der(_ entry: JSONValue) throws(TrustFailure) -> [UInt8] {
        guard let text = entry.string, let der = Base64.decode(text.utf8, .standard) else {
            throw TrustFailure(.malformed, .certificateList, expected: "base64 of certificates")
        }
        return der
    }
}

extension CompactJWS {
    private static let signatureByteCount = 64

    /// Makes sure that the key made the signature by ES256, and returns the SHA-256 of the whole text.
    ///
    /// - Parameter header: The header segment as it was hashed before.
    func requireSignature(
        by key: PublicKey, continuing header: DigestPrefix?
    ) throws(TrustFailure) -> [UInt8] {
        guard key.kind == .ec(curve: .p256) else {
            throw TrustFailure(
                .badSignature, .signerKey, expected: "a key on P-256", actual: "\(key.kind)")
        }
        let signature = try signature()
        guard signature.count == Self.signatureByteCount else {
            throw TrustFailure(
                .badSignature, .tokenSignature, expected: "\(Self.signatureByteCount) bytes",
                actual: "\(signature.count)")
        }
        let digest = key.sha256(
            of: text, ifFirst: signingInputByteCount, hasRawSignature: signature,
            continuing: header)
        guard let digest else { throw TrustFailure(.badSignature, .tokenSignature) }
        return digest
    }
}
