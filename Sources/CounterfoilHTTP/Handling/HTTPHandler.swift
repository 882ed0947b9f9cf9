// SPDX-License-Identifier: Apache-2.0

/// What answers requests.
public protocol HTTPHandler: Sendable {
    /// Answers a request.
    ///
    /// It starts on the connection's own thread and may compute there for about a millisecond; work
    /// that blocks belongs on a thread of its own behind an `await`. The task is cancelled when its
    /// answer is no longer wanted: the deadline passed, or the server stops.
    func respond(to request: HTTPRequest) async -> HTTPResponse

    /// Words a refusal of the server's own; must not block.
    func response(to refusal: HTTPRefusal) -> HTTPResponse
}

extension HTTPHandler {
    /// Words a refusal as plain text.
    public func response(to refusal: HTTPRefusal) -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "text/plain; charset=utf-8"]
        if let retryAfter = refusal.retryAfter {
            headers["Retry-After"] = String(max(1, retryAfter.components.seconds))
        }
        return HTTPResponse(
            status: refusal.status, headers: headers, body: Array((refusal.message + "\n").utf8))
    }
}
