// SPDX-License-Identifier: Apache-2.0

// Every call into libcrypto stands in this file. A failed call leaves entries in the thread's error
// queue; they are dropped here, since the caller's own error says what matters.
import COpenSSL

/// A hash function looked up once; looking it up by name costs more than hashing a short message.
///
/// Safe to share: what it points to is never changed once it was looked up.
private struct HashFunction: @unchecked Sendable {
    // Safe to share: a fetched EVP_MD is immutable and is never freed.
    let pointer: OpaquePointer

    init(_ name: String) {
        guard let pointer = EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("libcrypto offers no \(name)")
        }
        self.pointer = pointer
    }

    static let sha1 = HashFunction("SHA1")
    static let sha256 = HashFunction("SHA2-256")
    static let sha384 = HashFunction("SHA2-384")
    static let sha512 = HashFunction("SHA2-512")

    static func of(_ algorithm: DigestAlgorithm) -> HashFunction {
        switch algorithm {
        case .sha1: sha1
        case .sha256: sha256
        case .sha384: sha384
        case .sha512: sha512
        }
    }
}

/// Hashing, comparing and randomness.
enum DigestCalls {
    static func digest(
        _ bytes: UnsafeBufferPointer<UInt8>, _ algorithm: DigestAlgorithm
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { output, initialized in
            let done = EVP_Digest(
                bytes.baseAddress, bytes.count, output.baseAddress, nil,
                HashFunction.of(algorithm).pointer, nil)
            precondition(done == 1, "libcrypto could not hash")
            initialized = algorithm.byteCount
        }
    }

    static func withSHA256<Result>(
        of bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { output in
            let done = EVP_Digest(
                bytes.baseAddress, bytes.count, output.baseAddress, nil,
                HashFunction.sha256.pointer, nil)
            precondition(done == 1, "libcrypto could not hash")
            return body(UnsafeBufferPointer(output))
        }
    }

    static func hmacSHA256(
        key: UnsafeBufferPointer<UInt8>, message: UnsafeBufferPointer<UInt8>
    ) -> [UInt8] {
        precondition(key.count <= Int(Int32.max), "a key of more than two gigabytes")
        // A null key would mean "the key of the last call" to some versions of the library.
        let empty: [UInt8] = [0]
        return [UInt8](unsafeUninitializedCapacity: 32) { output, initialized in
            let done = empty.withUnsafeBufferPointer { empty in
                HMAC(
                    HashFunction.sha256.pointer, key.baseAddress ?? empty.baseAddress,
                    Int32(key.count), message.baseAddress ?? empty.baseAddress, message.count,
                    output.baseAddress, nil)
            }
            precondition(done != nil, "libcrypto could not authenticate")
            initialized = 32
        }
    }

    /// Compares two buffers of one length.
    static func areEqual(
        _ lhs: UnsafeBufferPointer<UInt8>, _ rhs: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let left = lhs.baseAddress, let right = rhs.baseAddress else { return true }
        return CRYPTO_memcmp(left, right, lhs.count) == 0
    }

    static func randomBytes(_ count: Int) -> [UInt8] {
        precondition(0...Int(Int32.max) ~= count, "an impossible number of random bytes")
        return [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            let done = count == 0 ? 1 : RAND_bytes(output.baseAddress, Int32(count))
            precondition(done == 1, "the system has no randomness to give")
            initialized = count
        }
    }
}

/// The state of a hash over pieces.
final class DigestState {
    private let context: OpaquePointer
    private let algorithm: DigestAlgorithm

    init(_ algorithm: DigestAlgorithm) {
        guard let context = EVP_MD_CTX_new(),
            EVP_DigestInit_ex2(context, HashFunction.of(algorithm).pointer, nil) == 1
        else { preconditionFailure("libcrypto could not hash") }
        self.context = context
        self.algorithm = algorithm
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// A state of its own over what was appended so far.
    func copy() -> DigestState {
        DigestState(copying: self)
    }

    private init(copying other: DigestState) {
        guard let context = EVP_MD_CTX_new(), EVP_MD_CTX_copy_ex(context, other.context) == 1 else {
            preconditionFailure("libcrypto could not hash")
        }
        self.context = context
        algorithm = other.algorithm
    }

    func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        let done = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(done == 1, "libcrypto could not hash")
    }

    func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { output, initialized in
            let done = EVP_DigestFinal_ex(context, output.baseAddress, nil)
            precondition(done == 1, "libcrypto could not hash")
            initialized = algorithm.byteCount
        }
    }
}

