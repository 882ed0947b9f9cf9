// SPDX-License-Identifier: Apache-2.0

/// Limits of the signature scheme, with their reasons.
enum Limits {
    /// What Standard Webhooks 1.0.0 allows.
    static let secretByteCounts = 24...64

    /// As strong as the hash.
    static let freshSecretByteCount = 32

    /// Signatures of one header that are compared; a rotation needs two, and a stranger shall not
    /// choose how much is computed.
    static let signatureCount = 16

    /// Secrets that are tried; a rotation needs two.
    static let secretCount = 16

    /// An id as it is signed. Ours have 36 bytes; other senders' are as short.
    static let idByteCount = 256

    /// A header with sixteen signatures of any version has less.
    static let headerByteCount = 4096
}
