// SPDX-License-Identifier: Apache-2.0

/// A public key that checks signatures; one key may be used by any number of threads at once.
///
/// Decoding a key costs about as much as one verification, so keep keys that are used again.
public final class PublicKey: Sendable {
    /// What a key is, as far as the rules about certificates ask.
    public enum Kind: Hashable, Sendable {
        case rsa(bits: Int)
        case ec(curve: EllipticCurve)

        /// A family that Apple does not use; it verifies nothing.
        case other
    }

    /// The family and size, read from the encoding.
    public let kind: Kind

    /// The DER bytes that the key was made from.
    public let subjectPublicKeyInfo: [UInt8]

    private let handle: KeyHandle

    /// Decodes the DER of a SubjectPublicKeyInfo (RFC 5280 § 4.1).
    ///
    /// - Throws: ``CryptoError`` with code `crypto.invalid_key` if the bytes are not exactly one
    ///   key, `crypto.unsupported_key` for RSA outside 1,024 to 8,192 bits.
    public convenience init(subjectPublicKeyInfo: some Collection<UInt8>) throws(CryptoError) {
        let bytes = Array(subjectPublicKeyInfo)
        guard bytes.count <= Limits.maximumPublicKeyByteCount,
            let handle = KeyHandle(subjectPublicKeyInfo: bytes)
        else {
            throw CryptoError(code: .invalidKey, message: "the bytes are not one public key")
        }
        try self.init(handle: handle, subjectPublicKeyInfo: bytes)
    }

    init(handle: KeyHandle, subjectPublicKeyInfo: [UInt8]) throws(CryptoError) {
        switch handle.family {
        case .rsa:
            guard Limits.rsaBits.contains(handle.bits) else {
                throw CryptoError(
                    code: .unsupportedKey, message: "an RSA key of \(handle.bits) bits")
            }
            kind = .rsa(bits: handle.bits)
        case .ec:
            kind = .ec(curve: EllipticCurve(subjectPublicKeyInfo: subjectPublicKeyInfo))
        case .other:
            kind = .other
        }
        self.handle = handle
        self.subjectPublicKeyInfo = subjectPublicKeyInfo
    }

    /// Tells whether the signature over a message with this digest was made by the key's owner.
    ///
    /// RSA means PKCS #1 v1.5, elliptic curves mean the DER form of r and s. The system's policy
    /// about SHA-1 and short keys does not enter: such signatures on old receipts stay valid.
    ///
    /// - Returns: `false` also for a digest of the wrong length and for keys of other families.
    @inlinable
    public func isValidSignature(
        _ signature: some Collection<UInt8>, ofDigest digest: [UInt8], algorithm: DigestAlgorithm
    ) -> Bool {
        signature.withBytes { signature in
            digest.withUnsafeBufferPointer { digest in
                isValid(signature: signature, digest: digest, algorithm)
            }
        }
    }

    /// Tells whether the signature over the message is valid, hashing the message first.
    @inlinable
    public func isValidSignature(
        _ signature: some Collection<UInt8>, of message: some Collection<UInt8>,
        algorithm: DigestAlgorithm
    ) -> Bool {
        isValidSignature(
            signature, ofDigest: Digest.hash(message, with: algorithm), algorithm: algorithm)
    }

    /// Tells whether the 64 bytes r, s are a signature of the message by ES256 (RFC 7518 § 3.4).
    ///
    /// - Returns: `false` also for any other length and for a key that is not on P-256.
    @inlinable
    public func isValidRawSignature(
        _ signature: some Collection<UInt8>, of message: some Collection<UInt8>
    ) -> Bool {
        signature.withBytes { signature in
            message.withBytes { message in isValid(rawSignature: signature, message: message) }
        }
    }

    /// The SHA-256 of the text if the 64 bytes r, s are a signature by ES256 of its first `count`
    /// bytes, and nil otherwise.
    ///
    /// It is what ``isValidRawSignature(_:of:)`` and ``Digest/sha256(_:)`` would say, for a text that
    /// carries its signature at its end and that is hashed only once.
    ///
    /// - Parameters:
    ///   - count: At most the text's own.
    ///   - prefix: What the text is known to begin with, not longer than what is signed of it.
    public func sha256(
        of text: ArraySlice<UInt8>, ifFirst count: Int, hasRawSignature signature: [UInt8],
        continuing prefix: DigestPrefix? = nil
    ) -> [UInt8]? {
        let start = prefix?.byteCount ?? 0
        precondition(start <= count && count <= text.count, "more bytes than there are")
        guard kind == .ec(curve: .p256), signature.count == 64 else { return nil }
        let digest = prefix?.continued() ?? DigestState(.sha256)
        text.dropFirst(start).prefix(count - start).withUnsafeBufferPointer(digest.append)
        let signed = digest.copy().finish()
        let isValid = signature.withUnsafeBufferPointer { signature in
            ECDSASignature.withDER(ofRaw: signature) { encoded in
                signed.withUnsafeBufferPointer { handle.verifies(encoded, of: $0) }
            }
        }
        guard isValid else { return nil }
        text.dropFirst(count).withUnsafeBufferPointer(digest.append)
        return digest.finish()
    }

    @usableFromInline
    func isValid(
        signature: UnsafeBufferPointer<UInt8>, digest: UnsafeBufferPointer<UInt8>,
        _ algorithm: DigestAlgorithm
    ) -> Bool {
        guard digest.count == algorithm.byteCount else { return false }
        switch kind {
        case .rsa(let bits):
            guard signature.count == (bits + 7) / 8 else { return false }
            return (algorithm.digestInfoPrefix + digest).withUnsafeBufferPointer {
                handle.verifies(signature, of: $0)
            }
        case .ec(curve: .p256), .ec(curve: .p384):
            guard 1...Limits.maximumSignatureByteCount ~= signature.count else { return false }
            return handle.verifies(signature, of: digest)
        case .ec(curve: .other), .other:
            return false
        }
    }

    @usableFromInline
    func isValid(
        rawSignature: UnsafeBufferPointer<UInt8>, message: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard kind == .ec(curve: .p256), rawSignature.count == 64 else { return false }
        return ECDSASignature.withDER(ofRaw: rawSignature) { encoded in
            DigestCalls.withSHA256(of: message) { handle.verifies(encoded, of: $0) }
        }
    }
}

extension PublicKey: Equatable {
    /// Two keys are equal when their encodings are.
    public static func == (lhs: PublicKey, rhs: PublicKey) -> Bool {
        lhs.subjectPublicKeyInfo == rhs.subjectPublicKeyInfo
    }
}
