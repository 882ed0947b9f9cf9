// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import CounterfoilHTTPServer
import Synchronization
import Testing

@Suite("Deadlines and limits of connections")
struct ConnectionLimits {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("A head that does not end is answered with 408 and closed")
    func slowHead() async throws {
        try await withServer(configure: { $0.headTimeout = .milliseconds(50) }) { port, handler in
            let client = try RawClient(port: port)
            await client.send("GET / HTTP/1.1\r\nHost: a\r\n")
            #expect(await client.read().contains("Refusal: http.request_timeout"))
            #expect(handler.count.load(ordering: .relaxed) == 0)
        }
    }

    @Test("A body that does not end is answered with 408 and closed")
    func slowBody() async throws {
        try await withServer(configure: { $0.bodyTimeout = .milliseconds(50) }) { port, handler in
            let client = try RawClient(port: port)
            await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
            #expect(await client.read().contains("Refusal: http.request_timeout"))
            #expect(handler.count.load(ordering: .relaxed) == 0)
        }
    }

    @Test("A connection that says nothing is closed without a word")
    func silence() async throws {
        try await withServer(configure: { $0.idleTimeout = .milliseconds(50) }) { port, _ in
            let client = try RawClient(port: port)
            #expect(await client.isClosedByServer())
        }
    }

    @Test("A connection that stays idle behind an answer is closed")
    func idle() async throws {
        try await withServer(configure: { $0.idleTimeout = .seconds(1) }) { port, _ in
            // On an overloaded machine the first request may come too late itself.
            var answer = ""
            for _ in 0..<100 where answer.isEmpty {
                let client = try RawClient(port: port)
                await client.send(Self.get)
                answer = await client.read()
            }
            #expect(answer.hasSuffix("GET / "))
        }
    }

    @Test("A client that does not read its answer is cut off")
    func slowReader() async throws {
        let large = [UInt8](repeating: 0x61, count: 64 << 20)
        let entered = Gate()
        try await withServer { _ in
            await entered.open()
            return HTTPResponse(status: 200, body: large)
        } configure: {
            $0.answerTimeout = .milliseconds(50)
            $0.bodyTimeout = .milliseconds(50)
        } _: { port, _ in
            let client = try RawClient(port: port)
            let other = try RawClient(port: port)
            await client.send(Self.get)
            await entered.pass()
            // The other connection starts later, so its deadline passes after the first one's.
            await other.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n")
            #expect(await other.read().contains("408"))
            #expect(await client.read().utf8.count < 64 << 20)
        }
    }

    @Test("A handler that takes too long is cancelled and answered for with 503")
    func slowHandler() async throws {
        let wasCancelled = Gate()
        try await withServer { _ in
            await withTaskCancellationHandler {
                await wasCancelled.pass()
            } onCancel: {
                Task { await wasCancelled.open() }
            }
            return HTTPResponse(status: 200)
        } configure: {
            $0.handlerTimeout = .milliseconds(50)
        } _: { port, _ in
            let client = try RawClient(port: port)
            await client.send(Self.get)
            let answer = await client.read(until: "effect")
            try #require(answer.contains("Refusal: http.handler_timeout"))
            await wasCancelled.pass()
        }
    }

