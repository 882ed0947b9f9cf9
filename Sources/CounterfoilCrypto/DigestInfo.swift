// SPDX-License-Identifier: Apache-2.0

extension DigestAlgorithm {
    /// What precedes the digest in an RSA signature: DigestInfo with NULL parameters.
    ///
    /// RFC 8017 § 9.2. Writing it here keeps signatures independent of what the library's
    /// configuration thinks of a hash function.
    var digestInfoPrefix: [UInt8] {
        switch self {
        case .sha1:
            [
                0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00, 0x04,
                0x14,
            ]
        case .sha256: Self.sha2Prefix(identifier: 1, byteCount: 0x20)
        case .sha384: Self.sha2Prefix(identifier: 2, byteCount: 0x30)
        case .sha512: Self.sha2Prefix(identifier: 3, byteCount: 0x40)
        }
    }

    private static func sha2Prefix(identifier: UInt8, byteCount: UInt8) -> [UInt8] {
        [
            0x30, 0x11 + byteCount, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03,
            0x04, 0x02, identifier, 0x05, 0x00, 0x04, byteCount,
        ]
    }
}
