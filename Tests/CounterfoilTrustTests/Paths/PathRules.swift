// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilTrust

/// Paths made at run time; the key of every certificate is one and the same, which no rule forbids.
struct PathRules {
    private let key: PrivateKey
    private let now = TestAuthority.clock.now
    private let random = SystemRandom()
    private let markers = (
        leaf: "1.2.840.113635.100.6.11.1", intermediate: "1.2.840.113635.100.6.2.1"
    )

    init() throws {
        key = try PrivateKey.generate(.ec(.p256))
    }

    private func root(
        _ change: (inout CertificateProfile) -> Void = { _ in }
    ) throws -> SigningIdentity {
        var profile = CertificateProfile.authority("Root", around: now)
        change(&profile)
        return try .selfSigned(profile, key: key, random: random)
    }

    private func check(
        root: SigningIdentity, policy: PathPolicy = .token, others: [SigningIdentity] = [],
        denied: Bool = false,
        intermediate changeIntermediate: (inout CertificateProfile) -> Void = { _ in },
        leaf changeLeaf: (inout CertificateProfile) -> Void = { _ in }
    ) throws -> String? {
        var profile = CertificateProfile.authority(
            "Intermediate", around: now, pathLength: 0, markers: [markers.intermediate])
        changeIntermediate(&profile)
        let intermediate = try root.issue(profile, key: key, random: random)
        profile = .leaf("Leaf", around: now, markers: [markers.leaf])
        changeLeaf(&profile)
        let leaf = try Certificate(
            der: intermediate.issue(profile, key: key, random: random).certificate)
        var store = TrustStore(
            anchors: [try TrustAnchor(certificate: Certificate(der: root.certificate))])
        if denied { store = store.denying(serialNumbers: [Array(leaf.serialNumber)]) }
        let certificates = try (others + [intermediate]).map {
            try Certificate(der: $0.certificate)
        }
        do throws(TrustFailure) {
            let path = try PathBuilder(store: store, policy: policy).path(
                from: leaf, through: certificates)
            try path.requireValidity(at: now)
            return nil
        } catch {
            return error.check
        }
    }

    @Test("A path as it should be is good, whatever else lies beside it")
    func good() throws {
        let root = try root()
        #expect(try check(root: root) == nil)
        #expect(try check(root: root, others: [root, root]) == nil)
    }

    @Test("An issuer of the right name with another key is passed over")
    func namesakes() throws {
        let other = try PrivateKey.generate(.ec(.p256))
        let namesake = try SigningIdentity.selfSigned(
            .authority("Intermediate", around: now, markers: [markers.intermediate]), key: other,
            random: random)
        #expect(try check(root: root(), others: [namesake]) == nil)
    }

    @Test("A leaf without constraints is no authority; one that is an authority may not sign")
    func leafAuthority() throws {
        let root = try root()
        #expect(try check(root: root, leaf: { $0.hasBasicConstraints = false }) == nil)
        #expect(try check(root: root, leaf: { $0.isAuthority = true }) == "path.leaf-ca")
    }

    @Test("Key usage binds where it is given")
    func keyUsage() throws {
        let root = try root()
        #expect(try check(root: root, leaf: { $0.keyUsage = nil }) == nil)
        #expect(
            try check(root: root, leaf: { $0.keyUsage = .certificateSigning })
                == "path.leaf-key-usage")
        #expect(try check(root: root, intermediate: { $0.keyUsage = nil }) == nil)
        #expect(
            try check(root: root, intermediate: { $0.keyUsage = .listSigning })
                == "path.intermediate-key-usage")
    }

    @Test("An anchor that allows no intermediate has none")
    func pathLength() throws {
        #expect(try check(root: root { $0.pathLength = 0 }) == "path.length")
        #expect(try check(root: root { $0.pathLength = 1 }) == nil)
        #expect(try check(root: root(), intermediate: { $0.pathLength = nil }) == nil)
        #expect(try check(root: root(), intermediate: { $0.pathLength = -1 }) == "path.length")
    }

    @Test("The anchor must have been valid too")
    func anchorValidity() throws {
        let expired = try root { $0.notAfter = now - CertificateProfile.days(1) }
        #expect(try check(root: expired) == "path.anchor-validity")
    }

    @Test("A signer on the deny list is refused although its path is good")
    func denied() throws {
        #expect(try check(root: root(), denied: true) == "path.denied")
    }

    @Test("SHA-1 in a path is good for receipts and not for tokens")
    func sha1() throws {
        let key = try PrivateKey.generate(.rsa(bits: 2048))
        let root = try SigningIdentity.selfSigned(
            .authority("Root", around: now), key: key, random: random)
        var profile = CertificateProfile.authority(
            "Intermediate", around: now, markers: [markers.intermediate])
        profile.signatureDigest = .sha1
        let intermediate = try root.issue(profile, key: key, random: random)
        profile = .leaf("Leaf", around: now, markers: [markers.leaf])
        profile.signatureDigest = .sha1
        let leaf = try Certificate(
            der: intermediate.issue(profile, key: key, random: random).certificate)
        let others = [try Certificate(der: intermediate.certificate)]
        let store = TrustStore(
            anchors: [try TrustAnchor(certificate: Certificate(der: root.certificate))])
        _ = try PathBuilder(store: store, policy: .receipt).path(from: leaf, through: others)
        let failure = try #require(throws: TrustFailure.self) {
            try PathBuilder(store: store, policy: .token).path(from: leaf, through: others)
        }
        #expect(failure.check == "path.leaf-signature")
    }

    @Test("A leaf that the anchor itself signed has no path")
    func withoutIntermediate() throws {
        let root = try root()
        let leaf = try root.issue(
            .leaf("Leaf", around: now, markers: [markers.leaf]), key: key, random: random)
        let store = TrustStore(
            anchors: [try TrustAnchor(certificate: Certificate(der: root.certificate))])
        for others in [[], [root]] {
            #expect(throws: TrustFailure.self) {
                try PathBuilder(store: store, policy: .token).path(
                    from: Certificate(der: leaf.certificate),
                    through: others.map { try Certificate(der: $0.certificate) })
            }
        }
    }

    @Test("A path describes its certificates for people")
    func steps() throws {
        let chain = try TestAuthority.shared.signedDataChain
        let path = try PathBuilder(store: .simulated, policy: .token).path(
            from: Certificate(der: chain.leaf.certificate),
            through: [Certificate(der: chain.intermediate.certificate)])
        let steps = path.steps
        #expect(steps.count == 3)
        #expect(steps[0].subject.hasPrefix("CN=Simulated Receipt Signing, OU="))
        #expect(
            steps.map(\.sha256)
                == chain.certificates.map { Hexadecimal.text(of: Digest.sha256($0)) })
        #expect(steps[0].serialNumber?.hasPrefix("01") == true)
        #expect(steps[2].serialNumber == nil)
        #expect(steps[1].validity == path.intermediate.validity)
    }
}
