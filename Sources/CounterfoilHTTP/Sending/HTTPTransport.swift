// SPDX-License-Identifier: Apache-2.0

/// What carries requests to other servers: the network, or a simulated one in tests.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns the whole answer, whatever its status.
    ///
    /// Redirects are answers, never followed. Nothing is tried again, with one exception: when a
    /// connection that was kept open turns out dead, a request whose method is idempotent
    /// (RFC 9110 § 9.2.2) is sent once more on a new one. `POST` and `PATCH` leave at most once.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - deadline: The most time from now until the answer is complete; waiting for a turn counts.
    /// - Throws: An error whose ``HTTPTransportError/wasSent`` says whether the other server may
    ///   have acted. Cancelling the task ends the call at once with
    ///   ``HTTPTransportError/Code/cancelled``.
    func send(
        _ request: OutgoingRequest, deadline: Duration
    ) async throws(HTTPTransportError) -> HTTPResponse
}
