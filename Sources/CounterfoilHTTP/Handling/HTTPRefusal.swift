// SPDX-License-Identifier: Apache-2.0

/// Why the server answers without asking its handler.
public struct HTTPRefusal: Error, Hashable, Sendable {
    /// The status of the answer.
    public let status: Int

    /// A stable name for the reason, for programs.
    public let code: String

    /// What was wrong and which limit was broken, for people; safe to show.
    public let message: String

    /// How long the client should wait before it tries again, where trying again can help.
    public let retryAfter: Duration?

    /// Makes a refusal.
    public init(status: Int, code: String, message: String, retryAfter: Duration? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }
}
