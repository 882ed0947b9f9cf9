// SPDX-License-Identifier: Apache-2.0

/// The elliptic curves that Apple signs with.
public enum EllipticCurve: Hashable, Sendable {
    case p256
    case p384

    /// Any other curve, and any unusual encoding (explicit parameters, a compressed point): a key
    /// of it can be looked at and verifies nothing.
    case other

    /// The name that the library knows the curve by.
    var libraryName: String? {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .other: nil
        }
    }

    /// Tells the curve by comparing the whole encoding up to the point, so that a key that brings
    /// its own curve parameters is never taken for one of the named curve.
    init(subjectPublicKeyInfo bytes: [UInt8]) {
        if bytes.count == Self.p256Prefix.count + 64, bytes.starts(with: Self.p256Prefix) {
            self = .p256
        } else if bytes.count == Self.p384Prefix.count + 96, bytes.starts(with: Self.p384Prefix) {
            self = .p384
        } else {
            self = .other
        }
    }

    /// SubjectPublicKeyInfo of id-ecPublicKey on prime256v1 up to the 04 of an uncompressed point.
    private static let p256Prefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]

    /// The same on secp384r1.
    private static let p384Prefix: [UInt8] = [
        0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05,
        0x2B, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00, 0x04,
    ]
}

/// The family of a key.
enum KeyFamily {
    case rsa
    case ec
    case other
}
