// SPDX-License-Identifier: Apache-2.0

/// Why a request has no answer.
///
/// `description` is safe to show to anyone; `debugDescription` adds the library's own words, which
/// may name hosts and addresses, and is for the log only.
public struct HTTPTransportError: Error, Sendable {
    /// A stable name for the reason.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case requestInvalid = "transport.request_invalid"
            case busy = "transport.busy"
            case closed = "transport.closed"
            case cancelled = "transport.cancelled"
            case timeout = "transport.timeout"
            case unresolved = "transport.unresolved"
            case connect = "transport.connect"
            case addressRefused = "transport.address_refused"
            case tls = "transport.tls"
            case interrupted = "transport.interrupted"
            case protocolViolation = "transport.protocol"
            case tooLarge = "transport.too_large"
            case system = "transport.system"
        }

        private let value: Value

        /// The name, for programs.
        public var description: String { value.rawValue }

        /// The address, the method or a header field cannot be sent; a repeat cannot help.
        public static let requestInvalid = Code(value: .requestInvalid)

        /// Too many requests wait for their turn already.
        public static let busy = Code(value: .busy)

        /// The transport was closed, before the call or while it ran.
        public static let closed = Code(value: .closed)

        /// The task was cancelled.
        public static let cancelled = Code(value: .cancelled)

        /// The deadline passed, or no connection came about in time.
        public static let timeout = Code(value: .timeout)

        /// The host's name has no address.
        public static let unresolved = Code(value: .unresolved)

        /// The connection was refused or the host cannot be reached.
        public static let connect = Code(value: .connect)

        /// The host has only addresses that this client does not connect to.
        public static let addressRefused = Code(value: .addressRefused)

        /// The other end is not proven to be the host, or no encryption was agreed on.
        public static let tls = Code(value: .tls)

        /// The connection ended before the answer was complete.
        public static let interrupted = Code(value: .interrupted)

        /// The answer is not HTTP/1.1.
        public static let protocolViolation = Code(value: .protocolViolation)

        /// The answer's head or body is longer than its limit.
        public static let tooLarge = Code(value: .tooLarge)

        /// The library or the system refused something else: memory, a thread, an authority's file.
        public static let system = Code(value: .system)
    }

    /// The reason.
    public let code: Code

    /// What went wrong, in words that hold nothing of the request.
    public let message: String

    /// The library's own words.
    public let details: String?

    /// Whether any of the request may have reached the other server; if not, it has not acted.
    public let wasSent: Bool

    /// Makes an error; transports do.
    public init(_ code: Code, _ message: String, details: String? = nil, wasSent: Bool = false) {
        self.code = code
        self.message = message
        self.details = details
        self.wasSent = wasSent
    }
}

extension HTTPTransportError: CustomStringConvertible, CustomDebugStringConvertible {
    /// Code and message.
    public var description: String { "\(code): \(message)" }

    /// The description with the details.
    public var debugDescription: String {
        guard let details else { return description }
        return "\(description) [\(details)]"
    }
}
