// SPDX-License-Identifier: Apache-2.0

/// A cryptographic request that could not be carried out.
///
/// A signature that does not verify is not an error but the value `false`.
public struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of request failed; its text is stable.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case invalidKey = "crypto.invalid_key"
            case unsupportedKey = "crypto.unsupported_key"
            case operationFailed = "crypto.operation_failed"
        }

        private let value: Value

        /// The bytes or the text hold no key, or more than a key.
        public static let invalidKey = Code(value: .invalidKey)

        /// A key of a kind or a size that the request does not allow.
        public static let unsupportedKey = Code(value: .unsupportedKey)

        /// The library refused the operation.
        public static let operationFailed = Code(value: .operationFailed)

        /// The stable text, for example `crypto.invalid_key`.
        public var description: String { value.rawValue }
    }

    /// What kind of request failed.
    public let code: Code

    /// Says what failed without key material; safe to show.
    public let message: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
