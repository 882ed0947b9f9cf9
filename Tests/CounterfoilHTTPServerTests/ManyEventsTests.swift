// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import CounterfoilHTTPServer
import Dispatch
import Testing

@Suite("Many connections with something at once")
struct ManyEventsAtOnce {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// How many events the library takes at a time (`MAX_EVENTS` of 0.9.75).
    private static let batch = 128

    @Test("As many requests as the library takes at once are all answered", arguments: [1, 2])
    func fullBatch(threadCount: Int) async throws {
        let (held, tell) = AsyncStream.makeStream(of: Void.self)
        let mayGoOn = DispatchSemaphore(value: 0)
        try await withServer { request in
            if request.target.path == "/hold" {
                tell.yield()
                Self.holdThread(until: mayGoOn)
            }
            return await echo(request)
        } configure: {
            $0.threadCount = threadCount
        } _: { port, _ in
            // They are dealt out to the threads in turn, so each thread has a full batch.
            var kept: [RawClient] = []
            for _ in 0..<Self.batch * threadCount {
                let client = try RawClient(port: port)
                await client.send(Self.get)
                try #require(await client.isAnswered("GET / "))
                kept.append(client)
            }
            var holding: [RawClient] = []
            do {
                defer { for _ in 0..<threadCount { mayGoOn.signal() } }
                for _ in 0..<threadCount {
                    let client = try RawClient(port: port)
                    await client.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
                    holding.append(client)
                }
                for await _ in held.prefix(threadCount) {}
                for client in kept { await client.send(Self.get) }
                for client in kept { await client.arrival() }
            }
            for client in holding { try #require(await client.isAnswered("GET /hold ")) }
            for client in kept { try #require(await client.isAnswered("GET / ")) }
        }
    }

    private static func holdThread(until signal: DispatchSemaphore) { signal.wait() }
}

extension RawClient {
    fileprivate func isAnswered(_ body: String) async -> Bool {
        await read(until: body).hasPrefix("HTTP/1.1 200 ")
    }
}
