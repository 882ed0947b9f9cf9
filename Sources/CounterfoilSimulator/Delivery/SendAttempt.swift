// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
public import CounterfoilHTTP

/// One try to deliver a notification.
public struct SendAttempt: Hashable, Sendable {
    /// What came of it, in the words of the notification history.
    public enum Result: String, Hashable, Sendable, CaseIterable {
        case success = "SUCCESS"
        case timedOut = "TIMED_OUT"
        case tlsIssue = "TLS_ISSUE"
        case circularRedirect = "CIRCULAR_REDIRECT"
        case noResponse = "NO_RESPONSE"
        case socketIssue = "SOCKET_ISSUE"
        case unsupportedCharset = "UNSUPPORTED_CHARSET"
        case invalidResponse = "INVALID_RESPONSE"
        case prematureClose = "PREMATURE_CLOSE"
        case unsuccessfulStatus = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
        case other = "OTHER"

        /// What Apple makes of an answer: 200 to 206 count, redirects do not.
        public init(status: Int) {
            self = (200...206).contains(status) ? .success : .unsuccessfulStatus
        }

        /// What Apple would call a failure of the network.
        public init(_ error: HTTPTransportError) {
            switch error.code {
            case .timeout: self = .timedOut
            case .tls: self = .tlsIssue
            case .unresolved, .connect: self = .socketIssue
            case .interrupted: self = .prematureClose
            case .protocolViolation, .tooLarge: self = .invalidResponse
            default: self = .other
            }
        }
    }

    /// When it was made.
    public let date: Instant

    /// What came of it.
    public let result: Result
}

/// When a notification that failed is sent again: so long after each failure, in turn.
public struct ResendPlan: Hashable, Sendable {
    /// The pauses; as many tries follow the first one.
    public let pauses: [Duration]

    /// Takes any plan.
    public init(pauses: [Duration]) {
        self.pauses = pauses
    }

    /// Notifications of version 2 in production: after 1, 12, 24, 48 and 72 hours.
    public static let production = ResendPlan(pauses: hours(1, 12, 24, 48, 72))

    /// Version 1: after 6, 24 and 48 hours.
    public static let productionV1 = ResendPlan(pauses: hours(6, 24, 48))

    /// One try and no more, as in the sandbox.
    public static let sandbox = ResendPlan(pauses: [])

    private static func hours(_ counts: Int64...) -> [Duration] {
        counts.map { .seconds($0 * 3_600) }
    }
}
