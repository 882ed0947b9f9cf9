// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore
package import CounterfoilCrypto

/// A signer's certificate with the two above it.
package struct SigningChain: Sendable {
    package var leaf: SigningIdentity
    package var intermediate: SigningIdentity
    package var root: SigningIdentity

    package init(leaf: SigningIdentity, intermediate: SigningIdentity, root: SigningIdentity) {
        self.leaf = leaf
        self.intermediate = intermediate
        self.root = root
    }

    /// The certificates in DER in the order in which signed data carries them: leaf first.
    package var certificates: [[UInt8]] {
        [leaf.certificate, intermediate.certificate, root.certificate]
    }

    /// Makes the chain of signed transactions: P-384, P-384, P-256, as Apple's is since 2021.
    package static func forSignedData(
        around now: Instant, random: some RandomSource
    ) throws(CryptoError) -> SigningChain {
        try make(
            names: ["Root CA - G3", "Developer Relations CA - G6", "Receipt Signing"],
            authorityKey: .ec(.p384), leafKey: .ec(.p256), around: now, random: random)
    }

    /// Makes the chain of app receipts: three RSA keys of 2,048 bits.
    package static func forReceipts(
        around now: Instant, random: some RandomSource
    ) throws(CryptoError) -> SigningChain {
        try make(
            names: ["Root CA", "Developer Relations CA", "App Store and Store Receipt Signing"],
            authorityKey: .rsa(bits: 2048), leafKey: .rsa(bits: 2048), around: now,
            random: random)
    }

    /// Makes the chain of receipts of iOS 6: SHA-1 and a leaf of 1,024 bits.
    package static func forTransactionReceipts(
        under root: SigningIdentity, around now: Instant, random: some RandomSource
    ) throws(CryptoError) -> SigningChain {
        var authority = CertificateProfile.authority(
            "Simulated Store CA", around: now, pathLength: 0,
            markers: [KnownIdentifiers.iTunesStoreMarker])
        authority.signatureDigest = .sha1
        let intermediate = try root.issue(
            authority, key: .generate(.rsa(bits: 2048)), random: random)
        var signer = CertificateProfile.leaf(
            "Simulated PurchaseReceiptCertificate", around: now,
            markers: [KnownIdentifiers.purchaseReceiptMarker])
        signer.signatureDigest = .sha1
        let leaf = try intermediate.issue(
            signer, key: .generate(.rsa(bits: 1024)), random: random)
        return SigningChain(leaf: leaf, intermediate: intermediate, root: root)
    }

    private static func make(
        names: [String], authorityKey: PrivateKey.Request, leafKey: PrivateKey.Request,
        around now: Instant, random: some RandomSource
    ) throws(CryptoError) -> SigningChain {
        let root = try SigningIdentity.selfSigned(
            .authority("Simulated \(names[0])", around: now), key: .generate(authorityKey),
            random: random)
        let intermediate = try root.issue(
            .authority(
                "Simulated \(names[1])", around: now, pathLength: 0,
                markers: [KnownIdentifiers.developerRelationsMarker]),
            key: .generate(authorityKey), random: random)
        let leaf = try intermediate.issue(
            .leaf(
                "Simulated \(names[2])", around: now,
                markers: [KnownIdentifiers.receiptSigningMarker]),
            key: .generate(leafKey), random: random)
        return SigningChain(leaf: leaf, intermediate: intermediate, root: root)
    }
}
