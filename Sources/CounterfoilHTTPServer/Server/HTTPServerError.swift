// SPDX-License-Identifier: Apache-2.0

/// Why a server did not start.
public struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable name for the reason.
    public struct Code: Hashable, Sendable {
        private enum Value {
            case addressInvalid, addressInUse, addressUnavailable, permissionDenied
            case alreadyStarted, system
        }

        private let value: Value

        /// The configured address is neither IPv4 nor IPv6 in numbers.
        public static let addressInvalid = Code(value: .addressInvalid)

        /// Another program listens there.
        public static let addressInUse = Code(value: .addressInUse)

        /// This machine does not have the address.
        public static let addressUnavailable = Code(value: .addressUnavailable)

        /// Ports below 1024 need a privilege.
        public static let permissionDenied = Code(value: .permissionDenied)

        /// The server was started before; a stopped one does not start again.
        public static let alreadyStarted = Code(value: .alreadyStarted)

        /// The system refused a socket or a thread.
        public static let system = Code(value: .system)
    }

    /// The reason.
    public let code: Code

    /// What is wrong, with the address.
    public let message: String

    /// The message.
    public var description: String { message }

    /// Errors are equal if their codes are.
    public static func == (lhs: HTTPServerError, rhs: HTTPServerError) -> Bool {
        lhs.code == rhs.code
    }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
    }
}
