// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilTrust

/// Containers put together by hand, of which every part can be made wrong.
struct ContainerSignatures {
    private let chain: SigningChain
    private let payload = DER.set([
        DER.sequence(
            DER.integer(12), DER.integer(1),
            DER.octetString(DER.receiptDate(TestAuthority.clock.now)))
    ])

    init() throws {
        chain = try TestAuthority.shared.receiptChain
    }

    /// What a container says; the defaults are what a receipt of the App Store says.
    private struct Parts {
        var content: [UInt8]?
        var identifier: [UInt8]?
        var digest = KnownIdentifiers.sha256
        var algorithm = KnownIdentifiers.rsaEncryption

        /// The signed attributes; nil signs the content itself.
        var attributes: [[UInt8]]?
        var signedWith = DigestAlgorithm.sha256
        var certificates: [[UInt8]]?
        var algorithms: [UInt8]?
        var signatureAlgorithm: [UInt8]?
        var beforeSigners: [UInt8] = []
        var afterSignature: [UInt8] = []
    }

    private func attribute(_ identifier: String, _ values: [UInt8]...) -> [UInt8] {
        DER.sequence(DER.objectIdentifier(identifier), DER.set(values))
    }

    private func goodAttributes() -> [[UInt8]] {
        [
            attribute(
                KnownIdentifiers.contentTypeAttribute,
                DER.objectIdentifier(KnownIdentifiers.data)),
            attribute(
                KnownIdentifiers.messageDigestAttribute,
                DER.octetString(Digest.sha256(payload))),
        ]
    }

    private func container(_ change: (inout Parts) -> Void = { _ in }) throws -> [UInt8] {
        var parts = Parts()
        change(&parts)
        let leaf = try Certificate(der: chain.leaf.certificate)
        let identifier =
            parts.identifier
            ?? DER.sequence(
                Array(leaf.issuer.der), DER.value(DER.integerTag, Array(leaf.serialNumber)))
        var signed = payload
        var attributes: [UInt8] = []
        if let list = parts.attributes {
            signed = DER.value(DER.setTag, Array(list.joined()))
            attributes = [0xA0] + signed.dropFirst()
        }
        let signature = try chain.leaf.key.signature(of: signed, algorithm: parts.signedWith)
        let signer = DER.sequence(
            DER.integer(1), identifier, DER.algorithm(parts.digest), attributes,
            parts.signatureAlgorithm ?? DER.algorithm(parts.algorithm),
            DER.octetString(signature), parts.afterSignature)
        let content = parts.content ?? DER.context(0, DER.octetString(payload))
        let certificates = parts.certificates ?? chain.certificates
        return DER.sequence(
            DER.objectIdentifier(KnownIdentifiers.signedData),
            DER.context(
                0,
                DER.sequence(
                    DER.integer(1), parts.algorithms ?? DER.set([DER.algorithm(parts.digest)]),
                    DER.sequence(DER.objectIdentifier(KnownIdentifiers.data), content),
                    DER.context(0, Array(certificates.joined())), parts.beforeSigners,
                    DER.set([signer]))))
    }

    private func check(_ bytes: [UInt8]) throws -> String {
        let verifier = TrustVerifier(store: try .simulated)
        let (word, check) = verdict { () throws(TrustFailure) in
            try verifier.verify(cms: bytes[...], reading: creationDate)
        }
        return check.map { "\(word) \($0)" } ?? word
    }

    @Test("The digest comes from the digest algorithm, and another name must agree")
    func digests() throws {
        #expect(try check(container()) == "trusted")
        let named = try container { $0.algorithm = KnownIdentifiers.sha256WithRSA }
        #expect(try check(named) == "trusted")
        let old = try container {
            $0.digest = KnownIdentifiers.sha1
            $0.signedWith = .sha1
            $0.algorithm = KnownIdentifiers.sha1WithRSA
        }
        #expect(try check(old) == "trusted")
        let contradiction = try container { $0.algorithm = KnownIdentifiers.sha1WithRSA }
        #expect(try check(contradiction) == "malformed cms.signature-algorithm")
        let ecdsa = try container { $0.algorithm = KnownIdentifiers.ecdsaWithSHA256 }
        #expect(try check(ecdsa) == "malformed cms.signature-algorithm")
        let lie = try container { $0.digest = KnownIdentifiers.sha1 }
        #expect(try check(lie) == "bad-signature cms.signature")
    }

