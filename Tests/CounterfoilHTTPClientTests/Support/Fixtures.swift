// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import CounterfoilHTTPClient
import CounterfoilTestSupport
import Dispatch
import Synchronization
import Testing

/// No test waits that long unless something hangs.
let patience: Duration = .seconds(60)

/// Runs a client and a scripted server while `body` runs.
func withServer(
    _ script: @escaping RawServer.Script,
    configure: (inout HTTPClientConfiguration) -> Void = { _ in },
    _ body: (HTTPClient, String, RawServer) async throws -> Void
) async throws {
    var configuration = HTTPClientConfiguration()
    configure(&configuration)
    let server = try RawServer(script)
    defer { server.stop() }
    let client = try HTTPClient(configuration: configuration)
    do {
        try await body(client, "http://127.0.0.1:\(server.port)", server)
    } catch {
        await client.close(gracePeriod: .zero)
        throw error
    }
    await client.close(gracePeriod: .zero)
}

/// Answers every request of a connection with its path.
let echo: RawServer.Script = { connection in
    while let request = connection.readRequest() {
        guard connection.answer(String(request.split(separator: " ")[1])) else { break }
    }
}

extension HTTPClient {
    func get(_ url: String, limit: Int = 1 << 20) async throws(HTTPTransportError) -> HTTPResponse {
        let request = OutgoingRequest(method: .get, url: url, maximumAnswerByteCount: limit)
        return try await send(request, deadline: patience)
    }

    func post(_ url: String, _ body: String) async throws(HTTPTransportError) -> HTTPResponse {
        let request = OutgoingRequest(method: .post, url: url, body: Array(body.utf8))
        return try await send(request, deadline: patience)
    }

    /// The error of a request that has one.
    func failure(
        _ request: OutgoingRequest, deadline: Duration = patience
    ) async -> HTTPTransportError? {
        do throws(HTTPTransportError) {
            _ = try await send(request, deadline: deadline)
            return nil
        } catch {
            return error
        }
    }

    func failure(of method: HTTPMethod, _ url: String) async -> HTTPTransportError? {
        await failure(OutgoingRequest(method: method, url: url))
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Something that happens on another thread, which a test waits for.
final class Signal: Sendable {
    private struct State {
        var count = 0
        var waiting: [(Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    func fire() {
        let due = state.withLock { state in
            state.count += 1
            let count = state.count
            let due = state.waiting.filter { $0.0 <= count }
            state.waiting.removeAll { $0.0 <= count }
            return due
        }
        for (_, continuation) in due { continuation.resume() }
    }

    /// Returns when it has happened so many times.
    func fired(_ times: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                if state.count < times { state.waiting.append((times, continuation)) }
                return state.count >= times
            }
            if isDue { continuation.resume() }
        }
    }
}

extension RawConnection {
    /// Holds the connection's thread until the signal fires.
    func blockUntil(_ signal: Signal) {
        let semaphore = DispatchSemaphore(value: 0)
        Task {
            await signal.fired()
            semaphore.signal()
        }
        semaphore.wait()
    }
}
