// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import Testing

/// The key and the signature of "sample" with SHA-256 in RFC 6979, appendix A.2.5.
private enum PublishedP256 {
    static let subjectPublicKeyInfo = bytes(
        "3059301306072a8648ce3d020106082a8648ce3d03010703420004"
            + "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
            + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
    static let signature = bytes(
        "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
            + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8")
    static let message = Array("sample".utf8)
    static let order = bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

    private static func bytes(_ text: String) -> [UInt8] { Hexadecimal.bytes(of: text) ?? [] }
}

struct RawSignatures {
    let key: PublicKey

    init() throws {
        key = try PublicKey(subjectPublicKeyInfo: PublishedP256.subjectPublicKeyInfo)
    }

    @Test("The signature of RFC 6979 is valid")
    func published() {
        #expect(key.kind == .ec(curve: .p256))
        #expect(key.isValidRawSignature(PublishedP256.signature, of: PublishedP256.message))
    }

    @Test("One flipped bit anywhere in the signature or the message is refused")
    func flipped() {
        for bit in 0..<512 {
            var signature = PublishedP256.signature
            signature[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.isValidRawSignature(signature, of: PublishedP256.message))
        }
        #expect(!key.isValidRawSignature(PublishedP256.signature, of: "samplf".utf8))
    }

    @Test("r and s outside 1 to n - 1 are refused")
    func range() {
        let (r, s) = (PublishedP256.signature[..<32], PublishedP256.signature[32...])
        let zero = [UInt8](repeating: 0, count: 32)
        let order = PublishedP256.order
        for signature in [zero + zero, zero + s, r + zero, order + order, order + s, r + order] {
            #expect(!key.isValidRawSignature(Array(signature), of: PublishedP256.message))
        }
    }

    @Test("Another length, or DER, is refused", arguments: [0, 1, 63, 65, 70, 96])
    func length(count: Int) throws {
        let padded = PublishedP256.signature + [UInt8](repeating: 0, count: 32)
        #expect(!key.isValidRawSignature(padded.prefix(count), of: PublishedP256.message))
        let own = try PrivateKey.generate(.ec(.p256))
        let encoded = try own.signature(of: PublishedP256.message, algorithm: .sha256)
        #expect(!own.publicKey.isValidRawSignature(encoded, of: PublishedP256.message))
    }

    @Test("Signatures with short r or s survive the way from DER and back")
    func shortIntegers() throws {
        let own = try PrivateKey.generate(.ec(.p256))
        // One signature in 128 has a short part.
        for index in 0..<600 {
            let message = Array("message \(index)".utf8)
            let signature = try own.rawSignature(of: message)
            #expect(signature.count == 64)
            #expect(own.publicKey.isValidRawSignature(signature, of: message))
        }
    }

    @Test("A P-384 key and an RSA key verify no ES256 signature")
    func otherKeys() throws {
        let wide = try PrivateKey.generate(.ec(.p384))
        #expect(wide.publicKey.kind == .ec(curve: .p384))
        let signature = try wide.rawSignature(of: PublishedP256.message)
        #expect(signature.count == 96)
        #expect(!wide.publicKey.isValidRawSignature(signature, of: PublishedP256.message))
        #expect(
            !wide.publicKey.isValidRawSignature(
                PublishedP256.signature, of: PublishedP256.message))
        let rsa = try PrivateKey.generate(.rsa(bits: 2048))
        #expect(
            !rsa.publicKey.isValidRawSignature(PublishedP256.signature, of: PublishedP256.message))
        #expect(throws: CryptoError.self) { try rsa.rawSignature(of: PublishedP256.message) }
    }

    @Test("A message of several kilobytes, given as a slice, verifies in place")
    func slices() throws {
        let own = try PrivateKey.generate(.ec(.p256))
        let text = [UInt8](repeating: 0x41, count: 4_096)
        let signature = try own.rawSignature(of: text[10..<4_000])
        #expect(own.publicKey.isValidRawSignature(signature, of: text[10..<4_000]))
        #expect(!own.publicKey.isValidRawSignature(signature, of: text[10..<4_001]))
    }
}

