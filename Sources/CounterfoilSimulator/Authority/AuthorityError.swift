// SPDX-License-Identifier: Apache-2.0

/// An authority that could not be saved or loaded.
public struct AuthorityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of request failed; its text is stable.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case file = "authority.file"
            case exists = "authority.exists"
            case permissions = "authority.permissions"
            case invalid = "authority.invalid"
            case keys = "authority.keys"
        }

        private let value: Value

        /// The system refused to make, write or read a file.
        public static let file = Code(value: .file)

        /// The folder holds an authority already, which is never overwritten.
        public static let exists = Code(value: .exists)

        /// A file with a key may be read by others than its owner.
        public static let permissions = Code(value: .permissions)

        /// A file does not hold a certificate and its key.
        public static let invalid = Code(value: .invalid)

        /// The library made no keys.
        public static let keys = Code(value: .keys)

        /// The stable text, for example `authority.exists`.
        public var description: String { value.rawValue }
    }

    /// What kind of request failed.
    public let code: Code

    /// Says what failed and where, without key material.
    public let message: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
