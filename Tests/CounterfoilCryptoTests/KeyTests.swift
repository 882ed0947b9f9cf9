// SPDX-License-Identifier: Apache-2.0
import CounterfoilCrypto
import Testing

struct PublicKeys {
    @Test("A public key is read back from its encoding", arguments: DigestSignatures.requests)
    func roundTrip(request: PrivateKey.Request) throws {
        let key = try PrivateKey.generate(request).publicKey
        let again = try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo)
        #expect(again == key)
        #expect(again.kind == key.kind)
    }

    @Test("Every truncation of a key and a byte behind it are errors")
    func truncated() throws {
        let encoded = try PrivateKey.generate(.rsa(bits: 1024)).publicKey.subjectPublicKeyInfo
        for count in 0..<encoded.count {
            expectInvalid(Array(encoded.prefix(count)))
        }
        expectInvalid(encoded + [0])
    }

    @Test("Garbage is an error, not a crash")
    func garbage() {
        expectInvalid([])
        expectInvalid([UInt8](repeating: 0x30, count: 500))
        expectInvalid([UInt8](repeating: 0xFF, count: 100))
        expectInvalid([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF])
        expectInvalid([UInt8](repeating: 0, count: 1 << 20))
    }

    @Test("A point that is not on the curve is no key")
    func offCurve() throws {
        var encoded = try PrivateKey.generate(.ec(.p256)).publicKey.subjectPublicKeyInfo
        encoded[encoded.count - 1] ^= 1
        expectInvalid(encoded)
    }

    @Test("RSA keys outside 1,024 to 8,192 bits are refused", arguments: [0, 512, 1_023, 8_193])
    func rsaSize(bits: Int) {
        #expect {
            try PrivateKey.generate(.rsa(bits: bits))
        } throws: {
            ($0 as? CryptoError)?.code == .unsupportedKey
        }
    }

    @Test("A compressed point makes a key of no known curve, which verifies nothing")
    func compressed() throws {
        let key = try PrivateKey.generate(.ec(.p256))
        let full = key.publicKey.subjectPublicKeyInfo
        let (x, lastOfY) = (full[27..<59], full[full.count - 1])
        var header = Array(full[..<23])
        header += [0x03, 0x22, 0x00, 0x02 + lastOfY % 2]
        header[1] = 0x39
        let compressed = try PublicKey(subjectPublicKeyInfo: header + x)
        #expect(compressed.kind == .ec(curve: .other))
        let signature = try key.rawSignature(of: [1])
        #expect(!compressed.isValidRawSignature(signature, of: [1]))
        let encoded = try key.signature(of: [1], algorithm: .sha256)
        #expect(!compressed.isValidSignature(encoded, of: [1], algorithm: .sha256))
    }

    private func expectInvalid(_ bytes: [UInt8]) {
        #expect {
            try PublicKey(subjectPublicKeyInfo: bytes)
        } throws: {
            ($0 as? CryptoError)?.code == .invalidKey
        }
    }
}

struct PrivateKeys {
    @Test("A private key survives its text form", arguments: DigestSignatures.requests)
    func roundTrip(request: PrivateKey.Request) throws {
        let key = try PrivateKey.generate(request)
        let text = try key.pem()
        #expect(text.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let again = try PrivateKey(pem: text)
        #expect(again.publicKey == key.publicKey)
        let signature = try again.signature(of: [1, 2], algorithm: .sha256)
        #expect(key.publicKey.isValidSignature(signature, of: [1, 2], algorithm: .sha256))
    }

    @Test(
        "Text that holds no private key is an error",
        arguments: [
            "", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\n", String(repeating: "A", count: 100_000),
        ])
    func garbage(text: String) {
        #expect {
            try PrivateKey(pem: text)
        } throws: {
            ($0 as? CryptoError)?.code == .invalidKey
        }
    }

    @Test("A curve without a name cannot be asked for")
    func otherCurve() {
        #expect(throws: CryptoError.self) { try PrivateKey.generate(.ec(.other)) }
    }
}