struct SignedTexts {
    @Test("A text that carries its signature gets its digest only if the signature is good")
    func digest() throws {
        let key = try PrivateKey.generate(.ec(.p256))
        let signed = [UInt8](repeating: 0x41, count: 3_000)
        let signature = try key.rawSignature(of: signed)
        let text = [0x20] + signed + [0x2E] + signature
        let slice = text[1...]
        let digest = key.publicKey.sha256(
            of: slice, ifFirst: signed.count, hasRawSignature: signature)
        #expect(digest == Digest.sha256(slice))
        for count in [0, signed.count - 1, signed.count + 1, slice.count] {
            #expect(
                key.publicKey.sha256(of: slice, ifFirst: count, hasRawSignature: signature) == nil)
        }
        #expect(
            key.publicKey.sha256(
                of: slice, ifFirst: signed.count, hasRawSignature: Array(signature.reversed()))
                == nil)
        #expect(
            key.publicKey.sha256(
                of: slice, ifFirst: signed.count, hasRawSignature: signature + [0]) == nil)
    }

    @Test("A beginning that was hashed before gives the same digest, and only for its own text")
    func prefix() throws {
        let key = try PrivateKey.generate(.ec(.p256))
        for beginning in [0, 1, 64, 2_999, 3_000] {
            let signed = (0..<3_000).map { UInt8(truncatingIfNeeded: $0) }
            let signature = try key.rawSignature(of: signed)
            let text = (signed + signature)[...]
            let digest = { (prefix: DigestPrefix) in
                key.publicKey.sha256(
                    of: text, ifFirst: signed.count, hasRawSignature: signature,
                    continuing: prefix)
            }
            let prefix = DigestPrefix(text.prefix(beginning))
            #expect(digest(prefix) == Digest.sha256(text))
            #expect(digest(prefix) == Digest.sha256(text), "the prefix is unchanged by its use")
            if beginning > 0 {
                let other = DigestPrefix([UInt8](repeating: 0xFF, count: beginning)[...])
                #expect(digest(other) == nil)
            }
        }
    }

    @Test("Nothing at all can be signed too, and a key on another curve signs nothing")
    func ends() throws {
        let key = try PrivateKey.generate(.ec(.p256))
        let signature = try key.rawSignature(of: [])
        #expect(
            key.publicKey.sha256(of: [], ifFirst: 0, hasRawSignature: signature)
                == Digest.sha256([]))
        let wide = try PrivateKey.generate(.ec(.p384)).publicKey
        #expect(wide.sha256(of: [], ifFirst: 0, hasRawSignature: signature) == nil)
    }
}

struct DigestSignatures {
    static let requests: [PrivateKey.Request] = [
        .rsa(bits: 1024), .rsa(bits: 2048), .ec(.p256), .ec(.p384),
    ]

    @Test("Every key signs with every hash function, SHA-1 and 1,024 bits too", arguments: requests)
    func roundTrip(request: PrivateKey.Request) throws {
        let key = try PrivateKey.generate(request)
        for algorithm in DigestAlgorithm.allCases {
            let digest = Digest.hash("payload".utf8, with: algorithm)
            let signature = try key.signature(ofDigest: digest, algorithm: algorithm)
            let verifies = { (signature: [UInt8], digest: [UInt8]) in
                key.publicKey.isValidSignature(
                    signature, ofDigest: digest, algorithm: algorithm)
            }
            #expect(verifies(signature, digest))
            #expect(
                key.publicKey.isValidSignature(
                    signature, of: "payload".utf8, algorithm: algorithm))
            #expect(!verifies(signature, Digest.hash("payloae".utf8, with: algorithm)))
            #expect(!verifies(signature, Array(digest.dropLast())))
            #expect(!verifies(signature + [0], digest))
            #expect(!verifies(Array(signature.dropLast()), digest))
            #expect(!verifies([], digest))
            var flipped = signature
            flipped[signature.count / 2] ^= 4
            #expect(!verifies(flipped, digest))
        }
    }

    @Test("An RSA signature names its hash function: the same bytes under another are refused")
    func hashFunctionIsBound() throws {
        let key = try PrivateKey.generate(.rsa(bits: 2048))
        let digest = [UInt8](repeating: 7, count: 32)
        let signature = try key.signature(ofDigest: digest, algorithm: .sha256)
        for other in [DigestAlgorithm.sha1, .sha384, .sha512] {
            let bytes = Array((digest + digest).prefix(other.byteCount))
            #expect(!key.publicKey.isValidSignature(signature, ofDigest: bytes, algorithm: other))
        }
    }

    @Test("A digest of the wrong length is not signed")
    func wrongLength() throws {
        let key = try PrivateKey.generate(.ec(.p256))
        #expect(throws: CryptoError.self) {
            try key.signature(ofDigest: [1, 2, 3], algorithm: .sha256)
        }
    }

    @Test("One key serves many tasks at once")
    func shared() async throws {
        let key = try PrivateKey.generate(.ec(.p256))
        let valid = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask {
                    let message = Array("message \(index)".utf8)
                    let signature = try key.rawSignature(of: message)
                    return key.publicKey.isValidRawSignature(signature, of: message)
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(valid == 64)
    }
}
