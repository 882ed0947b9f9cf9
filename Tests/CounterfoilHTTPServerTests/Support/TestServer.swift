// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import CounterfoilHTTPServer
import Synchronization

/// A handler made of a closure, which counts what reaches it.
final class TestHandler: HTTPHandler {
    let count = Atomic(0)
    private let answer: @Sendable (HTTPRequest) async -> HTTPResponse

    init(_ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse) {
        self.answer = answer
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        count.add(1, ordering: .relaxed)
        return await answer(request)
    }

    func response(to refusal: HTTPRefusal) -> HTTPResponse {
        HTTPResponse(
            status: refusal.status, headers: ["Refusal": refusal.code],
            body: Array(refusal.message.utf8))
    }
}

/// Says method, path and body of the request.
let echo: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
    let body = Array("\(request.method) \(request.target.path) ".utf8) + request.body
    return HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: body)
}

extension HTTPServerConfiguration {
    /// On a port of its own, with deadlines that no overloaded machine reaches.
    static var patient: HTTPServerConfiguration {
        var configuration = HTTPServerConfiguration(address: "127.0.0.1", port: 0)
        configuration.headTimeout = .seconds(600)
        configuration.bodyTimeout = .seconds(600)
        configuration.handlerTimeout = .seconds(600)
        configuration.answerTimeout = .seconds(600)
        configuration.idleTimeout = .seconds(600)
        return configuration
    }
}

/// Runs a server on a port of its own while `body` runs.
func withServer(
    _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = echo,
    configure: (inout HTTPServerConfiguration) -> Void = { _ in },
    _ body: (UInt16, TestHandler) async throws -> Void
) async throws {
    var configuration = HTTPServerConfiguration.patient
    configure(&configuration)
    let handler = TestHandler(answer)
    let server = HTTPServer(configuration: configuration, handler: handler)
    let port = try server.start()
    do {
        try await body(port, handler)
    } catch {
        await server.stop(gracePeriod: .zero)
        throw error
    }
    await server.stop(gracePeriod: .zero)
}

/// A door that handlers wait at until it is opened; counts who waits.
actor Gate {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var arrivals: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        for arrival in arrivals { arrival.resume() }
        arrivals = []
        if !isOpen { await withCheckedContinuation { waiters.append($0) } }
    }

    /// Waits until somebody stands at the door.
    func arrival() async {
        if waiters.isEmpty { await withCheckedContinuation { arrivals.append($0) } }
    }

    func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}