/// A key of the library.
///
/// Safe to share: key and template are never changed after they were made, each operation has a
/// context of its own, and libcrypto counts references to what contexts share atomically.
final class KeyHandle: @unchecked Sendable {
    private let key: OpaquePointer
    let family: KeyFamily

    /// A context ready to verify, of which each verification takes a copy: making one anew looks
    /// the algorithm up, which costs twenty times as much. Nil for keys that verify nothing.
    private let verification: OpaquePointer?

    /// The size of the modulus, or of the curve's field.
    var bits: Int { Int(EVP_PKEY_get_bits(key)) }

    private init?(_ key: OpaquePointer?) {
        guard let key else {
            ERR_clear_error()
            return nil
        }
        self.key = key
        switch EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA: family = .rsa
        case EVP_PKEY_EC: family = .ec
        default: family = .other
        }
        verification = Self.verificationContext(key, family)
    }

    private static func verificationContext(
        _ key: OpaquePointer, _ family: KeyFamily
    ) -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return nil }
        guard EVP_PKEY_verify_init(context) == 1, setPadding(context, family) else {
            ERR_clear_error()
            EVP_PKEY_CTX_free(context)
            return nil
        }
        return context
    }

    deinit {
        EVP_PKEY_CTX_free(verification)
        EVP_PKEY_free(key)
    }

    convenience init?(generatingRSA bits: Int) {
        self.init(counterfoil_generate_rsa(UInt32(bits)))
    }

    convenience init?(generatingOn curve: String) {
        self.init(counterfoil_generate_ec(curve))
    }

    convenience init?(subjectPublicKeyInfo bytes: [UInt8]) {
        let key = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            guard let key = d2i_PUBKEY(nil, &cursor, buffer.count) else { return nil }
            guard cursor == buffer.baseAddress.map({ $0 + buffer.count }) else {
                EVP_PKEY_free(key)
                return nil
            }
            return key
        }
        self.init(key)
    }

    convenience init?(pem bytes: [UInt8]) {
        let key = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            guard let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else {
                return nil
            }
            defer { BIO_free(bio) }
            // An empty pass phrase: without one the library would ask at the terminal.
            var phrase: [CChar] = [0]
            return PEM_read_bio_PrivateKey(bio, nil, nil, &phrase)
        }
        self.init(key)
    }

    /// The DER of the public part, or nil.
    func subjectPublicKeyInfo() -> [UInt8]? {
        var start: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_PUBKEY(key, &start))
        guard count > 0, let start else {
            ERR_clear_error()
            return nil
        }
        defer { CRYPTO_free(start, nil, 0) }
        return Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// The unencrypted PKCS #8 text, or nil.
    func privateKeyPEM() -> String? {
        guard let bio = BIO_new(BIO_s_secmem()) else { return nil }
        defer { BIO_free(bio) }
        var start: UnsafeMutablePointer<CChar>?
        guard PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1,
            case let count = counterfoil_bio_memory(bio, &start), count > 0, let start
        else {
            ERR_clear_error()
            return nil
        }
        return start.withMemoryRebound(to: UInt8.self, capacity: count) {
            String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
        }
    }

    /// Checks a signature over a digest (curves) or over the block that PKCS #1 pads (RSA).
    ///
    /// No hash function is named to the library, so its policy about hash functions has no say.
    func verifies(
        _ signature: UnsafeBufferPointer<UInt8>, of content: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let verification, let context = EVP_PKEY_CTX_dup(verification) else {
            return false
        }
        defer { EVP_PKEY_CTX_free(context) }
        let isValid =
            EVP_PKEY_verify(
                context, signature.baseAddress, signature.count, content.baseAddress, content.count
            ) == 1
        if !isValid { ERR_clear_error() }
        return isValid
    }

    /// Signs a digest (curves) or the block that PKCS #1 pads (RSA).
    func sign(_ content: [UInt8]) -> [UInt8]? {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var isSigned = false
        let signature = [UInt8](
            unsafeUninitializedCapacity: Limits.maximumSignatureByteCount
        ) { output, initialized in
            var count = output.count
            isSigned =
                EVP_PKEY_sign_init(context) == 1 && Self.setPadding(context, family)
                && EVP_PKEY_sign(
                    context, output.baseAddress, &count, content, content.count) == 1
            initialized = isSigned ? count : 0
        }
        if !isSigned { ERR_clear_error() }
        return isSigned ? signature : nil
    }

    private static func setPadding(_ context: OpaquePointer, _ family: KeyFamily) -> Bool {
        family != .rsa || EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
    }
}