    @Test("Connections beyond the limit are refused, and taken again when others end")
    func connectionLimit() async throws {
        try await withServer(configure: { $0.maximumConnectionCount = 1 }) { port, _ in
            do {
                let first = try RawClient(port: port)
                await first.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = await first.read(until: "GET / ")
                let second = try RawClient(port: port)
                #expect(await second.read().contains("Refusal: http.too_many_connections"))
                await first.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                _ = await first.read()
            }
            var answer = ""
            // The library may take a moment to give the first connection up.
            for _ in 0..<1000 where !answer.hasPrefix("HTTP/1.1 200 ") {
                let third = try RawClient(port: port)
                await third.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                answer = await third.read()
            }
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test(
        "Clients that go away in the middle of a request make room for others",
        arguments: [
            "", "GET / HTTP/1.1\r\nHost: ",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
        ])
    func abandoned(start: String) async throws {
        try await withServer { request in
            await echo(request)
        } configure: {
            $0.maximumConnectionCount = 20
            $0.handlerTimeout = .milliseconds(200)
        } _: { port, _ in
            for _ in 0..<400 {
                let client = try RawClient(port: port)
                await client.send(start + "x")
            }
            var answer = ""
            while !answer.hasPrefix("HTTP/1.1 200 ") {
                let client = try RawClient(port: port)
                await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                answer = await client.read()
            }
        }
    }

    @Test("A peer that closes its sending side behind a request gets its answer")
    func halfClosed() async throws {
        let gate = Gate()
        try await withServer { request in
            await gate.pass()
            return await echo(request)
        } configure: {
            $0.idleTimeout = .milliseconds(200)
        } _: { port, _ in
            let client = try RawClient(port: port)
            await client.send(Self.get)
            client.stopSending()
            await gate.arrival()
            await gate.open()
            #expect(await client.read().hasSuffix("GET / "))
        }
    }

    @Test("A newcomer takes an idle place of an address that holds more")
    func fairPlaces() async throws {
        try await withServer(configure: { $0.maximumConnectionCount = 10 }) { port, _ in
            var crowd: [RawClient] = []
            for _ in 0..<10 {
                let client = try RawClient(port: port)
                await client.send(Self.get)
                _ = await client.read(until: "GET / ")
                crowd.append(client)
            }
            let refused = try RawClient(port: port)
            #expect(await refused.read().contains("Refusal: http.too_many_connections"))
            let other = try RawClient(port: port, from: "127.0.0.2")
            await other.send(Self.get)
            #expect(await other.read(until: "GET / ").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("Connections of one address beyond its limit are refused")
    func connectionLimitPerAddress() async throws {
        try await withServer(configure: { $0.maximumConnectionCountPerAddress = 2 }) { port, _ in
            let first = try RawClient(port: port)
            let second = try RawClient(port: port)
            let third = try RawClient(port: port)
            #expect(await third.read().contains("Refusal: http.too_many_connections"))
            for client in [first, second] {
                await client.send(Self.get)
                #expect(await client.read(until: "GET / ").hasPrefix("HTTP/1.1 200 "))
            }
        }
    }
}

@Suite("Stopping")
struct Stopping {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private func start(
        _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) throws -> (HTTPServer, UInt16) {
        let server = HTTPServer(
            configuration: .patient,
            handler: TestHandler(answer))
        return (server, try server.start())
    }

    @Test("A running request is finished, an idle connection closed, a new one refused")
    func graceful() async throws {
        let gate = Gate()
        let (server, port) = try start { request in
            if request.target.path == "/slow" { await gate.pass() }
            return await echo(request)
        }
        let busy = try RawClient(port: port)
        let idle = try RawClient(port: port)
        await idle.send(Self.get)
        _ = await idle.read(until: "GET / ")
        await busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        await gate.arrival()
        async let stopped: Void = server.stop(gracePeriod: .seconds(60))
        #expect(await idle.isClosedByServer())
        #expect(throws: RawClient.Failure.self) { _ = try RawClient(port: port) }
        await gate.open()
        let answer = await busy.read()
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.contains("Connection: close"))
        await stopped
    }

    @Test("A request that outlasts the grace period is answered with 503")
    func impatient() async throws {
        let gate = Gate()
        let (server, port) = try start { request in
            await gate.pass()
            return await echo(request)
        }
        let client = try RawClient(port: port)
        let sending = try RawClient(port: port)
        await client.send(Self.get)
        await sending.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel")
        await gate.arrival()
        await server.stop(gracePeriod: .milliseconds(20))
        #expect(await client.read().contains("Refusal: http.server_stopping"))
        #expect(await sending.read().isEmpty)
        await gate.open()
    }

    @Test("Stopping under load neither hangs nor crashes, and every client gets an end")
    func underLoad() async throws {
        for _ in 0..<10 {
            let (server, port) = try start { request in
                await Task.yield()
                return await echo(request)
            }
            let running = Gate()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        while let client = try? RawClient(port: port) {
                            await client.send(Self.get)
                            _ = await client.read(until: "GET / ")
                            await running.open()
                        }
                    }
                }
                await running.pass()
                await server.stop(gracePeriod: .seconds(5))
                await group.waitForAll()
            }
        }
    }

    @Test("A second stop and a stop before the start do nothing")
    func repeated() async throws {
        let (server, _) = try start(echo)
        await server.stop(gracePeriod: .zero)
        await server.stop(gracePeriod: .zero)
        #expect(throws: HTTPServerError.self) { _ = try server.start() }
    }
}
