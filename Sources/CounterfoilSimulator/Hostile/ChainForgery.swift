// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto

/// A signer whose certificates a verifier must refuse although its signature is good.
struct ChainForgery {
    let name: String
    let reason: String
    let verdict: String

    /// What signs, with what is shown above it, which need not have issued it.
    let chain: SigningChain
}

/// Makes the forgeries of one chain; the keys are made once, since RSA keys are slow to make.
struct ChainForger {
    private let genuine: SigningChain
    private let now: Instant
    private let random: any RandomSource
    private let authorityKey: PrivateKey
    private let leafKey: PrivateKey

    static let purpose = "wrong-certificate-purpose"
    static let root = "untrusted-root"
    static let time = "certificate-not-valid-at-creation-date"
    private static let leafName = "Simulated Receipt Signing"
    private static let leafMarkers = [KnownIdentifiers.receiptSigningMarker]
    private static let authorityMarkers = [KnownIdentifiers.developerRelationsMarker]

    init(
        _ genuine: SigningChain, around now: Instant, random: any RandomSource,
        authorityKey: PrivateKey.Request, leafKey: PrivateKey.Request
    ) throws(CryptoError) {
        self.genuine = genuine
        self.now = now
        self.random = random
        self.authorityKey = try .generate(authorityKey)
        self.leafKey = try .generate(leafKey)
    }

    func forgeries() throws(CryptoError) -> [ChainForgery] {
        try foreignRoots() + leaves() + intermediates()
    }

    private func foreignRoots() throws(CryptoError) -> [ChainForgery] {
        // The names are those of the genuine chain to the last byte.
        let root = try SigningIdentity.selfSigned(
            renamed(.authority("", around: now), as: genuine.root), key: authorityKey,
            random: random)
        let intermediate = try root.issue(
            renamed(
                .authority("", around: now, pathLength: 0, markers: Self.authorityMarkers),
                as: genuine.intermediate),
            key: authorityKey, random: random)
        let leaf = try intermediate.issue(
            renamed(.leaf("", around: now, markers: Self.leafMarkers), as: genuine.leaf),
            key: leafKey, random: random)
        let alone = try SigningIdentity.selfSigned(
            .leaf(Self.leafName, around: now, markers: Self.leafMarkers), key: leafKey,
            random: random)
        return [
            ChainForgery(
                name: "other-root", reason: "a whole chain of the same names under another root",
                verdict: Self.root,
                chain: SigningChain(leaf: leaf, intermediate: intermediate, root: root)),
            ChainForgery(
                name: "other-root-true-root-shown",
                reason: "that chain, with the trusted root shown as its third certificate",
                verdict: Self.root,
                chain: SigningChain(leaf: leaf, intermediate: intermediate, root: genuine.root)),
            ChainForgery(
                name: "other-leaf-true-chain-shown",
                reason: "a leaf of the foreign chain beside the genuine intermediate and root",
                verdict: Self.root,
                chain: SigningChain(
                    leaf: leaf, intermediate: genuine.intermediate, root: genuine.root)),
            ChainForgery(
                name: "self-signed",
                reason: "a self-signed certificate with the marker, beside the genuine chain",
                verdict: Self.root,
                chain: SigningChain(
                    leaf: alone, intermediate: genuine.intermediate, root: genuine.root)),
        ]
    }

    private func leaves() throws(CryptoError) -> [ChainForgery] {
        var list: [ChainForgery] = []
        func add(
            _ name: String, _ reason: String, verdict: String,
            _ change: (inout CertificateProfile) -> Void
        ) throws(CryptoError) {
            var profile = CertificateProfile.leaf(
                Self.leafName, around: now, markers: Self.leafMarkers)
            change(&profile)
            let leaf = try genuine.intermediate.issue(profile, key: leafKey, random: random)
            list.append(
                ChainForgery(
                    name: name, reason: reason, verdict: verdict,
                    chain: SigningChain(
                        leaf: leaf, intermediate: genuine.intermediate, root: genuine.root)))
        }
        try add(
            "leaf-without-marker", "a leaf of the genuine intermediate for something else",
            verdict: Self.purpose
        ) { $0.markers = [] }
        try add(
            "leaf-with-other-marker", "a leaf that carries the intermediate's marker",
            verdict: Self.purpose
        ) { $0.markers = Self.authorityMarkers }
        try add("leaf-expired", "a leaf out of date when it signed", verdict: Self.time) {
            $0.notBefore = now - CertificateProfile.days(300)
            $0.notAfter = now - CertificateProfile.days(100)
        }
        try add("leaf-not-yet-valid", "a leaf that begins tomorrow", verdict: Self.time) {
            $0.notBefore = now + CertificateProfile.days(1)
        }
        try add(
            "leaf-critical-extension", "a leaf with a critical extension that nobody knows",
            verdict: Self.purpose
        ) { $0.unknownCriticalExtension = "1.2.3.4.5" }
        let sub = try genuine.leaf.issue(
            .leaf(Self.leafName, around: now, markers: Self.leafMarkers), key: leafKey,
            random: random)
        list.append(
            ChainForgery(
                name: "leaf-as-ca", reason: "a leaf that an end-entity certificate issued",
                verdict: Self.root,
                chain: SigningChain(
                    leaf: sub, intermediate: genuine.leaf, root: genuine.intermediate)))
        return list
    }

    private func intermediates() throws(CryptoError) -> [ChainForgery] {
        var list: [ChainForgery] = []
        func add(
            _ name: String, _ reason: String, verdict: String,
            _ change: (inout CertificateProfile) -> Void
        ) throws(CryptoError) {
            var profile = CertificateProfile.authority(
                "Simulated Other CA", around: now, pathLength: 0, markers: Self.authorityMarkers)
            change(&profile)
            let intermediate = try genuine.root.issue(profile, key: authorityKey, random: random)
            let leaf = try intermediate.issue(
                .leaf(Self.leafName, around: now, markers: Self.leafMarkers), key: leafKey,
                random: random)
            list.append(
                ChainForgery(
                    name: name, reason: reason, verdict: verdict,
                    chain: SigningChain(leaf: leaf, intermediate: intermediate, root: genuine.root))
            )
        }
        try add(
            "intermediate-without-marker",
            "an intermediate of the genuine root, not for developers",
            verdict: Self.purpose
        ) { $0.markers = [] }
        try add(
            "intermediate-not-ca", "an intermediate that may not issue certificates",
            verdict: Self.purpose
        ) { $0.isAuthority = false }
        try add(
            "intermediate-without-constraints", "an intermediate that does not say what it may",
            verdict: Self.purpose
        ) { $0.hasBasicConstraints = false }
        try add(
            "intermediate-without-signing", "an intermediate whose key may not sign certificates",
            verdict: Self.purpose
        ) { $0.keyUsage = .digitalSignature }
        try add(
            "intermediate-critical-extension", "an intermediate with an unknown critical extension",
            verdict: Self.purpose
        ) { $0.unknownCriticalExtension = "1.2.3.4.5" }
        try add(
            "intermediate-expired", "an intermediate out of date when the leaf signed",
            verdict: Self.time
        ) { $0.notAfter = now - CertificateProfile.days(100) }
        return list
    }

    /// The profile under the name of a genuine certificate.
    private func renamed(
        _ profile: CertificateProfile, as identity: SigningIdentity
    ) -> CertificateProfile {
        var profile = profile
        profile.subject = identity.subject
        return profile
    }
}
