// SPDX-License-Identifier: Apache-2.0

/// A private key that signs; one key may be used by any number of threads at once.
public final class PrivateKey: Sendable {
    /// The key to generate.
    public enum Request: Hashable, Sendable {
        case rsa(bits: Int)
        case ec(EllipticCurve)
    }

    /// The other half, which may be given away.
    public let publicKey: PublicKey

    private let handle: KeyHandle

    private init(handle: KeyHandle) throws(CryptoError) {
        guard let encoded = handle.subjectPublicKeyInfo() else {
            throw CryptoError(code: .invalidKey, message: "the key has no public part")
        }
        self.handle = handle
        publicKey = try PublicKey(handle: handle, subjectPublicKeyInfo: encoded)
    }

    /// Makes a new key out of the library's own randomness.
    ///
    /// - Throws: ``CryptoError`` with code `crypto.unsupported_key` for RSA outside 1,024 to 8,192
    ///   bits and for curves other than P-256 and P-384.
    public static func generate(_ request: Request) throws(CryptoError) -> PrivateKey {
        let handle: KeyHandle?
        switch request {
        case .rsa(let bits):
            guard Limits.rsaBits.contains(bits) else {
                throw CryptoError(code: .unsupportedKey, message: "an RSA key of \(bits) bits")
            }
            handle = KeyHandle(generatingRSA: bits)
        case .ec(let curve):
            guard let name = curve.libraryName else {
                throw CryptoError(code: .unsupportedKey, message: "a curve without a name")
            }
            handle = KeyHandle(generatingOn: name)
        }
        guard let handle else {
            throw CryptoError(code: .operationFailed, message: "no key was generated")
        }
        return try PrivateKey(handle: handle)
    }

    /// Reads an unencrypted private key: PKCS #8 (`PRIVATE KEY`, as Apple's `.p8` files) or the
    /// older forms of one family (`RSA PRIVATE KEY`, `EC PRIVATE KEY`).
    ///
    /// - Throws: ``CryptoError`` with code `crypto.invalid_key`, also for an encrypted key.
    public convenience init(pem: String) throws(CryptoError) {
        let bytes = Array(pem.utf8)
        guard bytes.count <= Limits.maximumPEMByteCount, let handle = KeyHandle(pem: bytes) else {
            throw CryptoError(
                code: .invalidKey, message: "the text holds no unencrypted private key")
        }
        try self.init(handle: handle)
    }

    /// The key as unencrypted PKCS #8 text.
    ///
    /// Whoever reads it can sign: never log or send it.
    ///
    /// - Throws: ``CryptoError`` with code `crypto.operation_failed`.
    public func pem() throws(CryptoError) -> String {
        guard let text = handle.privateKeyPEM() else {
            throw CryptoError(code: .operationFailed, message: "the key was not encoded")
        }
        return text
    }

    /// Signs a message by its digest: PKCS #1 v1.5 with RSA, the DER form of r and s otherwise.
    ///
    /// - Throws: ``CryptoError`` with code `crypto.operation_failed` if the digest's length is
    ///   not the algorithm's or the key is too short for it.
    public func signature(
        ofDigest digest: [UInt8], algorithm: DigestAlgorithm
    ) throws(CryptoError) -> [UInt8] {
        let signature: [UInt8]?
        if digest.count != algorithm.byteCount {
            signature = nil
        } else if case .rsa = publicKey.kind {
            signature = handle.sign(algorithm.digestInfoPrefix + digest)
        } else {
            signature = handle.sign(digest)
        }
        guard let signature else {
            throw CryptoError(code: .operationFailed, message: "nothing was signed")
        }
        return signature
    }

    /// Signs the message, hashing it first.
    public func signature(
        of message: some Collection<UInt8>, algorithm: DigestAlgorithm
    ) throws(CryptoError) -> [UInt8] {
        try signature(ofDigest: Digest.hash(message, with: algorithm), algorithm: algorithm)
    }

    /// Signs the message by SHA-256 and returns r and s at the fixed width of the curve: 64 bytes
    /// on P-256, which is ES256 (RFC 7518 § 3.4).
    ///
    /// - Throws: ``CryptoError`` with code `crypto.unsupported_key` if the key is not on P-256 or
    ///   P-384.
    public func rawSignature(of message: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        let width: Int
        switch publicKey.kind {
        case .ec(curve: .p256): width = 32
        case .ec(curve: .p384): width = 48
        default:
            throw CryptoError(code: .unsupportedKey, message: "not a key on P-256 or P-384")
        }
        let encoded = try signature(of: message, algorithm: .sha256)
        guard let raw = ECDSASignature.raw(fromDER: encoded, width: width) else {
            throw CryptoError(code: .operationFailed, message: "the signature has an odd form")
        }
        return raw
    }
}
