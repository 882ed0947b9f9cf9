// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilTrust

struct ReadingAnchors {
    private let authority: Authority
    private let der: [UInt8]

    init() throws {
        authority = try TestAuthority.shared
        der = authority.receiptChain.root.certificate
    }

    private func anchor(_ file: some Sequence<UInt8>) throws -> TrustAnchor {
        try TrustAnchor(parsing: Array(file))
    }

    @Test("PEM, DER and base64 name the same anchor")
    func forms() throws {
        let pem = PEM.text(der, label: PEM.certificateLabel)
        let base64 = Base64.encode(der, .standard)
        let wrapped = base64.enumerated()
            .map { $0.offset % 60 == 59 ? "\($0.element)\r\n" : "\($0.element)" }.joined()
        let digest = Digest.sha256(der)
        #expect(try anchor(der).sha256 == digest)
        #expect(try anchor(pem.utf8).sha256 == digest)
        #expect(try anchor("subject=CN = Root\n\(pem)\n".utf8).sha256 == digest)
        #expect(try anchor(base64.utf8).sha256 == digest)
        #expect(try anchor("\n\(wrapped)\n".utf8).sha256 == digest)
    }

    @Test("Anything else is refused")
    func refused() {
        let pem = PEM.text(der, label: PEM.certificateLabel)
        let wrong: [String] = [
            "", "\n", "root", pem + pem, String(pem.dropLast(30)),
            PEM.text(der, label: "PUBLIC KEY"), Base64.encode(der.dropLast(), .standard),
            String(repeating: "A", count: Limits.maximumAnchorTextByteCount + 1),
        ]
        for text in wrong {
            #expect(throws: TrustFailure.self) { try anchor(text.utf8) }
        }
        #expect(throws: TrustFailure.self) { try anchor(der + [0]) }
    }

    @Test("A certificate that says it is no authority anchors nothing")
    func endEntity() throws {
        let failure = try #require(throws: TrustFailure.self) {
            try anchor(authority.receiptChain.leaf.certificate)
        }
        #expect(failure.check == "anchor.purpose")
    }

    @Test("Every pin is what Apple's certificate says")
    func pins() throws {
        let folder = "apple/certs/apple-real"
        let pairs: [(TrustAnchor, String)] = [
            (.appleRootCA, "\(folder)/AppleIncRootCertificate.cer"),
            (.appleRootCAG2, "\(folder)/AppleRootCA-G2.cer"),
            (.appleRootCAG3, "\(folder)/AppleRootCA-G3.cer"),
            (.iTunesStoreCA2009, "receipts/itunes-store-ca-2009.cert.b64"),
        ]
        guard try OutsideVectors.require(pairs.count, of: "ReadingAnchors") else { return }
        for (pin, file) in pairs {
            let certified = try TrustAnchor(parsing: OutsideVectors.bytes(file))
            #expect(pin.sha256 == certified.sha256)
            #expect(pin.subject == certified.subject)
            #expect(pin.key == certified.key)
            #expect(pin.validity == certified.validity)
            #expect(certified.pathLengthLimit == nil)
        }
    }

    @Test("Apple's store holds its three roots and not the authority of iOS 6 receipts")
    func stores() {
        #expect(
            TrustStore.apple.anchors.map { $0.subject.commonName }
                == ["Apple Root CA", "Apple Root CA - G2", "Apple Root CA - G3"])
        #expect(
            TrustStore.appleTransactionReceipts.anchors.map { $0.subject.commonName }
                == ["Apple iTunes Store Certification Authority"])
    }
}
