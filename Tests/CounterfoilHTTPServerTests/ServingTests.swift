// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import CounterfoilHTTPServer
import Synchronization
import Testing

@Suite("Serving")
struct Serving {
    private static let last = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    @Test("A handler gets method, path, query, fields, body and address")
    func wholeRequest() async throws {
        let seen = Mutex<HTTPRequest?>(nil)
        try await withServer { request in
            seen.withLock { $0 = request }
            return HTTPResponse(status: 204)
        } _: { port, _ in
            let client = try RawClient(port: port)
            await client.send(
                "PUT /v1/a%2Fb/%C3%A4?x=1%2B&y=a+b&z HTTP/1.1\r\nHost: a\r\nX-Thing:  two words \r\n"
                    + "Connection: close\r\nContent-Length: 2\r\n\r\nhi")
            #expect(await client.read().hasPrefix("HTTP/1.1 204 "))
        }
        let request = try #require(seen.withLock { $0 })
        #expect(request.method == .put)
        #expect(request.target.segments == ["v1", "a/b", "ä"])
        #expect(request.target.queryValue("x") == "1+")
        #expect(request.target.queryValue("y") == "a b")
        #expect(request.target.queryValue("z") == "")
        #expect(request.headers["x-thing"] == "two words")
        #expect(request.body == Array("hi".utf8))
        #expect(request.remoteAddress == "127.0.0.1")
    }

    @Test("Requests sent at once are answered in order, also when the first one waits")
    func pipelining() async throws {
        let gate = Gate()
        try await withServer { request in
            if request.target.path == "/slow" { await gate.pass() }
            return await echo(request)
        } _: { port, _ in
            let client = try RawClient(port: port)
            await client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n" + Self.last)
            await gate.arrival()
            await gate.open()
            let answer = await client.read()
            let slow = try #require(answer.firstRange(of: "GET /slow"))
            let last = try #require(answer.firstRange(of: "GET /last"))
            #expect(slow.upperBound < last.lowerBound)
        }
    }

    @Test("HTTP/1.0 is served without Host and closed")
    func oldVersion() async throws {
        try await withServer { port, _ in
            let client = try RawClient(port: port)
            await client.send("GET /old HTTP/1.0\r\n\r\n")
            #expect(await client.read().hasSuffix("GET /old "))
        }
    }

    @Test("HTTP/1.0 that does not ask to be kept is closed, whatever follows it")
    func oldVersionWithMore() async throws {
        try await withServer { port, handler in
            let client = try RawClient(port: port)
            await client.send("GET /old HTTP/1.0\r\n\r\nGET /more HTTP/1.0\r\n\r\n")
            let answer = await client.read()
            #expect(answer.hasSuffix("GET /old "), "\(answer)")
            #expect(handler.count.load(ordering: .relaxed) == 1)
        }
    }

    @Test("HTTP/1.0 that asks to be kept is, until a request does not ask")
    func oldVersionKept() async throws {
        try await withServer { port, handler in
            let client = try RawClient(port: port)
            await client.send(
                "POST /one HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello")
            let first = await client.read(until: "POST /one hello")
            #expect(first.lowercased().contains("\r\nconnection: keep-alive\r\n"), "\(first)")
            await client.send("GET /two HTTP/1.0\r\n\r\nGET /three HTTP/1.0\r\n\r\n")
            let last = await client.read()
            #expect(last.hasSuffix("GET /two "), "\(last)")
            #expect(handler.count.load(ordering: .relaxed) == 2)
        }
    }

    @Test("HEAD is answered with the length and without the body")
    func headWithoutBody() async throws {
        try await withServer { port, _ in
            let client = try RawClient(port: port)
            await client.send("HEAD /h HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let answer = await client.read()
            #expect(answer.contains("Content-Length: 8\r\n"))
            #expect(answer.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("A target in absolute form is taken")
    func absoluteForm() async throws {
        try await withServer { port, _ in
            let client = try RawClient(port: port)
            await client.send(
                "GET http://a.example/abs HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
            #expect(await client.read().hasSuffix("GET /abs "))
        }
    }

    @Test("A field that HTTP cannot carry is left out of the answer")
    func responseSplitting() async throws {
        try await withServer { _ in
            HTTPResponse(status: 200, headers: ["X-Bad": "a\r\nX-Injected: b", "X-Good": "c"])
        } _: { port, _ in
            let client = try RawClient(port: port)
            await client.send(Self.last)
            let answer = await client.read()
            #expect(!answer.contains("X-Injected"))
            #expect(answer.contains("X-Good: c"))
        }
    }

    @Test("Handlers that wait are resumed, many at once and over again", arguments: [1, 2])
    func manySuspended(threads: Int) async throws {
        try await withServer { request in
            await Task.yield()
            return await echo(request)
        } configure: {
            $0.threadCount = threads
        } _: { port, handler in
            await withTaskGroup(of: Int.self) { group in
                for number in 0..<32 {
                    group.addTask {
                        guard let client = try? RawClient(port: port) else { return 0 }
                        var served = 0
                        for round in 0..<20 {
                            await client.send("GET /\(number)/\(round) HTTP/1.1\r\nHost: a\r\n\r\n")
                            let answer = await client.read(until: "GET /\(number)/\(round) ")
                            if answer.hasPrefix("HTTP/1.1 200 ") { served += 1 }
                        }
                        return served
                    }
                }
                for await served in group { #expect(served == 20) }
            }
            #expect(handler.count.load(ordering: .relaxed) == 640)
        }
    }

    @Test("Handlers go on where the given executor runs them")
    func executor() async throws {
        let executor = CountingExecutor()
        try await withServer { request in
            await Task.yield()
            return await echo(request)
        } configure: {
            $0.taskExecutor = executor
        } _: { port, _ in
            let client = try RawClient(port: port)
            await client.send(Self.last)
            #expect(await client.read().hasPrefix("HTTP/1.1 200 "))
            #expect(executor.count.load(ordering: .relaxed) > 0)
        }
    }

    @Test("A server that listens on all addresses takes IPv4")
    func dualStack() async throws {
        try await withServer(configure: { $0.address = nil }) { port, _ in
            let client = try RawClient(port: port)
            await client.send(Self.last)
            #expect(await client.read().hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("A port in use and an address in words are refused with their reason")
    func startErrors() async throws {
        try await withServer { port, handler in
            let taken = HTTPServer(
                configuration: HTTPServerConfiguration(address: "127.0.0.1", port: port),
                handler: handler)
            let inUse = #expect(throws: HTTPServerError.self) { _ = try taken.start() }
            #expect(inUse?.code == .addressInUse)
            #expect(inUse?.message.contains("127.0.0.1:\(port)") == true)
            let named = HTTPServer(
                configuration: HTTPServerConfiguration(address: "localhost", port: 0),
                handler: handler)
            let invalid = #expect(throws: HTTPServerError.self) { _ = try named.start() }
            #expect(invalid?.code == .addressInvalid)
        }
    }
}

final class CountingExecutor: TaskExecutor {
    let count = Atomic(0)

    func enqueue(_ job: consuming ExecutorJob) {
        count.add(1, ordering: .relaxed)
        let job = UnownedJob(job)
        Task.detached { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
