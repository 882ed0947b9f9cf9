// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore
public import CounterfoilHTTP

/// An HTTP/1.1 client that keeps connections open.
///
/// It speaks `http` and `https` (TLS 1.2 or newer, always verified), asks nothing of the
/// environment, and uses no proxy. One thread drives all requests.
public final class HTTPClient: HTTPTransport {
    private let inbox: Inbox
    private let thread: SystemThread

    /// Starts the client's thread.
    ///
    /// - Throws: `transport.system` if the system gives no thread or memory,
    ///   `transport.request_invalid` if no header field can hold the configured user agent.
    public init(
        configuration: HTTPClientConfiguration = HTTPClientConfiguration()
    ) throws(HTTPTransportError) {
        try RequestGuard.check(field: .init(name: "User-Agent", value: configuration.userAgent))
        let multi = try CurlMulti(configuration)
        let inbox = Inbox(
            multi: multi,
            limit: max(1, configuration.maximumRunningCount)
                + max(0, configuration.maximumWaitingCount))
        self.inbox = inbox
        do throws(SystemThread.Refusal) {
            thread = try SystemThread.start {
                Driver(multi: multi, inbox: inbox, configuration: configuration).run()
            }
        } catch {
            throw HTTPTransportError(.system, "no thread could be started", details: error.details)
        }
    }

    deinit {
        inbox.close(at: .now)
    }

    /// Sends a request and returns the whole answer, whatever its status.
    public func send(
        _ request: OutgoingRequest, deadline: Duration
    ) async throws(HTTPTransportError) -> HTTPResponse {
        try RequestGuard.check(request)
        let call = Call(request, deadline: Self.instant(after: deadline))
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                call.expect(continuation)
                do throws(HTTPTransportError) {
                    try inbox.submit(call)
                } catch {
                    call.finish(.failure(error))
                }
            }
        } onCancel: {
            inbox.cancel(call)
        }
        return try outcome.get()
    }

    /// Refuses new requests, lets those under way finish, and closes all connections.
    ///
    /// What is not answered after `gracePeriod` fails with `transport.closed`. A second call may
    /// shorten the period; it too returns when everything has ended.
    public func close(gracePeriod: Duration) async {
        inbox.close(at: Self.instant(after: gracePeriod))
        await thread.finished()
    }

    private static func instant(after duration: Duration) -> ContinuousClock.Instant {
        .now + min(max(duration, .zero), Limits.longestDeadline)
    }
}
