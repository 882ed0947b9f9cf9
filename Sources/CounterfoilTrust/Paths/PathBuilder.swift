// SPDX-License-Identifier: Apache-2.0

import CounterfoilCrypto

/// Finds the path from a signer to an anchor and applies every rule that does not depend on time.
///
/// First comes whether the path leads to an anchor at all, then whether it may sign purchases: a
/// stranger's certificate is `untrusted-root`, whatever it claims about itself.
struct PathBuilder {
    let store: TrustStore
    let policy: PathPolicy

    /// - Parameter others: The other certificates of the evidence in any order; a root among them is
    ///   of no consequence.
    func path(
        from leaf: Certificate, through others: [Certificate]
    ) throws(TrustFailure) -> CertificatePath {
        let intermediate = try issuer(of: leaf, among: others)
        let anchor = try anchor(above: intermediate)
        try requireAuthority(intermediate, below: anchor)
        try requireEndEntity(leaf)
        try requireUnderstoodExtensions(leaf)
        try requireUnderstoodExtensions(intermediate)
        try requireMarker(policy.leafMarker, in: leaf, .leafMarker)
        try requireMarker(policy.intermediateMarker, in: intermediate, .intermediateMarker)
        try requireNotDenied(leaf)
        return CertificatePath(leaf: leaf, intermediate: intermediate, anchor: anchor)
    }

    /// The certificate that has the issuer's name and the key that signed the leaf.
    private func issuer(
        of leaf: Certificate, among others: [Certificate]
    ) throws(TrustFailure) -> Certificate {
        let namesakes = others.filter { $0.subject == leaf.issuer && $0 != leaf }
        guard !namesakes.isEmpty else {
            throw TrustFailure(
                .untrustedRoot, .issuer, expected: leaf.issuer.description,
                actual: list(others.map(\.subject)))
        }
        for candidate in namesakes {
            let key = try candidate.publicKey(orVerdict: .untrustedRoot)
            if leaf.isSigned(by: key, allowing: policy.digests) { return candidate }
        }
        throw TrustFailure(
            .untrustedRoot, .leafSignature, expected: "a signature by \(leaf.issuer)",
            actual: "a signature by another key")
    }

    /// The anchor that has the issuer's name and the key that signed the intermediate.
    private func anchor(above intermediate: Certificate) throws(TrustFailure) -> TrustAnchor {
        let namesakes = store.anchors.filter { $0.subject == intermediate.issuer }
        guard !namesakes.isEmpty else {
            throw TrustFailure(
                .untrustedRoot, .anchor, expected: list(store.anchors.map(\.subject)),
                actual: intermediate.issuer.description)
        }
        let anchor = namesakes.first {
            intermediate.isSigned(by: $0.key, allowing: policy.digests)
        }
        guard let anchor else {
            throw TrustFailure(
                .untrustedRoot, .intermediateSignature,
                expected: "a signature by the trusted key of \(intermediate.issuer)",
                actual: "a signature by another key")
        }
        return anchor
    }

    private func requireAuthority(
        _ intermediate: Certificate, below anchor: TrustAnchor
    ) throws(TrustFailure) {
        guard intermediate.extensions.isAuthority == true else {
            throw TrustFailure(
                .wrongCertificatePurpose, .intermediateAuthority, expected: "CA",
                actual: intermediate.subject.description)
        }
        if let limit = anchor.pathLengthLimit, limit < 1 {
            throw TrustFailure(
                .wrongCertificatePurpose, .pathLength, expected: "at most \(limit) intermediates",
                actual: "1")
        }
        if let limit = intermediate.extensions.pathLengthLimit, limit < 0 {
            throw TrustFailure(
                .wrongCertificatePurpose, .pathLength, expected: "at least 0", actual: "\(limit)")
        }
        if let usage = intermediate.extensions.keyUsage, !usage.allowsSigningCertificates {
            throw TrustFailure(
                .wrongCertificatePurpose, .intermediateKeyUsage, expected: "keyCertSign",
                actual: intermediate.subject.description)
        }
    }

    private func requireEndEntity(_ leaf: Certificate) throws(TrustFailure) {
        guard leaf.extensions.isAuthority != true else {
            throw TrustFailure(
                .wrongCertificatePurpose, .leafAuthority, expected: "no CA",
                actual: leaf.subject.description)
        }
        if let usage = leaf.extensions.keyUsage, !usage.allowsSigningContent {
            throw TrustFailure(
                .wrongCertificatePurpose, .leafKeyUsage, expected: "digitalSignature",
                actual: leaf.subject.description)
        }
    }

    private func requireUnderstoodExtensions(_ certificate: Certificate) throws(TrustFailure) {
        let unknown = certificate.extensions.criticalIdentifiers
            .subtracting(policy.understoodExtensions)
        guard unknown.isEmpty else {
            throw TrustFailure(
                .wrongCertificatePurpose, .criticalExtension,
                expected: "no unknown critical extension",
                actual: unknown.map(\.description).sorted().joined(separator: ", "))
        }
    }

    private func requireMarker(
        _ marker: OID, in certificate: Certificate, _ check: Check
    ) throws(TrustFailure) {
        guard certificate.extensions.identifiers.contains(marker) else {
            throw TrustFailure(
                .wrongCertificatePurpose, check, expected: "extension \(marker)",
                actual: certificate.subject.description)
        }
    }

    private func requireNotDenied(_ leaf: Certificate) throws(TrustFailure) {
        guard !store.denies(leaf) else {
            throw TrustFailure(
                .certificateDenied, .denied, expected: "a signer that is not on the deny list",
                actual: leaf.subject.description)
        }
    }

    private func list(_ names: [DistinguishedName]) -> String {
        names.isEmpty ? "none" : names.map(\.description).joined(separator: "; ")
    }
}
