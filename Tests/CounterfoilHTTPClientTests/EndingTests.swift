// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import CounterfoilHTTPClient
import CounterfoilTestSupport
import Testing

@Suite("Ending a request early")
struct Endings {
    /// A server that never answers, one place, and a request that has it.
    private func withSilentServer(
        _ body: (HTTPClient, OutgoingRequest, Task<HTTPTransportError?, Never>) async throws -> Void
    ) async throws {
        let (arrived, left) = (Signal(), Signal())
        try await withServer { connection in
            _ = connection.readRequest()
            arrived.fire()
            connection.awaitClose()
            left.fire()
        } configure: {
            $0.maximumRunningCount = 1
        } _: { client, url, _ in
            let request = OutgoingRequest(method: .post, url: url)
            let running = Task { await client.failure(request) }
            await arrived.fired()
            try await body(client, request, running)
            await client.close(gracePeriod: .zero)
            _ = await running.value
            await left.fired()
        }
    }

    @Test("A running request is cancelled; it may have had its effect")
    func cancelRunning() async throws {
        try await withSilentServer { _, _, running in
            running.cancel()
            let error = await running.value
            #expect(error?.code == .cancelled)
            #expect(error?.wasSent == true)
        }
    }

    @Test("A waiting request is cancelled; nothing was sent")
    func cancelWaiting() async throws {
        try await withSilentServer { client, request, running in
            let waiting = Task { await client.failure(request) }
            // Whether it waits already or not: the cancellation finds it or overtakes it.
            waiting.cancel()
            let error = await waiting.value
            #expect(error?.code == .cancelled)
            #expect(error?.wasSent == false)
            running.cancel()
            #expect(await running.value?.code == .cancelled)
        }
    }

    @Test("A task that is cancelled before it sends sends nothing")
    func cancelBefore() async throws {
        try await withServer(echo) { client, url, server in
            for _ in 0..<50 {
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return await client.failure(of: .get, url)
                }
                #expect(await task.value?.code == .cancelled)
            }
            #expect(server.connectionCount == 0)
        }
    }

    @Test("Cancellations at any moment end every request once")
    func cancelAnyTime() async throws {
        try await withServer(echo) { client, url, _ in
            let codes = await withTaskGroup(of: HTTPTransportError.Code?.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        let task = Task { await client.failure(of: .get, "\(url)/\(number)") }
                        for _ in 0..<(number % 7) { await Task.yield() }
                        task.cancel()
                        return await task.value?.code
                    }
                }
                return await group.reduce(into: Set<HTTPTransportError.Code?>()) { $0.insert($1) }
            }
            #expect(codes.isSubset(of: [nil, .cancelled]))
            let answer = try await client.get(url + "/after")
            #expect(answer.text == "/after")
        }
    }

    @Test("A deadline ends a running request, and one that waits for a place")
    func deadlines() async throws {
        try await withSilentServer { client, request, running in
            let waiting = await client.failure(request, deadline: .milliseconds(20))
            #expect(waiting?.code == .timeout)
            #expect(waiting?.wasSent == false)
            running.cancel()
            _ = await running.value
            let started = await client.failure(request, deadline: .milliseconds(200))
            #expect(started?.code == .timeout)
        }
    }

    @Test(
        "A deadline that has passed or never comes is taken as it is",
        arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min), .seconds(Int64.max)])
    func oddDeadlines(_ deadline: Duration) async throws {
        try await withServer(echo) { client, url, _ in
            let error = await client.failure(
                OutgoingRequest(method: .get, url: url), deadline: deadline)
            #expect(error?.code == (deadline > .zero ? nil : .timeout))
        }
    }

    @Test("Closing ends what runs and what waits; later requests are refused")
    func closing() async throws {
        try await withSilentServer { client, request, running in
            let waiting = Task { await client.failure(request) }
            await client.close(gracePeriod: .zero)
            let error = await running.value
            #expect(error?.code == .closed)
            #expect(error?.wasSent == true)
            #expect(await waiting.value?.code == .closed)
            #expect(await client.failure(request)?.code == .closed)
            await client.close(gracePeriod: .zero)
        }
    }

    @Test("Within the grace period what runs is answered, and nothing new is taken")
    func graceful() async throws {
        let (arrived, proceed) = (Signal(), Signal())
        try await withServer { connection in
            guard connection.readRequest() != nil else { return }
            arrived.fire()
            connection.blockUntil(proceed)
            connection.answer("done")
        } _: { client, url, _ in
            let running = Task { try await client.get(url).text }
            await arrived.fired()
            async let closed: Void = client.close(gracePeriod: patience)
            while await client.failure(of: .get, "http://127.0.0.1:1/")?.code != .closed {}
            proceed.fire()
            let answer = try await running.value
            #expect(answer == "done")
            await closed
        }
    }

    @Test("A client that nobody holds any more closes its connections")
    func dropped() async throws {
        let left = Signal()
        let server = try RawServer { connection in
            while connection.readRequest() != nil { connection.answer("") }
            left.fire()
        }
        defer { server.stop() }
        do {
            let client = try HTTPClient()
            _ = try await client.get("http://127.0.0.1:\(server.port)/")
        }
        await left.fired()
    }
}
