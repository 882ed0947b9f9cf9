// SPDX-License-Identifier: Apache-2.0

/// Message authentication codes.
public enum MessageAuthentication {
    /// The 32 bytes of HMAC-SHA-256 (RFC 2104).
    ///
    /// Compare codes with ``constantTimeEqual(_:_:)``.
    public static func hmacSHA256(
        key: some Collection<UInt8>, message: some Collection<UInt8>
    ) -> [UInt8] {
        key.withBytes { key in
            message.withBytes { message in DigestCalls.hmacSHA256(key: key, message: message) }
        }
    }
}
