// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilTrust

struct ReadingCertificates {
    private let identity: SigningIdentity
    private let der: [UInt8]

    init() throws {
        identity = try TestAuthority.shared.signedDataChain.intermediate
        der = identity.certificate
    }

    @Test("The fields come out as they went in")
    func fields() throws {
        let certificate = try Certificate(der: der)
        let now = TestAuthority.clock.now
        #expect(certificate.subject.commonName == "Simulated Developer Relations CA - G6")
        #expect(certificate.issuer.commonName == "Simulated Root CA - G3")
        #expect(
            certificate.subject.description
                == "CN=Simulated Developer Relations CA - G6, OU=Simulated App Store,"
                + " O=Counterfoil, C=US")
        #expect(certificate.validity.notBefore == now - CertificateProfile.days(1200))
        #expect(certificate.validity.notAfter == now + CertificateProfile.days(3650))
        #expect(certificate.extensions.isAuthority == true)
        #expect(certificate.extensions.pathLengthLimit == 0)
        #expect(certificate.extensions.keyUsage?.allowsSigningCertificates == true)
        #expect(certificate.extensions.keyUsage?.allowsSigningContent == false)
        #expect(certificate.serialNumber.count == 9)
        #expect(certificate.sha256 == Digest.sha256(der))
        #expect(
            Array(certificate.subjectPublicKeyInfo)
                == identity.key.publicKey.subjectPublicKeyInfo)
    }

    @Test("Cut anywhere, it is no certificate")
    func cut() {
        for count in 0..<der.count {
            #expect(throws: TrustFailure.self) { try Certificate(der: der.prefix(count)) }
        }
        #expect(throws: TrustFailure.self) { try Certificate(der: der + [0]) }
    }

    @Test("With any byte changed it is refused or another certificate")
    func changed() throws {
        let key = try TestAuthority.shared.signedDataChain.root.key.publicKey
        for position in der.indices {
            var bytes = der
            bytes[position] ^= 0x41
            guard let certificate = try? Certificate(der: bytes) else { continue }
            #expect(certificate.sha256 != Digest.sha256(der))
            // P-384 is slow: look at one in eight.
            guard position % 8 == 0 else { continue }
            #expect(!certificate.isSigned(by: key, allowing: [.sha384]))
        }
    }

    /// A certificate of handmade parts; the signature is not looked at.
    private func handmade(
        version: [UInt8]? = nil, outerAlgorithm: String? = nil, validity: [UInt8]? = nil,
        extensions: [[UInt8]]? = nil, tail: [UInt8] = []
    ) -> [UInt8] {
        let algorithm = DER.algorithm(KnownIdentifiers.ecdsaWithSHA256, hasNull: false)
        let now = TestAuthority.clock.now
        let name = DER.sequence()
        let body = DER.sequence(
            version ?? DER.context(0, DER.integer(2)), DER.integer(5), algorithm, name,
            validity ?? DER.sequence(DER.time(now), DER.time(now)), name,
            identity.key.publicKey.subjectPublicKeyInfo,
            extensions.map { DER.context(3, DER.value(0x30, Array($0.joined()))) } ?? [], tail)
        let outer = outerAlgorithm.map { DER.algorithm($0) } ?? algorithm
        return DER.sequence(body, outer, DER.bitString([0]))
    }

    private func item(_ identifier: String, _ value: [UInt8], _ flag: [UInt8] = []) -> [UInt8] {
        DER.sequence(DER.objectIdentifier(identifier), flag, DER.octetString(value))
    }

    @Test("Odd certificates that are still certificates are read")
    func odd() throws {
        let plain = try Certificate(der: handmade(version: []))
        #expect(plain.extensions.isAuthority == nil)
        #expect(plain.subject.description.isEmpty)
        #expect(plain.subject.commonName == nil)
        let explicit = try Certificate(
            der: handmade(extensions: [
                item("2.5.29.19", DER.sequence(DER.boolean(false)), DER.boolean(false)),
                item("1.2.3", [1, 2, 3], DER.boolean(true)),
            ]))
        #expect(explicit.extensions.isAuthority == false)
        #expect(explicit.extensions.criticalIdentifiers.map(\.description) == ["1.2.3"])
    }

    @Test("Contradictions are refused")
    func contradictions() {
        let constraints = item("2.5.29.19", DER.sequence(DER.boolean(true)))
        let wrong: [[UInt8]] = [
            handmade(outerAlgorithm: KnownIdentifiers.sha256WithRSA),
            handmade(version: DER.context(0, DER.integer(10))),
            handmade(version: DER.context(0, DER.integer(-1))),
            handmade(version: [], extensions: [constraints]),
            handmade(extensions: [constraints, constraints]),
            handmade(extensions: [item("2.5.29.19", [0x30, 0x05])]),
            handmade(extensions: [item("2.5.29.19", DER.sequence(DER.boolean(true)) + [0])]),
            handmade(extensions: [item("2.5.29.15", DER.integer(1))]),
            handmade(extensions: [[0x30, 0x80, 0, 0]]),
            handmade(validity: DER.sequence(DER.time(TestAuthority.clock.now))),
            handmade(validity: DER.sequence(DER.integer(1), DER.integer(2))),
            handmade(tail: DER.null),
        ]
        for der in wrong {
            #expect(throws: TrustFailure.self) { try Certificate(der: der) }
        }
        #expect(throws: Never.self) { try Certificate(der: handmade()) }
    }

    @Test("A certificate beyond the limit is refused by its size")
    func size() throws {
        let failure = try #require(throws: TrustFailure.self) {
            try Certificate(
                der: [UInt8](repeating: 0x30, count: Limits.maximumCertificateByteCount + 1))
        }
        #expect(failure.expected == "at most 16384 bytes")
    }
}
