// SPDX-License-Identifier: Apache-2.0

/// The sizes that outside material may have here.
enum Limits {
    /// An RSA-8192 key takes 1,062 bytes as SubjectPublicKeyInfo; nothing that Apple uses is longer.
    static let maximumPublicKeyByteCount = 2_048

    /// RSA moduli: iOS 6 receipts are signed with 1,024 bits; beyond 8,192 bits one verification
    /// costs milliseconds, which a sender of foreign certificates could make us spend.
    static let rsaBits = 1_024...8_192

    /// An RSA-8192 private key takes 6.4 KB as PKCS #8 PEM.
    static let maximumPEMByteCount = 16_384

    /// The longest signature, that of an RSA-8192 key.
    static let maximumSignatureByteCount = 1_024
}