    @Test("Signed attributes must speak of this content, each once")
    func attributes() throws {
        let good = goodAttributes()
        #expect(try check(container { $0.attributes = good }) == "trusted")
        #expect(try check(container { $0.attributes = good.reversed() }) == "trusted")
        let wrong: [[[UInt8]]] = [
            [], [good[0]], [good[1]], good + [good[0]], good + [good[1]], good + [DER.null],
            [
                attribute(
                    KnownIdentifiers.contentTypeAttribute,
                    DER.objectIdentifier(KnownIdentifiers.signedData)), good[1],
            ],
            [
                good[0],
                attribute(
                    KnownIdentifiers.messageDigestAttribute,
                    DER.octetString(Digest.sha256(payload)),
                    DER.octetString(Digest.sha256([]))),
            ],
            [good[0], attribute(KnownIdentifiers.messageDigestAttribute)],
            good + (0..<40).map { attribute("1.2.3.\($0)", DER.null) },
        ]
        for attributes in wrong {
            let bytes = try container { $0.attributes = attributes }
            #expect(try check(bytes) == "malformed cms.signed-attributes")
        }
        let other = try container {
            $0.attributes = [
                good[0],
                attribute(
                    KnownIdentifiers.messageDigestAttribute,
                    DER.octetString(Digest.sha256([]))),
            ]
        }
        #expect(try check(other) == "bad-signature cms.message-digest")
    }

    @Test("A signature over attributes does not pass as one over content, nor the other way")
    func confusion() throws {
        let attributes = DER.value(DER.setTag, Array(goodAttributes().joined()))
        let asContent = try container {
            $0.attributes = goodAttributes()
            $0.content = DER.context(0, DER.octetString(attributes))
        }
        #expect(try check(asContent) == "bad-signature cms.message-digest")
        let withoutThem = try check(
            container {
                $0.content = DER.context(0, DER.octetString(attributes))
            })
        #expect(withoutThem == "bad-signature cms.signature")
    }

    @Test("Content that lies elsewhere, or is no octet string, is refused")
    func detached() throws {
        #expect(try check(container { $0.content = [] }) == "malformed cms.content")
        let text = try container { $0.content = DER.context(0, DER.utf8("a")) }
        #expect(try check(text) == "malformed cms.structure")
    }

    @Test("A signer that is named by its key is refused")
    func keyIdentifier() throws {
        let bytes = try container { $0.identifier = DER.value(0x80, [1, 2, 3]) }
        #expect(try check(bytes) == "malformed cms.signer-identifier")
    }

    @Test("Revocation lists and unsigned attributes, which no receipt has, are refused")
    func unusedParts() throws {
        let lists = try container { $0.beforeSigners = DER.context(1, DER.sequence()) }
        #expect(try check(lists) == "malformed cms.revocation-lists")
        let attributes = try container {
            $0.afterSignature = DER.context(1, attribute("1.2.3", DER.null))
        }
        #expect(try check(attributes) == "malformed cms.unsigned-attributes")
    }

    @Test("What no signature covers is limited, wherever it lies")
    func unsignedSize() throws {
        let junk = DER.octetString([UInt8](repeating: 7, count: 40_000))
        let rsa = DER.objectIdentifier(KnownIdentifiers.rsaEncryption)
        let dresses: [(inout Parts) -> Void] = [
            { $0.algorithms = DER.set([DER.algorithm(KnownIdentifiers.sha256), junk]) },
            { $0.signatureAlgorithm = DER.sequence(rsa, junk) },
            {
                // 20,000 empty pieces of content, two bytes each.
                let pieces = Array(repeating: [0x04, 0x00] as [UInt8], count: 20_000).joined()
                $0.content = DER.context(
                    0, DER.value(0x24, DER.octetString(payload) + Array(pieces)))
            },
        ]
        for dress in dresses {
            #expect(try check(container(dress)) == "malformed cms.unsigned-size")
        }
    }

    @Test("Certificates are limited in number and must all be certificates")
    func certificates() throws {
        let root = chain.root.certificate
        let filled = try container {
            $0.certificates = chain.certificates + Array(repeating: root, count: 5)
        }
        #expect(try check(filled) == "trusted")
        let many = try container {
            $0.certificates = chain.certificates + Array(repeating: root, count: 6)
        }
        #expect(try check(many) == "malformed certificate.structure")
        let junk = try container { $0.certificates = chain.certificates + [DER.sequence()] }
        #expect(try check(junk) == "malformed certificate.structure")
    }

    @Test("A container shows its parts before any judgement")
    func parts() throws {
        let bytes = try container()
        let container = try SignedCMS((bytes + [1, 2])[...])
        #expect(Array(container.content) == payload)
        #expect(container.trailingByteCount == 2)
        #expect(try container.certificates().map { Array($0.der) } == chain.certificates)
    }
}
